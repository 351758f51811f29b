// Tables of rows: csv, LIBSVM and covtype, plain or packed.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include "io/dataset.hpp"
#include "io/errors.hpp"

#include <array>
#include <cmath>
#include <string>

namespace starling::fuzz {

namespace {

void check(const io::Dataset& data) {
  promise(data.features.size() == data.rows * data.columns, "a table has rows x columns features");
  promise(data.labels.size() == data.rows, "a table has a label for each row");
  promise(data.names.size() == data.columns, "a table has a name for each column");
  for (const double value : data.features)
    promise(std::isfinite(value), "features are finite");
  for (const double label : data.labels)
    promise(std::isfinite(label), "labels are finite");
}

void read_table(std::string_view bytes, const io::LabelChoice& choice) {
  try {
    io::Dataset data = io::load_dataset(place("table", bytes), choice);
    check(data);
    const io::TableUse use = io::table_use_of(io::to_json_text(data.use));
    promise(use.feature_names().size() == data.columns, "what was kept of a table is all of it");
    io::scale(data, io::Scaling::standard);
    check(data);
  } catch (const io::BadData&) {
  }
}

/// The first byte says what is asked for, the rest is the file.
io::LabelChoice choice(unsigned char byte) {
  constexpr std::array labels{"", "0", "-1", "y"};
  constexpr std::array responses{io::Response::binary, io::Response::number, io::Response::count,
                                 io::Response::classes};
  io::LabelChoice made;
  made.label = labels[byte & 3];
  made.response = responses[byte >> 2 & 3];
  if (byte & 16)
    made.positive = "1";
  if (byte & 32)
    made.drop = "a,-2";
  made.drop_missing = byte & 64;
  if (byte & 128)
    made.category = "0";
  return made;
}

} // namespace

void read_csv(std::string_view bytes) {
  if (!bytes.empty())
    read_table(bytes.substr(1), choice(static_cast<unsigned char>(bytes[0])));
}

void read_libsvm(std::string_view bytes) {
  if (bytes.empty())
    return;
  io::LabelChoice made = choice(static_cast<unsigned char>(bytes[0]));
  made.label.clear(); // always the first
  read_table(bytes.substr(1), made);
}

void read_covtype(std::string_view bytes) {
  io::LabelChoice made;
  made.positive = "2";
  read_table(bytes, made);
}

} // namespace starling::fuzz
