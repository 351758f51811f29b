// Rows of data on a machine, and which of them a step sees.
#include "cuda/logistic.hpp"

#include <starling/target/data_batches.hpp>

#include <algorithm>

namespace starling::cuda {

namespace {

template <typename Real>
class Resident {
public:
  Resident(const std::shared_ptr<Machine>& machine, const LabelledRows<Real>& data,
           std::size_t batch, std::uint64_t seed)
      : machine_(machine), batches_(seed, data.rows, batch), batch_(batch), rows_(data.rows),
        features_(*machine, data.rows * data.weights), labels_(*machine, rows_),
        order_(*machine, batch < rows_ ? rows_ : 0) {
    features_.upload(data.features, features_.size());
    labels_.upload(data.labels, rows_);
    machine_->wait();
  }

  void score(Step k, const Real* x, Real* s, std::size_t count, std::size_t dim) {
    LogisticWork<Real> work;
    work.count = static_cast<std::uint32_t>(count);
    work.dim = static_cast<std::uint32_t>(dim);
    work.x = x;
    work.s = s;
    work.features = features_.data();
    work.labels = labels_.data();
    work.rows = static_cast<std::uint32_t>(rows_);
    if (batch_ < rows_) { // all of them need no order
      const Step in_pass = k % batches_.steps_per_pass(), pass = k / batches_.steps_per_pass();
      if (pass != pass_)
        put(pass);
      const std::size_t begin = static_cast<std::size_t>(in_pass) * batch_,
                        rows = std::min(batch_, rows_ - begin);
      work.picked = order_.data() + begin;
      work.rows = static_cast<std::uint32_t>(rows);
      work.scale = static_cast<Real>(rows_) / static_cast<Real>(rows);
    }
    machine_->sweeps(Real()).logistic(work);
  }

private:
  /// A pass through the data goes down as one list.
  void put(Step pass) {
    const std::uint32_t* order =
        batches_(pass * batches_.steps_per_pass()).data(); // its mini-batches lie one after another
    order_.upload(order, rows_);
    machine_->wait(); // the list is drawn anew in the same place
    pass_ = pass;
  }

  std::shared_ptr<Machine> machine_; // before what lies on it
  DataBatches batches_;
  std::size_t batch_, rows_;
  DeviceBuffer<Real> features_, labels_;
  DeviceBuffer<std::uint32_t> order_;
  Step pass_ = ~Step{0};
};

} // namespace

template <typename Real>
std::shared_ptr<const Outside<Real>> logistic_on_card(LabelledRows<Real> data,
                                                      std::size_t data_batch, std::uint64_t seed) {
  auto outside = std::make_shared<Outside<Real>>();
  outside->on = [data, data_batch,
                 seed](const std::shared_ptr<Machine>& machine) -> OutsideScore<Real> {
    const auto there = std::make_shared<Resident<Real>>(machine, data, data_batch, seed);
    return [there](Step k, const Real* x, Real* s, Real*, std::size_t count, std::size_t dim) {
      there->score(k, x, s, count, dim);
    };
  };
  return outside;
}

template std::shared_ptr<const Outside<double>> logistic_on_card(LabelledRows<double>, std::size_t,
                                                                 std::uint64_t);
template std::shared_ptr<const Outside<float>> logistic_on_card(LabelledRows<float>, std::size_t,
                                                                std::uint64_t);

} // namespace starling::cuda
