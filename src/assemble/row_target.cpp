// Targets made of rows of data.
#include "assemble/row_target.hpp"

#include "foreign/in_double.hpp"

#include <starling/error.hpp>
#include <starling/target/data_batches.hpp>

#include <algorithm>

namespace starling::assemble {

namespace {

constexpr std::size_t usual_rows = 1000, usual_mini_batch = 100;

/// Rows as foreign::InDouble takes a model: all of them, or for the raw method the mini-batch of
/// the step.
class RowModel {
public:
  RowModel(std::shared_ptr<const RowDensity> density, std::uint64_t seed, std::size_t batch)
      : density_(std::move(density)), batches_(seed, density_->rows, batch) {}

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
};

template <typename Real>
class RowTarget : public foreign::InDouble<Real, RowModel> {
public:
  explicit RowTarget(std::shared_ptr<RowModel> model)
      : foreign::InDouble<Real, RowModel>(model), model_(std::move(model)) {}
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    const std::vector<double> at(x.begin(), x.end());
    std::vector<double> to(x.size());
    model_->score(k, {at.data(), x.count, x.dim}, {to.data(), x.count, x.dim});
    std::transform(to.begin(), to.end(), score.begin(),
                   [](double s) { return static_cast<Real>(s); });
  }

private:
  std::shared_ptr<RowModel> model_;
};

} // namespace

std::size_t rows_a_step(std::uint64_t asked, std::size_t rows) {
  if (asked > 0)
    return asked < rows ? asked : 0;
  return rows >= many_rows ? usual_rows : 0;
}

template <typename Real>
run::AnyTarget<Real> row_target(std::shared_ptr<const RowDensity> density, std::size_t a_step,
                                std::uint64_t mini_batch, std::vector<std::string> names,
                                const plan::TargetContext& context) {
  const std::size_t mini = mini_batch > 0 ? mini_batch : std::min(usual_mini_batch, density->rows);
  auto any = wrap<Real>(RowTarget<Real>(std::make_shared<RowModel>(density, context.seed, mini)),
                        std::move(names));
  any.climb_from = density->climb_from;
  if (a_step > 0 && context.in_stages) {
    any.rows = density;
    any.rows_a_step = a_step;
  }
  if (!context.in_stages)
    any.step_share = double(mini) / double(density->rows);
  any.decided = {{"data-batch", std::to_string(!context.in_stages ? mini
                                               : a_step > 0       ? a_step
                                                                  : density->rows)}};
  return any;
}

template run::AnyTarget<double> row_target(std::shared_ptr<const RowDensity>, std::size_t,
                                           std::uint64_t, std::vector<std::string>,
                                           const plan::TargetContext&);
template run::AnyTarget<float> row_target(std::shared_ptr<const RowDensity>, std::size_t,
                                          std::uint64_t, std::vector<std::string>,
                                          const plan::TargetContext&);

} // namespace starling::assemble
