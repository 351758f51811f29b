// Rows of a .npy file as a regression takes them: one column the response, the others scaled, and
// the constant.
#pragma once

#include "assemble/regression.hpp"
#include "io/row_file.hpp"

#include <starling/target/regression.hpp>

#include <memory>

namespace starling::assemble {

/// One pass over the file finds the range of every column and the values of the response; blocks
/// are scaled as they are read.
class NpyRows {
public:
  NpyRows(const TableRequest& request, RegressionKind kind, Threads& threads);

  std::size_t count() const { return shape_->file->rows(); }
  const std::vector<std::string>& names() const { return names_; } ///< of the features
  const std::vector<std::string>& classes() const {
    return classes_;
  } ///< of a multinomial regression
  std::string label() const { return std::to_string(shape_->response); }
  const std::string& positive() const { return positive_; }

  /// One pass over the file.
  std::vector<double> responses() const;
  ColumnScales scales() const { return {shape_->shift, shape_->factor}; }
  io::TableUse use() const;

  template <typename Number>
  RowTable<Number> table() const {
    RowTable<Number> made;
    made.rows = count();
    made.features = shape_->columns.size() + 1;
    made.block = [shape = shape_](std::size_t first, std::size_t last, std::vector<Number>& room) {
      thread_local std::vector<double> raw;
      shape->file->read(first, last, raw);
      const std::size_t rows = last - first, wide = shape->columns.size() + 1,
                        all = shape->file->columns();
      room.resize(rows * (wide + 1));
      Number* responses = room.data() + rows * wide;
      for (std::size_t r = 0; r < rows; ++r) {
        const double* from = raw.data() + r * all;
        Number* to = room.data() + r * wide;
        for (std::size_t c = 0; c + 1 < wide; ++c)
          to[c] =
              static_cast<Number>((from[shape->columns[c]] - shape->shift[c]) * shape->factor[c]);
        to[wide - 1] = 1;
        responses[r] = static_cast<Number>(shape->answer(from[shape->response]));
      }
      return typename RowTable<Number>::Block{room.data(), responses};
    };
    return made;
  }

private:
  struct Shape {
    std::shared_ptr<io::RowFile> file;
    std::size_t response = 0;         // the column
    std::vector<std::size_t> columns; // of the features
    std::vector<double> shift, factor;
    std::vector<double> values; // of the response, in order, where it stands for classes
    double positive = 1;
    bool binary = false;

    double answer(double y) const;
  };

  std::shared_ptr<Shape> shape_;
  std::vector<std::string> names_, classes_;
  std::string positive_;
};

} // namespace starling::assemble
