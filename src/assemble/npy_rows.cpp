// Rows of a .npy file: the pass that learns their ranges.
#include "assemble/npy_rows.hpp"

#include "io/columns.hpp"
#include "io/errors.hpp"
#include "plan/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace starling::assemble {

namespace {

constexpr std::size_t block = 4096, ranges = 64, most_values = 100;

/// What one stretch of rows has.
struct Seen {
  std::vector<double> low, high, sum, square; ///< of every column
  std::set<double> values;                    ///< of the response; more than 100: 101
  bool finite = true, counts = true;
};

Seen look(const io::RowFile& file, std::size_t first, std::size_t last, std::size_t response,
          bool gather) {
  const std::size_t wide = file.columns();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Seen seen{std::vector<double>(wide, infinite),
            std::vector<double>(wide, -infinite),
            std::vector<double>(wide),
            std::vector<double>(wide),
            {},
            true,
            true};
  std::vector<double> rows, origin;
  file.read(0, 1, origin); // sums of squares around a place near the mean
  for (std::size_t r = first; r < last; r += block) {
    file.read(r, std::min(last, r + block), rows);
    for (std::size_t at = 0; at < rows.size(); at += wide) {
      for (std::size_t c = 0; c < wide; ++c) {
        const double value = rows[at + c], off = value - origin[c];
        seen.low[c] = std::min(seen.low[c], value);
        seen.high[c] = std::max(seen.high[c], value);
        seen.sum[c] += off;
        seen.square[c] += off * off;
        seen.finite = seen.finite && std::isfinite(value);
      }
      const double y = rows[at + response];
      seen.counts = seen.counts && y >= 0 && y == std::floor(y);
      if (gather && seen.values.size() <= most_values)
        seen.values.insert(y);
    }
  }
  return seen;
}

} // namespace

std::vector<double> NpyRows::responses() const {
  constexpr std::size_t at_once = 4096;
  const RowTable<double> all = table<double>();
  std::vector<double> found, room;
  for (std::size_t first = 0; first < all.rows; first += at_once) {
    const std::size_t last = std::min(all.rows, first + at_once);
    const double* these = all.block(first, last, room).responses;
    found.insert(found.end(), these, these + (last - first));
  }
  return found;
}

io::TableUse NpyRows::use() const {
  io::TableUse use;
  use.label = fmt::format("x{}", shape_->response + 1);
  use.classes = positive_.empty() ? classes_ : std::vector<std::string>{"other", positive_};
  for (const std::string& name : names_)
    use.columns.push_back({name});
  use.rows = count();
  return use;
}

double NpyRows::Shape::answer(double y) const {
  if (binary)
    return y == positive ? 1.0 : 0.0;
  if (values.empty())
    return y;
  return static_cast<double>(std::lower_bound(values.begin(), values.end(), y) - values.begin());
}

NpyRows::NpyRows(const TableRequest& r, RegressionKind kind, Threads& threads)
    : shape_(std::make_shared<Shape>()) {
  Shape& s = *shape_;
  s.file = std::make_shared<io::RowFile>(r.data);
  const std::size_t wide = s.file->columns(), rows = s.file->rows();
  std::vector<std::string> all;
  for (std::size_t c = 0; c < wide; ++c)
    all.push_back(fmt::format("x{}", c + 1));
  s.response = io::find_label(r.data, r.label, all, false);
  const std::vector<bool> dropped = io::find_dropped(r.data, r.drop, all, false, s.response);
  const bool gather = kind == RegressionKind::logistic || kind == RegressionKind::multinomial;

  std::vector<Seen> parts(std::min(ranges, (rows + block - 1) / block));
  threads.for_pieces(parts.size(), 1, [&](std::size_t q, std::size_t) {
    parts[q] =
        look(*s.file, rows * q / parts.size(), rows * (q + 1) / parts.size(), s.response, gather);
  });
  Seen seen = parts[0];
  for (std::size_t q = 1; q < parts.size(); ++q) {
    for (std::size_t c = 0; c < wide; ++c) {
      seen.low[c] = std::min(seen.low[c], parts[q].low[c]);
      seen.high[c] = std::max(seen.high[c], parts[q].high[c]);
      seen.sum[c] += parts[q].sum[c];
      seen.square[c] += parts[q].square[c];
    }
    seen.values.insert(parts[q].values.begin(), parts[q].values.end());
    seen.finite = seen.finite && parts[q].finite;
    seen.counts = seen.counts && parts[q].counts;
  }
  if (!seen.finite)
    throw io::BadData(r.data, "must have finite numbers only");
  if (kind == RegressionKind::poisson && !seen.counts)
    throw io::BadData(r.data,
                      "label " + all[s.response] + ": must be a whole number from 0 in every row");
  if (gather && (seen.values.size() < 2 || seen.values.size() > most_values))
    throw io::BadData(
        r.data, fmt::format("label {}: must have 2 to {} values", all[s.response], most_values));
  if (kind == RegressionKind::multinomial) {
    s.values.assign(seen.values.begin(), seen.values.end());
    for (const double value : s.values)
      classes_.push_back(fmt::format("{}", value));
  }
  if (kind == RegressionKind::logistic) {
    s.binary = true;
    s.positive =
        r.positive.empty() ? *seen.values.rbegin() : plan::parse_number("positive", r.positive);
    if (r.positive.empty() && seen.values.size() > 2)
      throw io::BadData(r.data,
                        fmt::format("label {}: has {} classes; give --positive VALUE to choose one",
                                    all[s.response], seen.values.size()));
    if (!seen.values.contains(s.positive))
      throw io::BadData(r.data,
                        fmt::format("label {}: has no value {}", all[s.response], r.positive));
    positive_ = fmt::format("{}", s.positive);
  }
  std::vector<double> origin;
  s.file->read(0, 1, origin);
  for (std::size_t c = 0; c < wide; ++c) {
    if (c == s.response || dropped[c])
      continue;
    s.columns.push_back(c);
    names_.push_back(all[c]);
    const auto n = static_cast<double>(rows);
    const double mean = seen.sum[c] / n, variance = seen.square[c] / n - mean * mean;
    if (r.scaling != io::Scaling::none && !(seen.high[c] > seen.low[c]))
      throw io::BadData(r.data, "column " + all[c] + ": is constant; drop it or use --scale none");
    s.shift.push_back(r.scaling == io::Scaling::none     ? 0
                      : r.scaling == io::Scaling::minmax ? seen.low[c]
                                                         : origin[c] + mean);
    s.factor.push_back(r.scaling == io::Scaling::none     ? 1
                       : r.scaling == io::Scaling::minmax ? 1 / (seen.high[c] - seen.low[c])
                                                          : 1 / std::sqrt(variance));
  }
}

} // namespace starling::assemble
