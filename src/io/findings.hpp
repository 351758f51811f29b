// What the columns of a table turned out to be, and all that keeps some of them from being used.
#pragma once

#include "io/raw_rows.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace starling::io {

/// How many fields of a kind there are, and the first of them.
struct FieldCount {
  std::size_t count = 0, line = 0;
  std::string field;

  void note(const TextField& one);
};

/// One column.
struct Finding {
  std::size_t column = 0; ///< of the file
  bool is_label = false;
  bool category = false;
  FieldCount missing, refused; ///< refused: neither numbers nor, all together, categories
  std::string why;             ///< what they are: "not numbers", "dates"
  bool dates = false, may_be_category = false; ///< those that are refused
  bool constant = false;

  bool in_the_way() const { return missing.count + refused.count > 0 || constant; }
};

/// What a column of texts is: categories, unless the fields are dates or numbers with a decimal
/// comma, or there are more different ones than categories have. `asked`: by the user, who knows.
void judge_texts(const std::vector<TextField>& fields, bool asked, Finding& finding);

/// All columns that are in the way, each with counts and first lines.
std::string in_words(std::vector<Finding> findings, const std::vector<std::string>& names,
                     std::size_t rows);

/// Throws BadData if any column is in the way: a single field with its line and column, otherwise
/// each column with counts, first lines and what to do. `dropped` is what the user drops already.
void refuse(const std::filesystem::path& file, const std::vector<Finding>& findings,
            const std::vector<std::string>& names, const std::string& dropped, std::size_t rows);

} // namespace starling::io
