// Regressions over tables of many rows: from a file to a target.
#include "assemble/regression.hpp"

#include "assemble/also_on_card.hpp"
#include "assemble/fitted_place.hpp"
#include "assemble/held_out.hpp"
#include "assemble/npy_rows.hpp"
#include "assemble/row_target.hpp"
#include "assemble/table.hpp"
#include "cuda/regression.hpp"
#include "io/errors.hpp"
#include "plan/names.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/error.hpp>
#include <starling/random/permute.hpp>
#include <starling/target/regression.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace starling::assemble {

namespace {

/// A density by rows on the host, and how a card gets the same.
struct OnBoth {
  std::shared_ptr<const RowDensity> host;
  decltype(cuda::Outside<double>::rows) on_card;
};

template <typename Family>
cuda::RegressionFamily family_on_card() {
  using cuda::RegressionFamily;
  return std::is_same_v<Family, family::Logistic>  ? RegressionFamily::logistic
         : std::is_same_v<Family, family::Linear>  ? RegressionFamily::linear
         : std::is_same_v<Family, family::Poisson> ? RegressionFamily::poisson
                                                   : RegressionFamily::multinomial;
}

template <typename Family, typename Number>
OnBoth density_from(RowTable<Number> table, Family family, Threads& threads) {
  using Model = Regression<Family, Number, cpu::Algebra<Number>, cpu::Algebra<double>>;
  RowDensity made = row_density<Model>(std::make_shared<const Model>(table, family, threads));
  made.climb_from = [made, table, family] {
    std::vector<std::vector<double>> places;
    if (std::vector<double> place = fitted_place(made, table, family); !place.empty())
      places.push_back(std::move(place));
    return places;
  };
  const auto host = std::make_shared<const RowDensity>(std::move(made));
  const cuda::RegressionModel model{family_on_card<Family>(), family.predictors(), family.extras()};
  return {host, [host, model, table](const std::shared_ptr<cuda::Machine>& machine) {
            return cuda::regression_on_card(machine, model, table, *host);
          }};
}

/// Products in single precision where there are many rows, and where a row's log likelihood cannot
/// be large; counts and numbers of any size need double.
template <typename Make>
OnBoth density_for(RegressionKind kind, std::size_t rows, std::size_t classes, const Make& table,
                   Threads& threads) {
  const bool many = rows >= many_rows;
  switch (kind) {
  case RegressionKind::logistic:
    return many ? density_from(table(float()), family::Logistic{}, threads)
                : density_from(table(double()), family::Logistic{}, threads);
  case RegressionKind::multinomial:
    return many ? density_from(table(float()), family::Multinomial(classes), threads)
                : density_from(table(double()), family::Multinomial(classes), threads);
  case RegressionKind::poisson:
    return density_from(table(double()), family::Poisson{}, threads);
  case RegressionKind::linear:
    break;
  }
  return density_from(table(double()), family::Linear{}, threads);
}

/// The density as a target, on a card too where it is asked in double, as a run in stages asks.
template <typename Real>
run::AnyTarget<Real> target_from(const OnBoth& density, std::size_t a_step,
                                 std::uint64_t mini_batch, std::vector<std::string> names,
                                 const plan::TargetContext& context) {
  auto any = row_target<Real>(density.host, a_step, mini_batch, std::move(names), context);
  if constexpr (std::is_same_v<Real, double>) {
    auto there = std::make_shared<cuda::Outside<double>>();
    there->rows = density.on_card;
    also_on_card<double>(any, there);
  }
  return any;
}

} // namespace

std::vector<std::string> regression_names(RegressionKind kind,
                                          const std::vector<std::string>& features,
                                          const std::vector<std::string>& classes) {
  std::vector<std::string> names;
  if (kind == RegressionKind::multinomial) {
    for (std::size_t c = 0; c + 1 < classes.size(); ++c) { // the last is compared with
      for (const std::string& feature : features)
        names.push_back(fmt::format("w[{},{}]", classes[c], feature));
      names.push_back(fmt::format("intercept[{}]", classes[c]));
    }
  } else {
    for (const std::string& feature : features)
      names.push_back(fmt::format("w[{}]", feature));
    names.push_back("intercept");
  }
  if (kind == RegressionKind::linear)
    names.push_back("log_sigma");
  names.push_back("log_alpha");
  return names;
}

std::optional<RegressionKind> regression_kind(std::string_view target) {
  if (target == "logistic")
    return RegressionKind::logistic;
  if (target == "linear")
    return RegressionKind::linear;
  if (target == "poisson")
    return RegressionKind::poisson;
  if (target == "multinomial")
    return RegressionKind::multinomial;
  return std::nullopt;
}

std::size_t weight_blocks(RegressionKind kind, std::size_t classes) {
  return kind == RegressionKind::multinomial ? classes - 1 : 1;
}

TableRequest read_table_request(const plan::Given& given, const char* what) {
  TableRequest r;
  r.data = plan::text(given, "data");
  if (r.data.empty())
    plan::refuse("data", fmt::format("{} needs a table: --data FILE", what));
  r.label = plan::text(given, "label");
  r.drop = plan::text(given, "drop");
  r.category = plan::text(given, "category");
  r.base = plan::text(given, "base");
  r.drop_missing = plan::text(given, "missing") == "drop";
  const std::string& scale = plan::text(given, "scale");
  r.scaling = scale == "minmax"     ? io::Scaling::minmax
              : scale == "standard" ? io::Scaling::standard
                                    : io::Scaling::none;
  r.data_batch = plan::count(given, "data-batch");
  if (given.contains("positive"))
    r.positive = plan::text(given, "positive");
  if (given.contains("holdout"))
    r.holdout = plan::number(given, "holdout");
  return r;
}

io::Dataset load_scaled(const TableRequest& r, io::Response response) {
  io::Dataset data =
      io::load_dataset(r.data, {r.label, r.positive, r.drop, response, r.category, r.base,
                                r.drop_missing, r.scaling != io::Scaling::none});
  if (data.rows > UINT32_MAX)
    throw io::BadData(r.data, "must have fewer than 2^32 rows");
  try {
    io::scale(data, r.scaling);
  } catch (const io::BadData& error) { // it does not know where the data came from
    throw io::BadData(r.data, error.what());
  }
  return data;
}

SplitRows split(const TableRequest& r, std::size_t rows, std::uint64_t seed) {
  SplitRows made;
  made.order.resize(rows);
  std::iota(made.order.begin(), made.order.end(), std::uint32_t{0});
  made.held_out = static_cast<std::size_t>(std::llround(r.holdout * double(rows)));
  if (made.held_out >= rows)
    reject("holdout", "small enough to leave a row for training", fmt::format("{}", r.holdout));
  if (made.held_out > 0)
    permute(made.order, Philox(seed), Stream::holdout, 0);
  if (const std::size_t left = rows - made.held_out; r.data_batch > left)
    reject("data-batch", fmt::format("at most the {} rows for training", left),
           std::to_string(r.data_batch));
  return made;
}

template <typename Real>
run::AnyTarget<Real> regression_from_table(RegressionKind kind, const SharedTable& table,
                                           std::size_t a_step, std::vector<std::string> names,
                                           const plan::TargetContext& context) {
  const auto rows = [&](auto zero) {
    return rows_in_memory(table.to_learn_from<decltype(zero)>());
  };
  return target_from<Real>(
      density_for(kind, table.learns_from(), table.classes().size(), rows, context.threads), a_step,
      a_step, std::move(names), context);
}

template <typename Real>
ClimbFrom logistic_climb_from(const LabelledView<Real>& rows, Threads& threads) {
  return [rows, &threads] {
    return density_from(rows_in_memory(rows), family::Logistic{}, threads).host->climb_from();
  };
}

template <typename Real>
std::function<std::shared_ptr<const RowDensity>(const std::shared_ptr<cuda::Machine>&)>
logistic_rows_on_card(const LabelledView<Real>& rows, Threads& threads) {
  return density_from(rows_in_memory(rows), family::Logistic{}, threads).on_card;
}

template <typename Real>
run::AnyTarget<Real> regression_from_npy(RegressionKind kind, const TableRequest& r,
                                         const plan::TargetContext& context) {
  if (r.holdout > 0)
    plan::refuse(
        "holdout",
        "a .npy file has no held-out rows; write the rows for training into a file of their own");
  if (!r.category.empty() || !r.base.empty() || r.drop_missing)
    plan::refuse(r.drop_missing ? "missing" : "category",
                 "a .npy file has only numbers; write the table as csv");
  const NpyRows rows(r, kind, context.threads);
  const auto table = [&](auto zero) { return rows.table<decltype(zero)>(); };
  const std::size_t a_step = rows_a_step(r.data_batch, rows.count());
  auto any = target_from<Real>(
      density_for(kind, rows.count(), rows.classes().size(), table, context.threads), a_step,
      r.data_batch, regression_names(kind, rows.names(), rows.classes()), context);
  in_user_units(any, weight_blocks(kind, rows.classes().size()), rows.scales());
  any.table = to_json_text(rows.use());
  if (context.constants)
    any.log_constant = left_out(kind, any.dim, rows.responses());
  any.decided.emplace_back("label", rows.label());
  if (kind == RegressionKind::logistic)
    any.decided.emplace_back("positive", rows.positive());
  return any;
}

template run::AnyTarget<double> regression_from_table(RegressionKind, const SharedTable&,
                                                      std::size_t, std::vector<std::string>,
                                                      const plan::TargetContext&);
template run::AnyTarget<float> regression_from_table(RegressionKind, const SharedTable&,
                                                     std::size_t, std::vector<std::string>,
                                                     const plan::TargetContext&);
template ClimbFrom logistic_climb_from(const LabelledView<double>&, Threads&);
template ClimbFrom logistic_climb_from(const LabelledView<float>&, Threads&);
template std::function<std::shared_ptr<const RowDensity>(const std::shared_ptr<cuda::Machine>&)>
logistic_rows_on_card(const LabelledView<double>&, Threads&);
template std::function<std::shared_ptr<const RowDensity>(const std::shared_ptr<cuda::Machine>&)>
logistic_rows_on_card(const LabelledView<float>&, Threads&);
template run::AnyTarget<double> regression_from_npy(RegressionKind, const TableRequest&,
                                                    const plan::TargetContext&);
template run::AnyTarget<float> regression_from_npy(RegressionKind, const TableRequest&,
                                                   const plan::TargetContext&);

namespace {

plan::InBoth<plan::MakeTarget> prepare(const plan::Given& given, RegressionKind kind,
                                       io::Response response, const char* what) {
  const TableRequest r = read_table_request(given, what);
  return in_both([r, kind, response](auto zero, const plan::TargetContext& context) {
    using Real = decltype(zero);
    if (r.data.ends_with(".npy"))
      return regression_from_npy<Real>(kind, r, context);
    const SharedTable table(r, response, context);
    const LabelledView<double> test = table.test<double>();
    const std::size_t a_step =
        context.in_stages ? rows_a_step(r.data_batch, table.learns_from()) : r.data_batch;
    auto any = regression_from_table<Real>(
        kind, table, a_step, regression_names(kind, table.names(), table.classes()), context);
    if (table.held_out() > 0)
      any.hold_out = [kind, classes = table.classes().size(), test,
                      &threads = context.threads](Rows<const Real> x) {
        const std::vector<double> at(x.begin(), x.end());
        const Prediction p = held_out(kind, classes, test, {at.data(), x.count, x.dim}, threads);
        return run::HeldOut{p.accuracy, p.log_likelihood};
      };
    table.describe(any, weight_blocks(kind, table.classes().size()));
    if (context.constants) {
      const LabelledView<double> rows = table.to_learn_from<double>();
      any.log_constant = left_out(kind, any.dim, {rows.labels, rows.rows});
    }
    any.decided.emplace_back("label", table.label());
    return any;
  });
}

} // namespace

plan::InBoth<plan::MakeTarget> prepare_linear(const plan::Given& given) {
  return prepare(given, RegressionKind::linear, io::Response::number, "linear regression");
}
plan::InBoth<plan::MakeTarget> prepare_poisson(const plan::Given& given) {
  return prepare(given, RegressionKind::poisson, io::Response::count, "Poisson regression");
}
plan::InBoth<plan::MakeTarget> prepare_multinomial(const plan::Given& given) {
  return prepare(given, RegressionKind::multinomial, io::Response::classes,
                 "multinomial regression");
}

} // namespace starling::assemble
