// What a new of our own counts: calls, and the bytes that live between new and delete.
#pragma once

#include <atomic>
#include <cstddef>

namespace starling {

extern std::atomic<std::size_t> allocations;
extern std::atomic<std::size_t> bytes_now, bytes_at_most; ///< the second since it was last set

} // namespace starling
