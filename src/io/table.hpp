// What the text formats share: features parsed, labels still as they stand in the text.
#pragma once

#include "io/dataset.hpp"
#include "io/raw_rows.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// A parsed table. The labels point into the text, which must outlive it.
struct Table {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> features;
  std::vector<std::string_view> labels;
  std::vector<std::string> names;
  std::string label_name;
  std::size_t label_column = 0;
  std::vector<std::string> dropped;
  std::vector<ColumnUse> uses; ///< what the features were made of
  std::size_t left_out = 0;    ///< rows with missing values
};

/// One record per line, fields parted by one kind of separator.
Table parse_delimited(const std::filesystem::path& file, std::string_view text,
                      const LabelChoice& choice);

/// Features from rows as they were read: numbers as they are, texts as categories, rows with
/// missing values left out where that is asked for. Throws BadData that names all columns which
/// cannot be used, with counts, first lines and what to do.
Table features_of(const std::filesystem::path& file, RawRows raw, const LabelChoice& choice);

/// How people and programs write that there is nothing: empty, NA, NaN and the like; in a column of
/// numbers also None, ?, . and -, which could be the name of a category.
bool is_missing(std::string_view field, bool among_numbers);

/// Whether the first lines read "label index:value ...".
bool looks_like_libsvm(std::string_view text);

Table parse_libsvm(const std::filesystem::path& file, std::string_view text,
                   const LabelChoice& choice);

/// Labels as 0 and 1, and what these stand for.
struct BinaryLabels {
  std::vector<double> values;
  std::string positive, negative;
  std::size_t positives = 0;
};

/// `positive` as in LabelChoice.
BinaryLabels binary_labels(const std::filesystem::path& file, const std::string& label_name,
                           const std::vector<std::string_view>& labels,
                           const std::string& positive);

/// Labels that are numbers, or counts. Throws BadData that names the first that is none.
std::vector<double> number_labels(const std::filesystem::path& file, const std::string& label_name,
                                  const std::vector<std::string_view>& labels, bool counts);

/// Labels as 0, 1, ... in the order of their values, and these as texts.
std::vector<double> class_labels(const std::filesystem::path& file, const std::string& label_name,
                                 const std::vector<std::string_view>& labels,
                                 std::vector<std::string>& classes);

} // namespace starling::io
