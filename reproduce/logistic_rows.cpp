// Rows for logistic regression: Covertype as the paper used it, or rows made up in its shape.
#include "logistic_rows.hpp"

#include "assemble/labelled_rows.hpp"
#include "io/dataset.hpp"

#include <starling/random/permute.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace starling::reproduce {

namespace {

/// Rows with the same features other than zero together, which makes predictions quick; the classes
/// (wilderness, soil) are the last columns and decide first.
void put_classes_together(const io::Dataset& data, std::span<std::uint32_t> rows) {
  std::vector<std::uint64_t> pattern(data.rows);
  for (const std::uint32_t r : rows)
    for (std::size_t c = 0; c < data.columns; ++c)
      if (data.features[std::size_t{r} * data.columns + c] != 0)
        pattern[r] |= std::uint64_t{1} << (c % 64);
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t r) { return pattern[r]; });
}

} // namespace

template <typename Real>
Covertype<Real> load_covertype(const std::filesystem::path& file, std::uint64_t seed) {
  if (file.empty())
    reject("covertype", "the Covertype data file (--covertype FILE)", "none");
  io::Dataset data = io::load_dataset(file, {"", "2"}); // the class is the last column
  io::scale(data, io::Scaling::minmax);
  std::vector<std::uint32_t> order(data.rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  permute(order, Philox(seed), Stream::holdout, 0);
  const std::span<std::uint32_t> rows(order);
  const auto test = static_cast<std::size_t>(std::llround(0.2 * static_cast<double>(data.rows)));
  put_classes_together(data, rows.first(test));
  return {assemble::with_constant<Real>(data, rows.subspan(test)),
          assemble::with_constant<Real>(data, rows.first(test))};
}

template Covertype<double> load_covertype(const std::filesystem::path&, std::uint64_t);
template Covertype<float> load_covertype(const std::filesystem::path&, std::uint64_t);

std::shared_ptr<const LabelledData<double>> made_up_rows(std::size_t rows) {
  auto data = std::make_shared<LabelledData<double>>();
  data->features.resize(static_cast<Eigen::Index>(rows), 55);
  data->labels.resize(static_cast<Eigen::Index>(rows));
  const Philox philox(7);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto at = static_cast<Eigen::Index>(r);
    double logit = 0;
    for (Eigen::Index c = 0; c < 54; ++c) {
      data->features(at, c) = uniform(philox(Stream::synthetic, static_cast<Step>(c), r));
      logit += data->features(at, c) * (c % 2 ? 1.0 : -1.0);
    }
    data->features(at, 54) = 1;
    data->labels[at] = uniform(philox(Stream::synthetic, 54, r)) < 1 / (1 + std::exp(-logit));
  }
  return data;
}

} // namespace starling::reproduce
