// Whether a file is one that starling wrote: by the mark of its folder, or by its first bytes.
#include "io/written_here.hpp"

#include "io/output_folder.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace starling::io {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

bool is_marked(const fs::path& file) {
  std::ifstream lines(fs::absolute(file).parent_path() / mark_name);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#') && line == file.filename().string())
      return true;
  return false;
}

/// The comments that stan_csv.cpp puts first.
bool is_our_csv(std::string_view begin) {
  return begin.starts_with("# stan_version_major = ") &&
         begin.find("\n#     algorithm = rbm_svgd\n") != begin.npos;
}

/// The first member is draws.npy, of no time, its name marked as UTF-8: others mark only names that
/// are not ASCII.
bool is_our_npz(std::string_view begin) {
  constexpr std::size_t name_at = 30;
  return begin.starts_with("PK\x03\x04"sv) && begin.size() > name_at &&
         begin.substr(6, 2) == "\x00\x08"sv && begin.substr(10, 4) == "\x00\x00\x21\x00"sv &&
         begin.substr(name_at).starts_with("draws.npy");
}

} // namespace

bool written_by_starling(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error)))
    return false;
  std::string begin(4096, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return is_marked(file) || is_our_csv(begin) || is_our_npz(begin);
}

} // namespace starling::io
