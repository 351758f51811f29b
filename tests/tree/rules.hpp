// The rules of the source tree, each a function of one file's path and text that lists its faults.
#pragma once

#include <string>
#include <vector>

namespace tree {

/// One line per fault, "path:line: what: must be ...; got ..."; empty when the file keeps the rule.
using Faults = std::vector<std::string>;

/// The text with comments blanked, line for line; the insides of string literals too unless kept.
/// Include lines keep their quoted names only if strings are kept.
std::string without_comments(const std::string& text, bool keep_strings);

/// The include order: random <- ensemble, batches, kernel <- concepts <- deal, target, drift,
/// advance, observe, of which none includes another <- the loop, which knows the concepts only;
/// back ends, io <- assemble <- reproduce <- tools. The core includes the standard library and
/// Eigen besides. Paths are relative to the top of the repository. A file with no place in the
/// order is a fault.
Faults include_order(const std::string& path, const std::string& text);

/// The core prints nothing, never ends the process, reads no environment.
Faults core_is_silent(const std::string& path, const std::string& text);

/// The first line is a comment.
Faults first_line_says_what(const std::string& path, const std::string& text);

/// At most this many lines.
Faults fits(const std::string& path, const std::string& text, std::size_t most);

/// No type is named after a word that says nothing, and no name of ours begins with get_.
Faults names_say_something(const std::string& path, const std::string& text);

} // namespace tree
