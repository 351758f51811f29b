// Blocks of rows on their way between the engine and a loop that runs on a GPU.
#pragma once

#include "block_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace starling::python {

/// What moves bytes between the host and a device. The calls return what went wrong; null: nothing.
class Mover {
public:
  virtual ~Mover() = default;
  /// Begun on the stream, and done when it was waited for.
  virtual const char* to_host(void* to, const void* from, std::size_t bytes,
                              void* stream) const = 0;
  virtual const char* to_device(void* to, const void* from, std::size_t bytes,
                                void* stream) const = 0;
  virtual const char* wait(void* stream) const = 0;
  /// Memory of the host, such that the device reads and writes it without help where that can be.
  virtual std::shared_ptr<void> room(std::size_t bytes, void* stream) const = 0;
};

/// CUDA's driver, which whoever computes on such a GPU has loaded: nothing of it is needed to build
/// or to import this module. Null: it is not here.
const Mover* cuda_driver();

/// The host in the place of a GPU, for tests: what goes to the host is there when it was waited
/// for, and not before.
const Mover& host_in_place();

/// Where rows lie on the host while they cross. Allocated at the first use; who is in a loop has
/// one of its own, since what the last one sent may still be on its way.
struct Room {
  std::shared_ptr<void> positions, scores, densities, more;
};

/// A seat whose loop runs on a device. The loop has a number compiled into it, by which the
/// handlers find who sits in it; one thread at a time does.
class Crossing {
public:
  Crossing(Seat& seat, std::uint64_t number, std::size_t block, std::size_t dim, Room& room);
  ~Crossing();
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

  /// Null where nobody sits in that loop.
  static Crossing* of(std::uint64_t number);

  /// The next block of positions goes to the device, and whether there is one; empty: all is well.
  template <typename Number>
  std::string fetch(const Mover& mover, void* stream, Number* x, bool* more);
  /// What was computed there of the last one is delivered first.
  template <typename Number>
  std::string exchange(const Mover& mover, void* stream, const Number* density, const Number* score,
                       Number* x, bool* more);

private:
  void make_room(const Mover& mover, void* stream);

  Seat& seat_;
  std::uint64_t number_;
  std::size_t block_, dim_;
  Room& room_;
};

} // namespace starling::python
