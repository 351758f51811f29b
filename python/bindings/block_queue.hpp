// Rows whose log densities and scores are asked for, in blocks that loops compiled by JAX fetch.
#pragma once

#include <starling/rows.hpp>

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <variant>

#include <sys/types.h>

namespace starling::python {

template <typename Real>
struct Asked {
  Rows<const Real> x;
  Rows<Real> score;
  std::span<Real> density; ///< empty: nobody wants them
};

/// One call of the engine's, answered block by block.
struct Request;

/// Between the engine, which asks, and threads that sit inside a loop compiled by JAX: they compute
/// one block of rows after the other, and no Python runs between two of them. A thread begins when
/// it is needed. It leaves the loop, and ends, when nothing was asked for a while: so it never
/// stands in the way of other work of JAX's. The blocks of a request depend on its rows alone, and
/// all are computed by the same code, so results do not depend on the threads or on the clock.
class BlockQueue : public std::enable_shared_from_this<BlockQueue> {
public:
  /// `loop(ticket)` enters the compiled loop, and is called with the interpreter's lock held. It is
  /// borrowed: whoever owns it calls close() first. A loop on a GPU has a number, by which it knows
  /// who sits in it (crossing.hpp), and one thread; 0: it is on the CPU.
  BlockQueue(nanobind::handle loop, std::size_t block, std::size_t dim, std::uint64_t number = 0);
  ~BlockQueue();

  /// Returns when all rows are computed; without the interpreter's lock. Throws what the loop
  /// threw, and what Ctrl-C throws.
  template <typename Real>
  void evaluate(const Asked<Real>& asked);

  /// With the lock held: no further thread begins.
  void close();

  std::size_t dim() const { return dim_; }
  bool on_gpu() const { return number_ != 0; }

  /// False in a process that was forked from it: there JAX has none of its threads, and would wait
  /// for them for ever.
  bool in_its_process() const;

private:
  friend class Seat;
  struct State;

  void ask(Request& request);
  void start(std::size_t threads);
  void serve();
  void wait_for(Request& request);
  void throw_if_interrupted(Request& request);

  nanobind::handle loop_;
  std::size_t block_, dim_;
  std::uint64_t number_;
  pid_t process_;
  std::unique_ptr<State> state_;
};

/// A thread in the loop; its address is the loop's ticket. Number is double or float, as JAX
/// computes, whatever the engine's own numbers are.
class Seat {
public:
  explicit Seat(BlockQueue& queue) : queue_(queue) {}

  /// The next block of positions; false: leave the loop.
  template <typename Number>
  bool fetch(Number* x);
  /// What was computed of it.
  template <typename Number>
  void deliver(const Number* density, const Number* score);

private:
  friend class BlockQueue;
  using Clock = std::chrono::steady_clock;

  bool next_block();
  void finish();
  void fail(std::exception_ptr error);

  BlockQueue& queue_;
  Request* request_ = nullptr;
  std::size_t first_ = 0; ///< row of the block
  Clock::time_point begun_, entered_;
  bool left_ = false;
};

/// The class Loop: a queue as an object of Python's, and what JAX calls.
void add_block_queue(nanobind::module_& m);

/// The queue of a Loop.
std::shared_ptr<BlockQueue> queue_in(nanobind::handle loop);

/// What JAX calls inside the loop: capsules by name, for jax.ffi.register_ffi_target; None where
/// this was built without the headers of XLA.
nanobind::object xla_handlers();
/// The same for loops on a GPU; None where CUDA's driver is not here either.
nanobind::object xla_handlers_on_cuda();

} // namespace starling::python
