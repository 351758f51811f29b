// How much memory this process may still take, and refusals of what would take more.
#pragma once

#include <cstdint>
#include <string>

namespace starling::io {

/// Bytes, and whose they are in the words of a message.
struct MemoryLeft {
  std::uint64_t bytes = UINT64_MAX;
  std::string whose; ///< "the 8.0 GiB that --memory-limit leaves"
};

/// A limit of this process (--memory-limit, ulimit -d) where one is set, whatever the machine has;
/// else the least of what is free on the machine, what its control groups leave, and ulimit -v.
MemoryLeft memory_left();

/// "1.5 GiB", "200 MiB", "3 kB".
std::string in_bytes(std::uint64_t bytes);

/// The least that a file's content, once unpacked, takes of the memory left before it is refused:
/// half, since numbers are made of it beside it.
std::uint64_t most_to_read();

/// Throws BadData unless so many bytes may be read: "x.csv.xz: xz: unpacks to 20.0 GiB, more than
/// half of the 8.0 GiB that are free here; --memory-limit 40G allows it". `what` is "unpacks to" or
/// "has".
void expect_room(const std::string& where, const std::string& what, std::uint64_t bytes);

} // namespace starling::io
