// A table that the ranks of a machine share: the first of them reads it, and all of them see its
// numbers.
#pragma once

#include "assemble/regression.hpp"
#include "mpi/wire.hpp"

#include <starling/target/logistic_regression.hpp>

#include <memory>
#include <string>
#include <vector>

namespace starling::assemble {

/// Read, scaled and split on the first rank of each machine; where nobody knows machines, on each
/// rank. All ranks of a machine make one, and ask it for the same rows in the same order; what
/// fails on one of them, all of them throw.
class SharedTable {
public:
  SharedTable(const TableRequest& request, io::Response response,
              const plan::TargetContext& context);

  const std::vector<std::string>& names() const {
    return names_;
  } ///< of the features, without the constant
  const std::vector<std::string>& classes() const { return classes_; }
  const std::string& label() const { return label_; } ///< its column, as asked for or by its number
  const std::string& positive() const { return positive_; }
  std::size_t learns_from() const { return learns_from_; } ///< rows
  std::size_t held_out() const { return held_out_; }

  /// Draws in the table's units, `table` of summary.json, and a warning where rows were left out.
  template <typename Real>
  void describe(run::AnyTarget<Real>& any, std::size_t blocks) const {
    in_user_units(any, blocks, scales_);
    any.table = use_;
    if (!left_out_.empty())
      any.warnings = [found = left_out_] { return std::vector{found}; };
  }

  /// Rows with the constant 1 as the last feature, in memory that they keep: common to the ranks of
  /// the machine where they have such, else a copy each.
  template <typename Number>
  LabelledView<Number> to_learn_from() const;
  template <typename Number>
  LabelledView<Number> test() const; ///< those that are held out; nothing where there are none

private:
  template <typename Number>
  LabelledView<Number> laid_out(std::size_t count, std::span<const std::uint32_t> rows) const;

  std::shared_ptr<mpi::Wire> machine_;
  std::vector<std::string> names_, classes_;
  std::string label_, positive_;
  std::string use_;      // io::TableUse as JSON
  std::string left_out_; // rows with missing values, in a sentence
  ColumnScales scales_;
  std::size_t learns_from_ = 0, held_out_ = 0;
  io::Dataset data_; // empty but on the first rank, as its rows are
  SplitRows rows_;
};

} // namespace starling::assemble
