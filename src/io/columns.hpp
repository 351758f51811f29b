// Columns of a table by name or index.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace starling::io {

/// The index of the label among the columns; `label` as in LabelChoice. Throws BadData.
std::size_t find_label(const std::filesystem::path& file, const std::string& label,
                       const std::vector<std::string>& names, bool has_header);

/// Which columns are to be left out; `drop` as in LabelChoice. Throws BadData, also when the label
/// is among them or no feature stays.
std::vector<bool> find_dropped(const std::filesystem::path& file, const std::string& drop,
                               const std::vector<std::string>& names, bool has_header,
                               std::size_t label_column);

/// The columns that a list names; `what` says for which option, `list` is as `drop` of LabelChoice.
/// Throws BadData.
std::vector<std::size_t> find_columns(const std::filesystem::path& file, const char* what,
                                      const std::string& list,
                                      const std::vector<std::string>& names, bool has_header);

/// "COLUMN=LEVEL,COLUMN=LEVEL" as columns and levels. Throws BadData.
std::vector<std::pair<std::size_t, std::string>> find_bases(const std::filesystem::path& file,
                                                            const std::string& list,
                                                            const std::vector<std::string>& names,
                                                            bool has_header);

/// A name as a list of columns takes it: in quotes where it has a comma or a quote.
std::string in_list(const std::string& name);

} // namespace starling::io
