// Logistic regression on a table: from a file to a target.
#include "assemble/labelled_rows.hpp"
#include "assemble/wrap.hpp"
#include "io/dataset.hpp"
#include "io/errors.hpp"
#include "plan/names.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/error.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/start.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/prediction.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starling::assemble {

namespace {

/// What was asked for, read once.
struct Request {
  std::string data, label, positive, drop;
  io::Scaling scaling = io::Scaling::minmax;
  std::uint64_t data_batch = 0; ///< 0: 100, or all if fewer
  double holdout = 0;
};

template <typename Real>
run::AnyTarget<Real> logistic(const Request& r, const plan::TargetContext& context) {
  Threads& threads = context.threads;
  io::Dataset data = io::load_dataset(r.data, {r.label, r.positive, r.drop});
  if (data.rows > UINT32_MAX)
    throw io::BadData(r.data, "must have fewer than 2^32 rows");
  try {
    io::scale(data, r.scaling);
  } catch (const io::BadData& error) { // it does not know where the data came from
    throw io::BadData(r.data, error.what());
  }

  std::vector<std::uint32_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto test_rows = static_cast<std::size_t>(std::llround(r.holdout * double(data.rows)));
  if (test_rows >= data.rows)
    reject("holdout", "small enough to leave a row to learn from", fmt::format("{}", r.holdout));
  if (test_rows > 0)
    permute(order, Philox(context.data_seed), Stream::holdout, 0);
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
      LogisticRegression<Real, cpu::Algebra<Real>>(train, batch, context.seed, threads), std::move(names));
  if (test_rows > 0)
    any.hold_out = [test = with_constant<Real>(data, rows.first(test_rows)),
                    &threads](Rows<const Real> x) {
      const Prediction p = predict<Real, cpu::Algebra<Real>>(*test, x, threads);
      return run::HeldOut{p.accuracy, p.log_likelihood};
    };
  any.decided = {{"label", r.label.empty() ? std::to_string(data.label_column) : r.label}, {"positive", data.positive}, {"data-batch", std::to_string(batch)}};
  return any;
}

} // namespace

plan::InBoth<plan::MakeTarget> prepare_logistic(const plan::Given& given) {
  Request r;
  r.data = plan::text(given, "data");
  if (r.data.empty())
    plan::refuse("data", "logistic regression needs a table: --data FILE");
  r.label = plan::text(given, "label");
  r.positive = plan::text(given, "positive");
  r.drop = plan::text(given, "drop");
  const std::string& scale = plan::text(given, "scale");
  r.scaling = scale == "minmax" ? io::Scaling::minmax : scale == "standard" ? io::Scaling::standard : io::Scaling::none;
  r.data_batch = plan::count(given, "data-batch");
  r.holdout = plan::number(given, "holdout");
  return in_both([r](auto zero, const plan::TargetContext& context) {
    using Real = decltype(zero);
    auto any = logistic<Real>(r, context);
    any.start = [seed = context.seed](Rows<Real> x) { start_from_prior(x, seed); };
    return any;
  });
}

} // namespace starling::assemble
