// Loads a data set: tells the format, parses, and turns the labels into 0 and 1.
#include "io/dataset.hpp"

#include "io/errors.hpp"
#include "io/table.hpp"
#include "io/text.hpp"

#include <utility>

namespace starling::io {

Dataset load_dataset(const std::filesystem::path& file, const LabelChoice& choice) {
  const std::string text = read_text(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadData(file, "is empty");
  Table table = looks_like_libsvm(text) ? parse_libsvm(file, text, choice.label)
                                        : parse_delimited(file, text, choice.label);
  Dataset data;
  data.labels = binary_labels(file, table.label_name, table.labels, choice.positive);
  data.rows = table.rows;
  data.columns = table.columns;
  data.features = std::move(table.features);
  data.names = std::move(table.names);
  data.label_name = std::move(table.label_name);
  return data;
}

} // namespace starling::io
