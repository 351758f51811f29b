// The pictures of starling reproduce, drawn by Python in a process of its own.
#include "commands.hpp"
#include "python_program.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace starling::tool {

namespace {

namespace fs = std::filesystem;

/// The page's program: where an install puts it, or in the sources this was built from.
fs::path page_folder() {
  const fs::path installed = own_folder().parent_path() / "share/starling/reproduce/page";
  std::error_code error;
  return installed.is_absolute() && fs::exists(installed, error) ? installed : STARLING_PAGE;
}

} // namespace

bool draw_page(const std::string& python, const std::string& folder) {
  for (const std::string& one : pythons(python)) {
    if (!can_import(one, "matplotlib, numpy"))
      continue;
    if (run_program({one, page_folder().string(), folder}, Hears::stderr_alone) == 0)
      return true;
    complain(
        failed,
        fmt::format("warning: no page was drawn: {} {} {} failed; all figures are in {}/*.json",
                    one, page_folder().string(), folder, folder));
    return false;
  }
  complain(failed, fmt::format("warning: no page was drawn: {} cannot import matplotlib and numpy "
                               "(Debian: python3-matplotlib; "
                               "or --python PATH); all figures are in {}/*.json",
                               python.empty() ? "python3" : python, folder));
  return false;
}

} // namespace starling::tool
