// Targets from a shared library: a Stan model, or a C function.
#include "assemble/also_on_card.hpp"
#include "assemble/row_target.hpp"
#include "assemble/wrap.hpp"
#include "foreign/compile_stan.hpp"
#include "foreign/in_double.hpp"
#include "foreign/plugin.hpp"
#include "foreign/stan.hpp"
#include "io/errors.hpp"
#include "io/stan_csv.hpp"
#include "plan/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace starling::assemble {

namespace {

struct Library {
  std::string model, data;
  std::uint64_t data_batch = 0;   // of a plugin with rows
  foreign::ShownAs shown_as = {}; // of a program that was compiled
  const std::string& shown() const { return shown_as.model.empty() ? model : shown_as.model; }
};

/// Two columns of one name cannot be written, which would come out only after the run.
void refuse_equal_names(const std::string& file, const std::vector<std::string>& names) {
  std::set<std::string> seen = {"lp__"};
  for (const std::string& name : names)
    if (!seen.insert(io::stan_name(name)).second)
      throw io::BadData(file, "must give its parameters different names; got " + name + " twice");
}

template <typename Real>
run::AnyTarget<Real> by_rows(const Library& r, const std::shared_ptr<foreign::Plugin>& model,
                             std::vector<std::string> names, const plan::TargetContext& context) {
  BroughtRows rows;
  rows.rows = model->data_rows();
  rows.dim = model->dim();
  rows.data_batch = r.data_batch;
  rows.likelihood = [model](Rows<const double> x, RowNumbers some, std::span<const double> weights,
                            Rows<double> score, std::span<double> value) {
    model->likelihood(x, some, weights, score, value);
  };
  if (model->has_prior())
    rows.prior = [model](Rows<const double> x, Rows<double> score, std::span<double> value) {
      model->prior(x, score, value);
    };
  if (model->has_row_scores())
    rows.each = [model](RowNumbers some, const Eigen::VectorXd& x, Rows<double> scores) {
      model->row_scores(some, {x.data(), std::size_t(x.size())}, scores);
    };
  try {
    check_sums(rows);
  } catch (const std::invalid_argument& error) {
    throw foreign::BadLibrary(r.model, error.what());
  } catch (const TargetError&) { // it may fail where it was tried; where it is flown it says so
  }
  return row_target<Real>(density_of(rows), rows_a_step(r.data_batch, rows.rows), r.data_batch,
                          std::move(names), context);
}

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
plugin_on_card(const std::shared_ptr<foreign::Plugin>& model) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->has_log_density = std::is_same_v<Real, double> && model->has_density_on_card();
  outside->on = [model](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    const auto unread = std::make_shared<cuda::DeviceBuffer<Real>>(); // log densities
    return [model, machine, unread](Step k, const Real* x, Real* score, Real* log_density,
                                    std::size_t count, std::size_t) {
      if constexpr (std::is_same_v<Real, double>)
        if (log_density || !model->scores_on_card<Real>()) {
          if (!log_density && unread->size() < count)
            *unread = cuda::DeviceBuffer<Real>(*machine, count);
          return model->density_on_card(count, x, score, log_density ? log_density : unread->data(),
                                        machine->stream());
        }
      model->score_on_card<Real>(k, count, x, score, machine->stream());
    };
  };
  return outside;
}

template <typename Real>
run::AnyTarget<Real> plugin(const Library& r, const plan::TargetContext& context) {
  auto model = std::make_shared<foreign::Plugin>(r.model, r.data, context.threads);
  auto names = model->names().empty() ? numbered("x", model->dim()) : model->names();
  if (model->data_rows() > 0)
    return by_rows<Real>(r, model, std::move(names), context);
  if (r.data_batch > 0)
    plan::refuse("data-batch",
                 r.model + " cannot score rows: it does not export starling_log_likelihood_rows");
  auto any = wrap<Real>(foreign::InDouble<Real, foreign::Plugin>(model), std::move(names));
  if (model->template scores_on_card<Real>() ||
      (std::is_same_v<Real, double> && model->has_density_on_card()))
    also_on_card(any, plugin_on_card<Real>(model));
  return any;
}

/// Positions from the parameters that an earlier run, of any sampler, wrote as Stan CSV. Further
/// columns and rows are passed over.
void from_draws(const foreign::StanModel& model, const std::string& file, Rows<double> x) {
  const io::Draws draws = io::read_stan_csv(file);
  if (draws.rows < x.count)
    throw io::BadData(file, fmt::format("must have a draw for each of {} particles; got {}",
                                        x.count, draws.rows));
  std::vector<std::string> written;
  std::ranges::transform(draws.names, std::back_inserter(written), io::stan_name);
  std::vector<std::ptrdiff_t> columns;
  for (const std::string& name : model.parameter_names()) {
    const auto at = std::ranges::find(written, io::stan_name(name));
    if (at == written.end())
      throw io::BadData(file, fmt::format("must have a column {}; got none", io::stan_name(name)));
    columns.push_back(at - written.begin());
  }
  std::vector<double> parameters(columns.size());
  for (std::size_t i = 0; i < x.count; ++i) {
    const double* row = &draws.values[i * written.size()];
    std::ranges::transform(columns, parameters.begin(), [&](auto c) { return row[c]; });
    if (const std::string why = model.unconstrain(parameters, x[i]); !why.empty())
      throw io::BadData(file,
                        fmt::format("row {}: must be parameters of the model; got {}", i + 1, why));
  }
}

/// A compiler that leaves out the constants of ~ statements keeps those of target +=.
void refuse_sampling_statements(const std::string& model) {
  if (foreign::is_stan_program(model) && !foreign::has_sampling_statements(model))
    return;
  plan::refuse("evidence", fmt::format("{} was compiled without the constants of ~ statements; "
                                       "write target += normal_lpdf(y | mu, sigma) in place of y ~ "
                                       "normal(mu, sigma), in all of them",
                                       model));
}

template <typename Real>
run::AnyTarget<Real> stan(const Library& r, const plan::TargetContext& context) {
  auto model =
      std::make_shared<foreign::StanModel>(r.model, r.data, context.seed, context.threads,
                                           context.data_seed, r.shown_as, context.constants);
  if (context.constants && !model->gives_constants())
    refuse_sampling_statements(r.shown());
  auto any = wrap<Real>(foreign::InDouble<Real, foreign::StanModel>(model), model->names());
  any.start = [model, file = context.start_file](Rows<Real> x) {
    std::vector<double> drawn(x.size());
    const Rows<double> rows{drawn.data(), x.count, x.dim};
    try {
      !file.empty() ? from_draws(*model, file, rows) : model->start(rows);
    } catch (const foreign::BadLibrary& error) {
      throw io::BadData(error.what());
    }
    std::ranges::transform(drawn, x.begin(), [](double v) { return static_cast<Real>(v); });
  };
  any.constrain = [model](Rows<const Real> x) {
    const std::vector<double> at(x.begin(), x.end());
    return run::Constrained{model->constrained_names(),
                            model->constrain({at.data(), x.count, x.dim})};
  };
  any.warnings = [model] { return model->warnings(); };
  refuse_equal_names(r.shown(), model->constrained_names());
  return any;
}

/// `make` answers a target from the library; what it finds wrong there is bad data.
template <typename Make>
auto from_library(const Library& library, Make&& make) {
  for (const std::string& file : {library.model, library.data})
    if (!file.empty() && !std::filesystem::exists(file))
      throw io::InputMissing(file, ENOENT);
  try {
    auto any = make();
    refuse_equal_names(library.model, any.names);
    return any;
  } catch (const foreign::DidNotCompile& error) {
    throw io::BadProgram(error.what());
  } catch (const foreign::BadLibrary& error) {
    throw io::BadData(error.what());
  }
}

/// The sentence is for those who named none.
Library asked(const plan::Given& given, const char* sentence) {
  Library library{plan::text(given, "model"),
                  plan::text(given, "data"),
                  given.contains("data-batch") ? plan::count(given, "data-batch") : 0,
                  {}};
  if (library.model.empty())
    plan::refuse("model", sentence);
  return library;
}

} // namespace

plan::InBoth<plan::MakeTarget> prepare_stan(const plan::Given& given) {
  const Library library = asked(given, "stan needs a program or a library: stan MODEL.stan");
  if (!library.data.empty() &&
      !library.data.ends_with(".json")) // else BridgeStan takes it for the data itself
    reject("data", "a FILE.json for stan", "'" + library.data + "'");
  return in_both([library](auto zero, const plan::TargetContext& context) {
    return from_library(library, [&] {
      if (!foreign::is_stan_program(library.model))
        return stan<decltype(zero)>(library, context);
      const foreign::CompiledStan made = foreign::compile_stan(library.model, library.data);
      return stan<decltype(zero)>({made.library, made.data, 0, {library.model, library.data}},
                                  context);
    });
  });
}

plan::InBoth<plan::MakeTarget> prepare_plugin(const plan::Given& given) {
  return in_both([library = asked(given, "plugin needs a library: plugin LIB.so")](
                     auto zero, const plan::TargetContext& context) {
    return from_library(library, [&] { return plugin<decltype(zero)>(library, context); });
  });
}

} // namespace starling::assemble
