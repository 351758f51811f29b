// Tables for regressions, from the usual text formats: features as numbers, labels as 0 and 1 or as
// they are.
#pragma once

#include "io/table_use.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace starling::io {

/// n rows of features with one label each.
struct Dataset {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> features; ///< rows x columns, row-major
  std::vector<double> labels; ///< 1 for the positive class, 0 for the rest; or what `Response` says
  std::vector<std::string> names; ///< of the features: from the header, or x1, x2, ... by position;
                                  ///< "COLUMN=LEVEL" of a category
  std::string label_name;
  std::size_t label_column = 0; ///< of the file, from 0
  std::string positive;         ///< the value that became 1, as it first stands in the file
  std::string negative;         ///< the other one; empty when there are several
  std::size_t positives = 0;    ///< how many labels are 1
  std::vector<std::string> dropped;
  std::vector<std::string> classes; ///< what the labels 0, 1, ... of Response::classes stand for
  TableUse use;                     ///< what the features were made of
  /// What `scale` did: a feature is (value - shift) * factor. Empty: nothing.
  std::vector<double> shift, factor;
};

/// What labels are read as.
enum class Response {
  binary,  ///< 0 and 1
  number,  ///< finite numbers
  count,   ///< whole numbers from 0
  classes, ///< 0, 1, ... for the values in their order
};

/// Which column is the label, and which of its values counts as 1.
struct LabelChoice {
  /// A name of the header, or else an index: from 0 at the front, from -1 (the last) at the back.
  /// Empty: the last column. In LIBSVM files the label is always first, so only empty or 0 will do.
  std::string label;
  /// The value that becomes 1; all others become 0. Empty: the larger of exactly two values.
  std::string positive;
  /// Columns to leave out, as "NAME,NAME": names of the header or indices as for the label; a name
  /// with a comma in it stands in double quotes.
  std::string drop = {};
  Response response = Response::binary;
  std::string category = {}; ///< columns to take as categories, as `drop` names them
  /// "COLUMN=LEVEL,COLUMN=LEVEL": what the others are compared with; otherwise the first in order.
  std::string base = {};
  bool drop_missing = false;    ///< leave out rows with missing values; otherwise they are refused
  bool refuse_constant = false; ///< numbers that are all the same, with all else that is refused
};

/// Reads csv (separated by commas, semicolons, tabs or blanks; quotes allowed; with or without a
/// header), UCI's covtype.data or LIBSVM ("label index:value ...", indices from 1, # starts a
/// comment), each plain, gzip or xz. The format is told by the content. The first line is a header
/// when none of its fields is a number. Blank lines are passed over. Names that are not UTF-8 are
/// taken as Latin-1; of two columns of one name the second is "NAME (column 5)".
///
/// Labels that are all numbers are compared as numbers ("2" is "2.0"), otherwise as strings. A
/// column without any number is one of categories, unless it holds dates, or many different texts.
/// Throws InputMissing, or BadData with line and column; when several columns or values cannot be
/// used, with all of them at once.
Dataset load_dataset(const std::filesystem::path& file, const LabelChoice& choice = {});

enum class Scaling {
  minmax,   ///< each feature to [0, 1]
  standard, ///< each feature to mean 0 and variance 1 (divided by n)
  none
};

/// Scales the features in place, and says how in `shift` and `factor`. A constant feature has no
/// scale: BadData naming all of them, and the features are as they were.
void scale(Dataset& data, Scaling scaling);

} // namespace starling::io
