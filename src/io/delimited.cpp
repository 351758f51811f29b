// A delimited text as a table: which columns are read, then what their fields are.
#include "io/any_text.hpp"
#include "io/columns.hpp"
#include "io/errors.hpp"
#include "io/table.hpp"

namespace starling::io {

Table parse_delimited(const std::filesystem::path& file, std::string_view text,
                      const LabelChoice& choice) {
  const auto choose = [&](const std::vector<std::string>& names, bool has_header) {
    const std::size_t label = find_label(file, utf8(choice.label), names, has_header);
    if (names.size() < 2)
      throw BadData(file, "must have at least one feature and the label; got one column");
    const std::vector<bool> dropped =
        find_dropped(file, utf8(choice.drop), names, has_header, label);
    std::vector<Read> reads(names.size(), Read::number);
    for (const std::size_t column :
         find_columns(file, "category", utf8(choice.category), names, has_header))
      reads[column] = Read::text;
    for (std::size_t column = 0; column < names.size(); ++column)
      if (dropped[column])
        reads[column] = Read::nothing;
    reads[label] = Read::label;
    return reads;
  };
  return features_of(file, read_raw_rows(file, text, choose), choice);
}

} // namespace starling::io
