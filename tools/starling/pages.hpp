// The pages of docs/ that explain reads, as they were when this was built.
#pragma once

#include <span>
#include <string_view>

namespace starling::tool {

struct Page {
  std::string_view name, text; ///< docs/guide.md, Markdown
};

/// In the order in which they are asked. Written by cmake/pages.cmake.
std::span<const Page> pages();

} // namespace starling::tool
