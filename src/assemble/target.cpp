// The targets, by name: built in, or from a library.
#include "assemble/labelled_rows.hpp"
#include "plan/names.hpp"
#include "assemble/roles.hpp"
#include "plan/spec.hpp"
#include "foreign/in_double.hpp"
#include "foreign/plugin.hpp"
#include "foreign/stan.hpp"
#include "io/dataset.hpp"
#include "io/errors.hpp"
#include "io/stan_csv.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/cpu/mixture.hpp>
#include <starling/random/permute.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/normal.hpp>
#include <starling/target/prediction.hpp>
#include <starling/target/shapes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

namespace starling::assemble {

namespace {

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  if (count == 1)
    return {name};
  std::vector<std::string> names;
  for (std::size_t a = 1; a <= count; ++a)
    names.push_back(fmt::format("{}[{}]", name, a));
  return names;
}

/// Two columns of one name cannot be written, which would come out only after the run.
void refuse_equal_names(const std::string& file, const std::vector<std::string>& names) {
  std::set<std::string> seen = {"lp__"};
  for (const std::string& name : names)
    if (!seen.insert(io::stan_name(name)).second)
      throw io::BadData(file, "must name its parameters differently; got " + name + " twice");
}

template <typename Real, typename T>
AnyTarget<Real> wrap(T target, std::vector<std::string> names) {
  auto shared = std::make_shared<T>(std::move(target));
  AnyTarget<Real> any;
  any.dim = shared->dim();
  any.names = std::move(names);
  any.score = [shared](Step k, Rows<const Real> x, Rows<Real> s) { (*shared)(k, x, s); };
  any.evaluate = [shared](Rows<const Real> x, Rows<Real> s, std::span<Real> density) {
    shared->evaluate(x, s, density);
  };
  return any;
}

template <typename Real, typename F>
AnyTarget<Real> wrap_one(F one, Threads& threads, std::vector<std::string> names) {
  const std::size_t dim = one.dim();
  return wrap<Real>(lift<Real>(dim, std::move(one), threads), std::move(names));
}

template <typename Real>
AnyTarget<Real> mixture(const plan::Recipe& r, Threads& threads) {
  const auto weights = plan::parse_numbers("weights", r.weights);
  const auto means = plan::split(r.means, ';');
  auto sds = plan::parse_numbers("sds", r.sds);
  if (sds.size() == 1)
    sds.assign(means.size(), sds[0]);
  if (weights.size() != means.size() || sds.size() != means.size())
    reject("mixture", "of as many weights and sds as means, " + std::to_string(means.size()),
           fmt::format("{} weights and {} sds", weights.size(), sds.size()));
  std::vector<MixtureComponent> components;
  for (std::size_t c = 0; c < means.size(); ++c) {
    const auto mean = plan::parse_numbers("means", means[c]);
    if (!(sds[c] > 0))
      reject("sds", "positive", fmt::format("{}", sds[c]));
    const auto d = static_cast<Eigen::Index>(mean.size());
    components.push_back({weights[c], Eigen::Map<const Eigen::VectorXd>(mean.data(), d),
                          Eigen::MatrixXd::Identity(d, d) * sds[c] * sds[c]});
  }
  Mixture<Real> one(components);
  if (one.dim() == 1)
    return wrap<Real>(cpu::MixtureOnTheLine<Real>(one, threads), {"x"});
  return wrap_one<Real>(one, threads, numbered("x", one.dim()));
}

template <typename Real>
AnyTarget<Real> normal(const plan::Recipe& r, Threads& threads) {
  const auto d = static_cast<Eigen::Index>(r.dim);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(d, d, r.correlation);
  covariance.diagonal().setOnes();
  return wrap<Real>(Normal<Real>(Eigen::VectorXd::Zero(d), covariance, threads),
                    numbered("x", r.dim));
}

template <typename Real>
AnyTarget<Real> logistic(const plan::Recipe& r, Threads& threads, std::uint64_t data_seed) {
  io::Dataset data = io::load_dataset(r.data, {r.label, r.positive});
  if (data.rows > UINT32_MAX)
    throw io::BadData(r.data, "must have fewer than 2^32 rows");
  constexpr io::Scaling scalings[] = {io::Scaling::minmax, io::Scaling::standard,
                                      io::Scaling::none};
  try {
    io::scale(data, scalings[plan::choose("scale", r.scale, {"minmax", "standard", "none"})]);
  } catch (const io::BadData& error) { // it does not know where the data came from
    throw io::BadData(r.data, error.what());
  }

  std::vector<std::uint32_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto test_rows = static_cast<std::size_t>(std::llround(r.holdout * double(data.rows)));
  if (test_rows >= data.rows)
    reject("holdout", "small enough to leave a row to learn from", fmt::format("{}", r.holdout));
  if (test_rows > 0)
    permute(order, Philox(data_seed), Stream::holdout, 0);
  const std::span<const std::uint32_t> rows(order);
  const auto train = with_constant<Real>(data, rows.subspan(test_rows));
  const auto learns_from = static_cast<std::size_t>(train->labels.size());
  if (r.data_batch > learns_from)
    reject("data-batch", fmt::format("at most the {} rows to learn from", learns_from),
           std::to_string(r.data_batch));
  const std::size_t batch =
      r.data_batch == 0 ? std::min<std::size_t>(100, learns_from) : r.data_batch;

  std::vector<std::string> names;
  for (const std::string& column : data.names)
    names.push_back(fmt::format("w[{}]", column));
  names.insert(names.end(), {"intercept", "log_alpha"}); // the constant is the last feature
  auto any = wrap<Real>(
      LogisticRegression<Real, cpu::Algebra<Real>>(train, batch, r.seed, threads), std::move(names));
  if (test_rows > 0)
    any.hold_out = [test = with_constant<Real>(data, rows.first(test_rows)),
                    &threads](Rows<const Real> x) {
      const Prediction p = predict<Real, cpu::Algebra<Real>>(*test, x, threads);
      return HeldOut{p.accuracy, p.log_likelihood};
    };
  return any;
}

/// The caller's own, in the number type asked for.
template <typename Real>
class Invited {
public:
  explicit Invited(const Guest& guest) : guest_(guest) {}
  std::size_t dim() const { return guest_.dim; }
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) const { call(k, x, score, {}); }
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    call(0, x, score, density);
  }

private:
  void call(Step k, Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    if constexpr (std::is_same_v<Real, double>)
      guest_.in_double(k, x, score, density);
    else
      guest_.in_single(k, x, score, density);
  }

  Guest guest_;
};

template <typename Real>
AnyTarget<Real> plugin(const plan::Recipe& r, Threads& threads) {
  auto model = std::make_shared<foreign::Plugin>(r.model, r.data, threads);
  auto names = model->names().empty() ? numbered("x", model->dim()) : model->names();
  return wrap<Real>(foreign::InDouble<Real, foreign::Plugin>(model), std::move(names));
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

template <typename Real>
AnyTarget<Real> stan(const plan::Recipe& r, Threads& threads, std::uint64_t data_seed) {
  auto model = std::make_shared<foreign::StanModel>(r.model, r.data, r.seed, threads, data_seed);
  auto any = wrap<Real>(foreign::InDouble<Real, foreign::StanModel>(model), model->names());
  any.start = [model, file = r.start](Rows<Real> x) {
    std::vector<double> drawn(x.size());
    const Rows<double> rows{drawn.data(), x.count, x.dim};
    try {
      file.ends_with(".csv") ? from_draws(*model, file, rows) : model->start(rows);
    } catch (const foreign::BadLibrary& error) {
      throw io::BadData(error.what());
    }
    std::ranges::transform(drawn, x.begin(), [](double v) { return static_cast<Real>(v); });
  };
  any.constrain = [model](Rows<const Real> x) {
    const std::vector<double> at(x.begin(), x.end());
    return Constrained{model->constrained_names(), model->constrain({at.data(), x.count, x.dim})};
  };
  any.warnings = [model] { return model->warnings(); };
  refuse_equal_names(r.model, model->constrained_names());
  return any;
}

template <typename Real>
AnyTarget<Real> from_library(const plan::Recipe& r, Threads& threads, std::uint64_t data_seed) {
  for (const std::string& file : {r.model, r.data})
    if (!file.empty() && !std::filesystem::exists(file))
      throw io::InputMissing(file, ENOENT);
  try {
    auto any = r.target == "stan" ? stan<Real>(r, threads, data_seed) : plugin<Real>(r, threads);
    refuse_equal_names(r.model, any.names);
    return any;
  } catch (const foreign::BadLibrary& error) {
    throw io::BadData(error.what());
  }
}

} // namespace

template <typename Real>
AnyTarget<Real> make_target(const plan::Recipe& r, Threads& threads, std::uint64_t data_seed,
                            const Guest* guest) {
  if (guest)
    return wrap<Real>(Invited<Real>(*guest),
                      guest->names.empty() ? numbered("x", guest->dim) : guest->names);
  if (r.target == "guest")
    reject("target", "a name or a library; a guest is brought by a program", "'guest'");
  if (r.target == "mixture")
    return mixture<Real>(r, threads);
  if (r.target == "normal")
    return normal<Real>(r, threads);
  if (r.target == "banana")
    return wrap_one<Real>(Banana<Real>(Real(r.curvature), Real(r.width)), threads, numbered("x", 2));
  if (r.target == "funnel") {
    auto names = numbered("x", r.dim - 1);
    names.insert(names.begin(), "v");
    return wrap_one<Real>(Funnel<Real>(r.dim, Real(r.width)), threads, std::move(names));
  }
  if (r.target == "logistic")
    return logistic<Real>(r, threads, data_seed);
  return from_library<Real>(r, threads, data_seed);
}

template AnyTarget<double> make_target(const plan::Recipe&, Threads&, std::uint64_t, const Guest*);
template AnyTarget<float> make_target(const plan::Recipe&, Threads&, std::uint64_t, const Guest*);

} // namespace starling::assemble
