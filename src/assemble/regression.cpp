// Regressions over tables of many rows: from a file to a target.
#include "assemble/regression.hpp"

#include "assemble/labelled_rows.hpp"
#include "assemble/npy_rows.hpp"
#include "foreign/in_double.hpp"
#include "io/errors.hpp"
#include "plan/names.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/error.hpp>
#include <starling/target/data_batches.hpp>
#include <starling/target/regression.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace starling::assemble {

namespace {

constexpr std::size_t many_rows = 20'000, usual_rows = 1000, usual_mini_batch = 100;

/// A regression as foreign::InDouble takes a model: all rows, or for the raw method the mini-batch of the step.
class RegressionModel {
public:
  RegressionModel(std::shared_ptr<const RowDensity> density, std::uint64_t seed, std::size_t batch)
      : density_(std::move(density)), batches_(seed, density_->rows, batch), batch_(batch) {}

  std::size_t dim() const { return density_->dim; }
  void evaluate(Step, Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    density_->all(x, score, log_density);
  }
  void score(Step k, Rows<const double> x, Rows<double> score) {
    const std::span<const std::uint32_t> rows = batches_(k);
    const std::vector<double> weights(rows.size(), double(density_->rows) / double(rows.size()));
    Frame::Matrix likelihood(Eigen::Index(x.count), Eigen::Index(x.dim));
    std::vector<double> prior(x.count);
    density_->prior(x, score, prior);
    density_->some(rows, weights)(x, rows_of(likelihood), {});
    Frame::map(score) += likelihood;
  }

private:
  std::shared_ptr<const RowDensity> density_;
  DataBatches batches_;
  std::size_t batch_;
};

template <typename Real>
class RegressionTarget : public foreign::InDouble<Real, RegressionModel> {
public:
  explicit RegressionTarget(std::shared_ptr<RegressionModel> model)
      : foreign::InDouble<Real, RegressionModel>(model), model_(std::move(model)) {}
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    const std::vector<double> at(x.begin(), x.end());
    std::vector<double> to(x.size());
    model_->score(k, {at.data(), x.count, x.dim}, {to.data(), x.count, x.dim});
    std::transform(to.begin(), to.end(), score.begin(), [](double s) { return static_cast<Real>(s); });
  }

private:
  std::shared_ptr<RegressionModel> model_;
};

template <typename Family, typename Number>
std::shared_ptr<const RowDensity> density_of(RowTable<Number> table, Family family, Threads& threads) {
  using Model = Regression<Family, Number, cpu::Algebra<Number>, cpu::Algebra<double>>;
  return std::make_shared<const RowDensity>(
      row_density<Model>(std::make_shared<const Model>(std::move(table), std::move(family), threads)));
}

/// Products in single precision where there are many rows, and where a row's log likelihood cannot be large; counts and
/// numbers of any size need double.
template <typename Make>
std::shared_ptr<const RowDensity> density_for(RegressionKind kind, std::size_t rows, std::size_t classes, const Make& table,
                                              Threads& threads) {
  const bool many = rows >= many_rows;
  switch (kind) {
  case RegressionKind::logistic:
    return many ? density_of(table(float()), family::Logistic{}, threads) : density_of(table(double()), family::Logistic{}, threads);
  case RegressionKind::multinomial:
    return many ? density_of(table(float()), family::Multinomial(classes), threads)
                : density_of(table(double()), family::Multinomial(classes), threads);
  case RegressionKind::poisson: return density_of(table(double()), family::Poisson{}, threads);
  case RegressionKind::linear: break;
  }
  return density_of(table(double()), family::Linear{}, threads);
}

template <typename Real>
run::AnyTarget<Real> target_of(std::shared_ptr<const RowDensity> density, std::size_t a_step, std::uint64_t batch,
                               std::vector<std::string> names, const plan::TargetContext& context) {
  const std::size_t mini = batch > 0 ? batch : std::min(usual_mini_batch, density->rows);
  auto any = wrap<Real>(RegressionTarget<Real>(std::make_shared<RegressionModel>(density, context.seed, mini)), std::move(names));
  if (a_step > 0 && context.in_stages) {
    any.rows = density;
    any.rows_a_step = a_step;
  }
  any.decided = {{"data-batch", std::to_string(!context.in_stages ? mini : a_step > 0 ? a_step : density->rows)}};
  return any;
}

std::vector<std::string> names_for(RegressionKind kind, const std::vector<std::string>& features,
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

} // namespace

TableRequest read_table_request(const plan::Given& given, const char* what) {
  TableRequest r;
  r.data = plan::text(given, "data");
  if (r.data.empty())
    plan::refuse("data", fmt::format("{} needs a table: --data FILE", what));
  r.label = plan::text(given, "label");
  r.drop = plan::text(given, "drop");
  const std::string& scale = plan::text(given, "scale");
  r.scaling = scale == "minmax" ? io::Scaling::minmax : scale == "standard" ? io::Scaling::standard : io::Scaling::none;
  r.data_batch = plan::count(given, "data-batch");
  if (given.contains("positive"))
    r.positive = plan::text(given, "positive");
  if (given.contains("holdout"))
    r.holdout = plan::number(given, "holdout");
  return r;
}

io::Dataset load_scaled(const TableRequest& r, io::Response response) {
  io::Dataset data = io::load_dataset(r.data, {r.label, r.positive, r.drop, response});
  if (data.rows > UINT32_MAX)
    throw io::BadData(r.data, "must have fewer than 2^32 rows");
  try {
    io::scale(data, r.scaling);
  } catch (const io::BadData& error) { // it does not know where the data came from
    throw io::BadData(r.data, error.what());
  }
  return data;
}

std::size_t rows_a_step(std::uint64_t asked, std::size_t rows) {
  if (asked > 0)
    return asked < rows ? asked : 0;
  return rows >= many_rows ? usual_rows : 0;
}

template <typename Real>
run::AnyTarget<Real> regression_from_rows(RegressionKind kind, const io::Dataset& data, std::span<const std::uint32_t> rows,
                                          std::size_t a_step, std::vector<std::string> names,
                                          const plan::TargetContext& context) {
  const auto table = [&](auto zero) {
    using Number = decltype(zero);
    return rows_in_memory<Number>(with_constant<Number>(data, rows));
  };
  return target_of<Real>(density_for(kind, rows.size(), data.classes.size(), table, context.threads), a_step, a_step, std::move(names), context);
}

template <typename Real>
run::AnyTarget<Real> regression_from_npy(RegressionKind kind, const TableRequest& r, const plan::TargetContext& context) {
  if (r.holdout > 0)
    plan::refuse("holdout", "rows of a .npy file are not held out; write those to learn from into a file of their own");
  const NpyRows rows(r, kind, context.threads);
  const auto table = [&](auto zero) { return rows.table<decltype(zero)>(); };
  const std::size_t a_step = rows_a_step(r.data_batch, rows.count());
  auto any = target_of<Real>(density_for(kind, rows.count(), rows.classes().size(), table, context.threads), a_step, r.data_batch,
                             names_for(kind, rows.names(), rows.classes()), context);
  any.decided.emplace_back("label", rows.label());
  if (kind == RegressionKind::logistic)
    any.decided.emplace_back("positive", rows.positive());
  return any;
}

template run::AnyTarget<double> regression_from_rows(RegressionKind, const io::Dataset&, std::span<const std::uint32_t>,
                                                     std::size_t, std::vector<std::string>, const plan::TargetContext&);
template run::AnyTarget<float> regression_from_rows(RegressionKind, const io::Dataset&, std::span<const std::uint32_t>,
                                                    std::size_t, std::vector<std::string>, const plan::TargetContext&);
template run::AnyTarget<double> regression_from_npy(RegressionKind, const TableRequest&, const plan::TargetContext&);
template run::AnyTarget<float> regression_from_npy(RegressionKind, const TableRequest&, const plan::TargetContext&);

namespace {

plan::InBoth<plan::MakeTarget> prepare(const plan::Given& given, RegressionKind kind, io::Response response, const char* what) {
  const TableRequest r = read_table_request(given, what);
  return in_both([r, kind, response](auto zero, const plan::TargetContext& context) {
    using Real = decltype(zero);
    if (r.data.ends_with(".npy"))
      return regression_from_npy<Real>(kind, r, context);
    const io::Dataset data = load_scaled(r, response);
    if (r.data_batch > data.rows)
      reject("data-batch", fmt::format("at most the {} rows to learn from", data.rows), std::to_string(r.data_batch));
    std::vector<std::uint32_t> all(data.rows);
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    const std::size_t a_step = context.in_stages ? rows_a_step(r.data_batch, data.rows) : r.data_batch;
    auto any = regression_from_rows<Real>(kind, data, all, a_step, names_for(kind, data.names, data.classes), context);
    any.decided.emplace_back("label", r.label.empty() ? std::to_string(data.label_column) : r.label);
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
  return prepare(given, RegressionKind::multinomial, io::Response::classes, "multinomial regression");
}

} // namespace starling::assemble
