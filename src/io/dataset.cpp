// Loads a data set: tells the format, parses, and turns the labels into 0 and 1.
#include "io/dataset.hpp"

#include "io/errors.hpp"
#include "io/table.hpp"
#include "io/text.hpp"

#include <utility>

namespace starling::io {

namespace {

/// Tables in binary form that Python reads.
void refuse_foreign_tables(const std::filesystem::path& file, const std::string& text) {
  if (text.starts_with("PAR1") || text.starts_with("ARROW1"))
    throw BadData(file, "is a Parquet or Arrow file, which Python reads: starling.builtin(..., "
                        "data=FILE); or write it as csv");
}

} // namespace

Dataset load_dataset(const std::filesystem::path& file, const LabelChoice& choice) {
  const std::string text = read_text(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadData(file, "is empty");
  refuse_foreign_tables(file, text);
  Table table = looks_like_libsvm(text) ? parse_libsvm(file, text, choice)
                                        : parse_delimited(file, text, choice);
  Dataset data;
  if (choice.response == Response::binary) {
    BinaryLabels labels = binary_labels(file, table.label_name, table.labels, choice.positive);
    data.labels = std::move(labels.values);
    data.positive = std::move(labels.positive);
    data.negative = std::move(labels.negative);
    data.positives = labels.positives;
  } else if (choice.response == Response::classes) {
    data.labels = class_labels(file, table.label_name, table.labels, data.classes);
  } else {
    data.labels =
        number_labels(file, table.label_name, table.labels, choice.response == Response::count);
  }
  data.rows = table.rows;
  data.columns = table.columns;
  data.features = std::move(table.features);
  data.names = std::move(table.names);
  data.label_name = std::move(table.label_name);
  data.label_column = table.label_column;
  data.dropped = std::move(table.dropped);
  data.use = {data.label_name, data.classes, std::move(table.uses), data.rows, table.left_out};
  if (choice.response == Response::binary)
    data.use.classes = {data.negative.empty() ? "other" : data.negative, data.positive};
  return data;
}

} // namespace starling::io
