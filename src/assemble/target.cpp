// The built-in targets, by name.
#include "assemble/names.hpp"
#include "assemble/roles.hpp"
#include "assemble/spec.hpp"
#include "io/dataset.hpp"
#include "io/errors.hpp"

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

#include <cmath>
#include <numeric>

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
AnyTarget<Real> mixture(const Recipe& r, Threads& threads) {
  const auto weights = parse_numbers("weights", r.weights);
  const auto means = split(r.means, ';');
  auto sds = parse_numbers("sds", r.sds);
  if (sds.size() == 1)
    sds.assign(means.size(), sds[0]);
  if (weights.size() != means.size() || sds.size() != means.size())
    reject("mixture", "of as many weights and sds as means, " + std::to_string(means.size()),
           fmt::format("{} weights and {} sds", weights.size(), sds.size()));
  std::vector<MixtureComponent> components;
  for (std::size_t c = 0; c < means.size(); ++c) {
    const auto mean = parse_numbers("means", means[c]);
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
AnyTarget<Real> normal(const Recipe& r, Threads& threads) {
  const auto d = static_cast<Eigen::Index>(r.dim);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(d, d, r.correlation);
  covariance.diagonal().setOnes();
  return wrap<Real>(Normal<Real>(Eigen::VectorXd::Zero(d), covariance, threads),
                    numbered("x", r.dim));
}

/// Features of the chosen rows, with the constant 1 appended.
template <typename Real>
std::shared_ptr<LabelledData<Real>> take_rows(const io::Dataset& data,
                                              std::span<const std::uint32_t> rows) {
  auto taken = std::make_shared<LabelledData<Real>>();
  const auto columns = static_cast<Eigen::Index>(data.columns);
  taken->features.resize(static_cast<Eigen::Index>(rows.size()), columns + 1);
  taken->labels.resize(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index r = 0; r < taken->labels.size(); ++r) {
    const std::size_t from = rows[static_cast<std::size_t>(r)];
    for (Eigen::Index c = 0; c < columns; ++c)
      taken->features(r, c) =
          static_cast<Real>(data.features[from * data.columns + static_cast<std::size_t>(c)]);
    taken->features(r, columns) = 1;
    taken->labels[r] = static_cast<Real>(data.labels[from]);
  }
  return taken;
}

template <typename Real>
AnyTarget<Real> logistic(const Recipe& r, Threads& threads) {
  io::Dataset data = io::load_dataset(r.data, {r.label, r.positive});
  if (data.rows > UINT32_MAX)
    throw io::BadData(r.data, "must have fewer than 2^32 rows");
  constexpr io::Scaling scalings[] = {io::Scaling::minmax, io::Scaling::standard,
                                      io::Scaling::none};
  try {
    io::scale(data, scalings[choose("scale", r.scale, {"minmax", "standard", "none"})]);
  } catch (const io::BadData& error) { // it does not know where the data came from
    throw io::BadData(r.data, error.what());
  }

  std::vector<std::uint32_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto test_rows = static_cast<std::size_t>(std::llround(r.holdout * double(data.rows)));
  if (test_rows >= data.rows)
    reject("holdout", "small enough to leave a row to learn from", fmt::format("{}", r.holdout));
  if (test_rows > 0)
    permute(order, Philox(r.seed), Stream::holdout, 0);
  const std::span<const std::uint32_t> rows(order);
  const auto train = take_rows<Real>(data, rows.subspan(test_rows));
  const auto learns_from = static_cast<std::size_t>(train->labels.size());
  if (r.data_batch > learns_from)
    reject("data-batch", fmt::format("at most the {} rows to learn from", learns_from),
           std::to_string(r.data_batch));
  const std::size_t batch =
      r.data_batch == 0 ? std::min<std::size_t>(100, learns_from) : r.data_batch;

  std::vector<std::string> names = numbered("w", data.columns + 1);
  names.push_back("log_alpha");
  auto any = wrap<Real>(
      LogisticRegression<Real, cpu::Algebra<Real>>(train, batch, r.seed, threads), std::move(names));
  if (test_rows > 0)
    any.hold_out = [test = take_rows<Real>(data, rows.first(test_rows)),
                    &threads](Rows<const Real> x) {
      const Prediction p = predict<Real, cpu::Algebra<Real>>(*test, x, threads);
      return HeldOut{p.accuracy, p.log_likelihood};
    };
  return any;
}

} // namespace

template <typename Real>
AnyTarget<Real> make_target(const Recipe& r, Threads& threads) {
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
  return logistic<Real>(r, threads);
}

template AnyTarget<double> make_target(const Recipe&, Threads&);
template AnyTarget<float> make_target(const Recipe&, Threads&);

} // namespace starling::assemble
