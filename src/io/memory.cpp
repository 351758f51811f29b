// How much memory this process may still take, as the system tells it.
#include "io/memory.hpp"

#include "io/errors.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

namespace starling::io {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// The number that a file of the system holds; "max", or no such file: unknown.
std::uint64_t number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : unknown;
}

/// The number after this word at the beginning of a line.
std::uint64_t number_after(const fs::path& file, const std::string& word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(word)) {
      std::istringstream rest(line.substr(word.size()));
      std::uint64_t number = 0;
      if (rest >> number)
        return number;
    }
  return unknown;
}

std::uint64_t less(std::uint64_t from, std::uint64_t used) {
  return from == unknown ? unknown : from - std::min(from, used);
}

/// Of one control group: files that it has in its cache can be given up.
std::uint64_t left_in_group(const fs::path& group, const char* most, const char* used,
                            const char* of_files) {
  const std::uint64_t limit = number_in(group / most);
  if (limit > unknown / 4) // no limit, as version 1 writes it
    return unknown;
  const std::uint64_t now = number_in(group / used),
                      files = number_after(group / "memory.stat", of_files);
  if (now == unknown)
    return unknown;
  return less(limit, less(now, files == unknown ? 0 : files));
}

/// Of the control groups that this process is in, from its own up to the outermost.
std::uint64_t left_in_groups() {
  std::uint64_t least = unknown;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    const bool is_second = kinds.empty();
    if (!is_second && ("," + kinds + ",").find(",memory,") == std::string::npos)
      continue;
    const fs::path root = is_second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (fs::path below = fs::path(line.substr(second + 1)).relative_path();;
         below = below.parent_path()) {
      const fs::path group = root / below;
      least = std::min(
          least, is_second ? left_in_group(group, "memory.max", "memory.current", "inactive_file ")
                           : left_in_group(group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                           "total_inactive_file "));
      if (below.empty())
        break;
    }
  }
  return least;
}

template <typename Which>
std::uint64_t limit_of(Which which) {
  rlimit now{};
  return ::getrlimit(which, &now) != 0 || now.rlim_cur == RLIM_INFINITY
             ? unknown
             : static_cast<std::uint64_t>(now.rlim_cur);
}

/// Pages that this process has: of all kinds (field 0), of data (5).
std::uint64_t pages_taken(int field) {
  std::ifstream in("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i <= field; ++i)
    in >> pages;
  return in ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace

std::string in_bytes(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number >= 0x1p50)
    return fmt::format("{:.1f} PiB", number / 0x1p50);
  if (number >= 0x1p40)
    return fmt::format("{:.1f} TiB", number / 0x1p40);
  if (number >= 0x1p30)
    return fmt::format("{:.1f} GiB", number / 0x1p30);
  if (number >= 0x1p20)
    return fmt::format("{:.0f} MiB", number / 0x1p20);
  return fmt::format("{:.0f} kB", number / 0x1p10);
}

MemoryLeft memory_left() {
  const auto told = [](std::uint64_t bytes, const char* form) {
    return MemoryLeft{bytes, fmt::format(fmt::runtime(form), in_bytes(bytes))};
  };
  if (const std::uint64_t limit = limit_of(RLIMIT_DATA); limit != unknown)
    return told(less(limit, pages_taken(5)), "the {} that --memory-limit leaves");
  std::uint64_t here = number_after("/proc/meminfo", "MemAvailable:");
  here = here == unknown ? unknown : 1024 * here;
  const std::uint64_t groups = left_in_groups(), space = less(limit_of(RLIMIT_AS), pages_taken(0));
  const std::uint64_t least = std::min({here, groups, space});
  if (least == unknown)
    return {};
  return told(least, least == space    ? "the {} of addresses that ulimit leaves"
                     : least == groups ? "the {} that its control group leaves"
                                       : "the {} that are free here");
}

std::uint64_t most_to_read() { return memory_left().bytes / 2; }

void expect_room(const std::string& where, const std::string& what, std::uint64_t bytes) {
  constexpr std::uint64_t always_fine = std::uint64_t{1} << 20; // not worth three questions
  if (bytes <= always_fine)
    return;
  const MemoryLeft left = memory_left();
  if (bytes > left.bytes / 2)
    throw BadData(
        fmt::format("{}: {} {}, more than half of {}", where, what, in_bytes(bytes), left.whose));
}

} // namespace starling::io
