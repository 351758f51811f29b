// Data mini-batches: which rows of the data step k looks at. Not to be confused with the batches of
// particles.
#pragma once

#include <starling/random/permute.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace starling {

/// All rows in random order, cut into mini-batches; a new order for every pass. So every row is
/// visited exactly once per pass; the last mini-batch of a pass can be smaller.
class DataBatches {
public:
  DataBatches(std::uint64_t seed, std::size_t rows, std::size_t batch)
      : philox_(seed), batch_(batch), order_(rows) {
    if (rows == 0)
      reject("data", "at least one row", "none");
    if (batch == 0 || batch > rows)
      reject("data_batch", "between 1 and the number of rows, " + std::to_string(rows),
             std::to_string(batch));
  }

  Step steps_per_pass() const { return (order_.size() + batch_ - 1) / batch_; }

  /// The rows of step k: a function of k alone.
  std::span<const std::uint32_t> operator()(Step k) {
    const Step pass = k / steps_per_pass();
    if (pass != pass_)
      shuffle(pass);
    const std::size_t begin = static_cast<std::size_t>(k % steps_per_pass()) * batch_;
    return std::span(order_).subspan(begin, std::min(batch_, order_.size() - begin));
  }

private:
  void shuffle(Step pass) {
    pass_ = pass;
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    permute(order_, philox_, Stream::data_batch, pass);
  }

  Philox philox_;
  std::size_t batch_;
  std::vector<std::uint32_t> order_;
  Step pass_ = ~Step{0};
};

} // namespace starling
