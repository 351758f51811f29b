// Logistic regression on a table: from a file to a target.
#include "cuda/logistic.hpp"
#include "assemble/also_on_card.hpp"
#include "assemble/regression.hpp"
#include "assemble/row_target.hpp"
#include "assemble/table.hpp"
#include "assemble/wrap.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/random/start.hpp>
#include <starling/target/logistic_regression.hpp>
#include <starling/target/prediction.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace starling::assemble {

namespace {

static_assert(cuda::prior_rate_of_alpha == LogisticRegression<double>::prior_rate);

template <typename Real>
run::AnyTarget<Real> logistic(const TableRequest& r, const plan::TargetContext& context) {
  Threads& threads = context.threads;
  if (r.data.ends_with(".npy"))
    return regression_from_npy<Real>(RegressionKind::logistic, r, context);
  const SharedTable table(r, io::Response::binary, context);
  const LabelledView<Real> test = table.test<Real>();
  const std::size_t learns_from = table.learns_from();
  const std::size_t batch =
      r.data_batch == 0 ? std::min<std::size_t>(100, learns_from) : r.data_batch;

  std::vector<std::string> names;
  for (const std::string& column : table.names())
    names.push_back(fmt::format("w[{}]", column));
  names.insert(names.end(), {"intercept", "log_alpha"}); // the constant is the last feature
  const std::size_t a_step = context.in_stages ? rows_a_step(r.data_batch, learns_from) : 0;
  run::AnyTarget<Real> any;
  if (a_step > 0) {
    any = regression_from_table<Real>(RegressionKind::logistic, table, a_step, names, context);
  } else {
    const LabelledView<Real> rows = table.to_learn_from<Real>();
    any =
        wrap<Real>(LogisticRegression<Real, cpu::Algebra<Real>>(rows, batch, context.seed, threads),
                   std::move(names));
    any.climb_from = logistic_climb_from(rows, threads);
    auto there = std::make_shared<cuda::Outside<Real>>(*cuda::logistic_on_card<Real>(
        {rows.features, rows.labels, rows.rows, rows.weights, rows.owner}, batch, context.seed));
    there->rows = logistic_rows_on_card(rows, threads);
    also_on_card<Real>(any, there);
  }
  if (table.held_out() > 0)
    any.hold_out = [test, &threads](Rows<const Real> x) {
      const Prediction p = predict<Real, cpu::Algebra<Real>>(test, x, threads);
      return run::HeldOut{p.accuracy, p.log_likelihood};
    };
  table.describe(any, weight_blocks(RegressionKind::logistic, 2));
  any.log_constant = left_out(RegressionKind::logistic, any.dim, {});
  if (!context.in_stages)
    any.step_share = double(batch) / double(learns_from);
  any.decided = {{"label", table.label()},
                 {"positive", table.positive()},
                 {"data-batch", std::to_string(a_step > 0          ? a_step
                                               : context.in_stages ? learns_from
                                                                   : batch)}};
  return any;
}

} // namespace

plan::InBoth<plan::MakeTarget> prepare_logistic(const plan::Given& given) {
  const TableRequest r = read_table_request(given, "logistic regression");
  return in_both([r](auto zero, const plan::TargetContext& context) {
    using Real = decltype(zero);
    auto any = logistic<Real>(r, context);
    any.start = [seed = context.seed](Rows<Real> x) { start_from_prior(x, seed); };
    return any;
  });
}

} // namespace starling::assemble
