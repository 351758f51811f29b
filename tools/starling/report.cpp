// starling report: the page of a folder of results. There is one way to make it, the Python
// package's, which runs in a process of its own; here a Python is found that has it.
#include "commands.hpp"
#include "python_program.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace starling::tool {

namespace {

/// The package beside a program that was built and not installed comes first, else that of the
/// Python's own.
std::vector<std::pair<std::string, std::string>> where_the_package_is() {
  const std::filesystem::path built = own_folder() / "python";
  std::error_code error;
  if (built.is_relative() || !std::filesystem::is_directory(built / "starling", error))
    return {};
  const char* before = std::getenv("PYTHONPATH");
  return {
      {"PYTHONPATH",
       built.string() + (before != nullptr && *before != '\0' ? ":" + std::string(before) : "")}};
}

} // namespace

std::string python_for_pages(const std::string& asked) {
  const auto settings = where_the_package_is();
  for (const std::string& python : pythons(asked))
    if (can_import(python, "matplotlib, starling", settings))
      return python;
  throw std::runtime_error(
      fmt::format("report: {} cannot import starling and matplotlib: pip install the wheel with "
                  "[all], or give another Python with --python PATH",
                  asked.empty() ? "python3" : asked));
}

int report_by(const std::string& python, const ReportRequest& r) {
  std::fflush(stdout); // the table of a run comes before the name of its page
  // The working folder is kept out of the module path here too.
  std::vector<std::string> words = {
      python, "-c",
      "import sys; sys.path[:] = [p for p in sys.path if p]; "
      "from starling.__main__ import main; sys.exit(main(sys.argv[1:]))",
      "report"};
  if (!r.out.empty())
    words.push_back("--out=" + r.out); // a name may begin with a dash
  if (r.force)
    words.push_back("--force");
  words.insert(words.end(), {"--", r.folder});
  const int code =
      run_program(words, r.aside ? Hears::stderr_alone : Hears::everything, where_the_package_is());
  return code >= 0 ? code : complain(failed, fmt::format("report: {} was killed", python));
}

int report(const ReportRequest& r) { return report_by(python_for_pages(r.python), r); }

} // namespace starling::tool
