// The new that counts: calls, and the bytes that live.
#include "alloc/counted_new.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace starling {

std::atomic<std::size_t> allocations{0}, bytes_now{0}, bytes_at_most{0};

namespace {

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!p)
    throw std::bad_alloc();
  const std::size_t now = bytes_now += malloc_usable_size(p);
  std::size_t most = bytes_at_most;
  while (most < now && !bytes_at_most.compare_exchange_weak(most, now)) {
  }
  return p;
}

// Not inlined, or the compiler takes the pair of aligned_alloc and free for a mistake.
[[gnu::noinline]] void release(void* p) {
  bytes_now -= p ? malloc_usable_size(p) : 0;
  std::free(p);
}

} // namespace
} // namespace starling

void* operator new(std::size_t size) { return starling::counted(size, 16); }
void* operator new(std::size_t size, std::align_val_t a) {
  return starling::counted(size, std::size_t(a));
}
void* operator new(std::size_t size,
                   const std::nothrow_t&) noexcept { // of sanitizers, where it is not replaced
  try {
    return starling::counted(size, 16);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { starling::release(p); }
void operator delete(void* p, std::size_t) noexcept { starling::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { starling::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { starling::release(p); }
