// Rows of a regression on a machine, and sums over all or some of them.
#include "cuda/regression.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace starling::cuda {

namespace {

constexpr std::uint32_t most_ranges = 64, rows_of_range = 64; // at least so many rows
constexpr std::size_t particles_at_once = 1024, rows_sent_at_once = 65536;

template <typename Number>
class ResidentRows {
public:
  ResidentRows(const std::shared_ptr<Machine>& machine, const RegressionModel& model,
               const RowTable<Number>& table, std::size_t dim)
      : machine_(machine), table_(*machine, table.rows * table.features),
        responses_(*machine, table.rows) {
    work_.family = model.family;
    work_.predictors = static_cast<std::uint32_t>(model.predictors);
    work_.extras = static_cast<std::uint32_t>(model.extras);
    work_.features = static_cast<std::uint32_t>(table.features);
    work_.dim = static_cast<std::uint32_t>(dim);
    work_.table = table_.data();
    work_.responses = responses_.data();
    work_.rows = static_cast<std::uint32_t>(table.rows);
    std::vector<Number> room;
    for (std::size_t first = 0; first < table.rows; first += rows_sent_at_once) {
      const std::size_t last = std::min(table.rows, first + rows_sent_at_once);
      const auto block = table.block(first, last, room);
      machine_->upload(table_.data() + first * table.features, block.features,
                       (last - first) * table.features * sizeof(Number));
      machine_->upload(responses_.data() + first, block.responses, (last - first) * sizeof(Number));
    }
    machine_->wait();
  }

  Machine& machine() { return *machine_; }
  const RegressionWork<Number>& all() const { return work_; }

  /// Writes the sums over the rows of `work`; no score, or no log densities, where there is no room
  /// for them.
  void sum(RegressionWork<Number> work, Rows<const double> x, Rows<double> score,
           std::span<double> log_density) {
    for (std::size_t first = 0; first < x.count; first += particles_at_once) {
      const std::size_t last = std::min(x.count, first + particles_at_once);
      sum_of_some(work, x.slice(first, last), score.data ? score.slice(first, last) : score,
                  log_density.empty() ? log_density : log_density.subspan(first, last - first));
    }
  }

private:
  void sum_of_some(RegressionWork<Number>& work, Rows<const double> x, Rows<double> score,
                   std::span<double> log_density) {
    work.count = static_cast<std::uint32_t>(x.count);
    work.ranges = std::clamp(work.rows / rows_of_range, std::uint32_t{1}, most_ranges);
    grow(x_, x.size());
    grow(density_, work.ranges * x.count);
    if (score.data)
      grow(score_, work.ranges * x.size());
    x_.upload(x.data, x.size());
    work.x = x_.data();
    work.log_density = density_.data();
    work.score = score.data ? score_.data() : nullptr;
    if (!machine_->regression(work))
      throw std::invalid_argument(
          "device: this regression has too many weights for the GPU; use --device cpu");
    if (score.data)
      score_.download(score.data, x.size());
    if (!log_density.empty())
      density_.download(log_density.data(), x.count);
  }
  void grow(DeviceBuffer<double>& buffer, std::size_t n) {
    if (buffer.size() < n)
      buffer = DeviceBuffer<double>(*machine_, n);
  }

  std::shared_ptr<Machine> machine_; // before what lies on it
  DeviceBuffer<Number> table_, responses_;
  DeviceBuffer<double> x_, score_, density_;
  RegressionWork<Number> work_;
};

/// Some rows and their weights.
struct Picked {
  DeviceBuffer<std::uint32_t> rows;
  DeviceBuffer<double> weights;
};

void add_to(std::span<const double> from, std::span<double> to) {
  for (std::size_t n = 0; n < to.size(); ++n)
    to[n] += from[n];
}

} // namespace

template <typename Number>
std::shared_ptr<const RowDensity>
regression_on_card(const std::shared_ptr<Machine>& machine, const RegressionModel& model,
                   const RowTable<Number>& table, const RowDensity& host) {
  const auto there = std::make_shared<ResidentRows<Number>>(machine, model, table, host.dim);
  auto made = std::make_shared<RowDensity>(host);
  const DensityOfRows prior = host.prior;
  made->all = [there, prior](Rows<const double> x, Rows<double> score,
                             std::span<double> log_density) {
    std::vector<double> slopes(x.size()), values(x.count);
    there->sum(there->all(), x, {slopes.data(), x.count, x.dim}, values);
    prior(x, score, log_density);
    add_to(slopes, {score.data, score.size()});
    add_to(values, log_density);
  };
  made->values = [there, prior](Rows<const double> x, std::span<double> log_density) {
    std::vector<double> slopes(x.size()), values(x.count);
    there->sum(there->all(), x, {nullptr, 0, x.dim}, values);
    prior(x, {slopes.data(), x.count, x.dim}, log_density);
    add_to(values, log_density);
  };
  made->some = [there](RowNumbers rows, std::span<const double> weights) -> DensityOfRows {
    Machine& on = there->machine();
    auto picked = std::make_shared<Picked>(Picked{DeviceBuffer<std::uint32_t>(on, rows.size()),
                                                  DeviceBuffer<double>(on, rows.size())});
    picked->rows.upload(rows.data(), rows.size());
    picked->weights.upload(weights.data(), rows.size());
    on.wait(); // the caller may give them up
    return
        [there, picked](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
          RegressionWork<Number> work = there->all();
          work.picked = picked->rows.data();
          work.weights = picked->weights.data();
          work.rows = static_cast<std::uint32_t>(picked->rows.size());
          there->sum(work, x, score, log_density);
        };
  };
  return made;
}

template std::shared_ptr<const RowDensity> regression_on_card(const std::shared_ptr<Machine>&,
                                                              const RegressionModel&,
                                                              const RowTable<float>&,
                                                              const RowDensity&);
template std::shared_ptr<const RowDensity> regression_on_card(const std::shared_ptr<Machine>&,
                                                              const RegressionModel&,
                                                              const RowTable<double>&,
                                                              const RowDensity&);

} // namespace starling::cuda
