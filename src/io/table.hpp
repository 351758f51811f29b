// What the text formats share: features parsed, labels still as they stand in the text.
#pragma once

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
};

/// One record per line, fields parted by one kind of separator; `label` and `drop` as in
/// LabelChoice.
Table parse_delimited(const std::filesystem::path& file, std::string_view text,
                      const std::string& label, const std::string& drop);

/// Whether the first lines read "label index:value ...".
bool looks_like_libsvm(std::string_view text);

Table parse_libsvm(const std::filesystem::path& file, std::string_view text,
                   const std::string& label, const std::string& drop);

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
