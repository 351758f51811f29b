// The columns that users read beside the positions, as the certificate follows them.
#pragma once

#include <starling/run/roles.hpp>
#include <starling/stages/settings.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace starling::run {

/// All that the model makes of positions, but for what it draws at random: that says nothing of a
/// cloud.
class FollowedColumns {
public:
  FollowedColumns() = default;
  explicit FollowedColumns(const AnyTarget<double>& target) : target_(&target) {
    if (!target.constrain)
      return;
    constexpr std::size_t copies = 32; // equal rows: unequal values are chance
    const std::vector<double> origin(copies * target.dim);
    const Constrained table = target.constrain({origin.data(), copies, target.dim});
    const std::size_t width = table.names.size();
    for (std::size_t a = 0; a < width; ++a) {
      bool chance = false;
      for (std::size_t i = 1; i < copies; ++i)
        chance = chance || std::abs(table.values[i * width + a] - table.values[a]) >
                               0; // not where both are NaN
      if (!chance)
        columns_.push_back(a);
    }
  }

  stages::ReadColumns read() const {
    stages::ReadColumns read;
    read.count = columns_.size();
    if (read.count > 0)
      read.of = [this](Rows<const double> x) {
        const Constrained table = target_->constrain(x);
        std::vector<double> values(x.count * columns_.size());
        double* next = values.data();
        for (std::size_t row = 0; row < table.values.size(); row += table.names.size())
          for (const std::size_t a : columns_)
            *next++ = table.values[row + a];
        return values;
      };
    return read;
  }

  /// The names of the positions, then those of these columns.
  std::vector<std::string> names(Rows<const double> any_row) const {
    std::vector<std::string> all = target_->names;
    if (!columns_.empty())
      for (const std::vector<std::string> read = target_->constrain(any_row).names;
           const std::size_t a : columns_)
        all.push_back(read[a]);
    return all;
  }

private:
  const AnyTarget<double>* target_ = nullptr;
  std::vector<std::size_t> columns_; // of all that the model makes
};

} // namespace starling::run
