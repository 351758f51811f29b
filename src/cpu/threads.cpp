// The crew of threads: each takes its own share of the pieces first, then of the others', and
// sleeps when there are none for a while.
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace starling {

namespace {

/// Large pages for large columns, where the system gives them to those who ask: one entry of the
/// processor's table of pages then covers 512 of the usual ones, and reads ahead do not stop at
/// each.
void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  ::madvise(begin, bytes / large_page * large_page, MADV_HUGEPAGE); // if not, not
#endif
}
[[maybe_unused]] const auto asked = announce_column = ask_for_large_pages;

/// How long one who waits looks again and again before it sleeps. First about what waking it would
/// cost; then, since the parts of a step follow each other closely, for longer, but whoever else
/// wants the core has it at each look.
constexpr std::chrono::microseconds patience(30), long_patience(1000);

void breathe() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks for a while; true as soon as `there()`.
template <typename There>
bool look_for(There&& there) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (auto now = begin; now < begin + long_patience; now = Clock::now()) {
    for (int look = 0; look < 64; ++look) {
      if (there())
        return true;
      breathe();
    }
    if (now > begin + patience)
      std::this_thread::yield();
  }
  return there();
}

} // namespace

/// Each of the crew has a share of the pieces, the same part of them in every sweep, so that the
/// rows that it has close at hand from the last one are its own again; who is done goes on with
/// what is left of others' shares. Pieces of a share are taken from one word that holds the sweep's
/// number and the next piece. Who takes one has seen to it, in the same stroke, that the sweep is
/// still the same; so nobody has to wait for those who took none, and they may sleep on.
struct Threads::Crew {
  explicit Crew(std::size_t count) : process(::getpid()) { start(count); }
  ~Crew() { dismiss(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::vector<std::thread> others; // the caller is the one more
  pid_t process;                   // whose threads they are: a child that was forked off has none

  static constexpr std::uint64_t low =
      UINT32_MAX;                         // the lower half of a word; no sweep has so many pieces
  struct alignas(64) Share {              // a line of the cache each
    std::atomic<std::uint64_t> ticket{0}; // sweep << 32 | next piece
  };
  std::vector<Share> shares; // the caller's is the first
  std::atomic<const std::function<void(std::size_t)>*> piece{nullptr};
  std::atomic<std::uint64_t> pieces{0};   // sweep << 32 | how many in all
  std::atomic<std::uint32_t> finished{0}; // pieces of this sweep
  std::atomic<std::uint32_t> bell{0};     // rung for every sweep; sleepers wait for a change
  std::atomic<std::uint32_t> asleep{0};
  std::atomic<bool> leaving{false};

  std::mutex mutex; // of the failure
  std::exception_ptr failure;
  std::size_t failed_piece = 0;

  void start(std::size_t count) {
    std::error_code cause = std::make_error_code(std::errc::not_enough_memory);
    try {
      shares = std::vector<Share>(count);
      others.reserve(count - 1);
      while (others.size() + 1 < count)
        others.emplace_back([this, me = others.size() + 1] { serve(me); });
      return;
    } catch (const std::system_error& error) {
      cause = error.code();
    } catch (const std::bad_alloc&) {
    }
    const std::size_t started = others.size() + 1;
    dismiss();
    throw std::system_error(cause, "threads: " + std::to_string(count) +
                                       " were requested, but the system started only " +
                                       std::to_string(started) + "; request fewer");
  }

  void dismiss() {
    leaving = true;
    ++bell;
    bell.notify_all();
    for (std::thread& other : others)
      other.join();
    others.clear();
  }

  /// Those who sleep are woken one by one, each by the one before if there is still work: the first
  /// piece does not wait until all are awake, and nobody is woken for nothing.
  void wake_one() {
    if (asleep.load() > 0)
      bell.notify_one();
  }

  /// The pieces of that share end before this one.
  std::uint64_t end_of(std::size_t share, std::uint64_t all) const {
    return (all & low) * (share + 1) / shares.size();
  }

  /// Whether a ticket of that share is still to be taken. One of another sweep than `all` is of no
  /// use.
  bool open(std::size_t share, std::uint64_t now, std::uint64_t all) const {
    return now >> 32 == all >> 32 && (now & low) < end_of(share, all);
  }

  bool any_left() const {
    const std::uint64_t all = pieces.load();
    for (std::size_t share = 0; share < shares.size(); ++share)
      if (open(share, shares[share].ticket.load(), all))
        return true;
    return false;
  }

  // Every piece runs even after one failed, so that the lowest failure is always the one reported.
  void take_pieces(std::size_t me) {
    bool woke = false;
    for (std::size_t n = 0; n < shares.size(); ++n) {
      const std::size_t share = me + n < shares.size() ? me + n : me + n - shares.size();
      std::atomic<std::uint64_t>& ticket = shares[share].ticket;
      for (std::uint64_t now = ticket.load();;) {
        const std::uint64_t all = pieces.load();
        if (!open(share, now, all))
          break;
        const auto* const work = piece.load();
        if (!ticket.compare_exchange_weak(now,
                                          now + 1)) // another sweep, or another who was quicker
          continue;
        if (!woke && any_left())
          wake_one();
        woke = true;
        run(*work, static_cast<std::size_t>(now & low));
        if (finished.fetch_add(1) + 1 == (all & low))
          finished.notify_one();
        now = ticket.load();
      }
    }
  }

  void run(const std::function<void(std::size_t)>& work, std::size_t q) {
    try {
      work(q);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure || q < failed_piece) {
        failure = std::current_exception();
        failed_piece = q;
      }
    }
  }

  void serve(std::size_t me) {
    std::uint32_t heard = 0;
    while (!leaving) {
      if (!look_for([&] { return bell.load() != heard; })) {
        ++asleep;
        bell.wait(heard);
        --asleep;
      }
      heard = bell.load();
      take_pieces(me);
    }
  }

  void sweep(std::size_t count, const std::function<void(std::size_t)>& work) {
    const std::uint64_t number = ((pieces.load() >> 32) + 1) << 32;
    piece = &work;
    finished = 0;
    failure = nullptr;
    pieces = number | count; // now the tickets of the last sweep are of no use
    for (std::size_t share = 0; share < shares.size(); ++share)
      shares[share].ticket = number | (share == 0 ? 0 : end_of(share - 1, count));
    ++bell;
    take_pieces(0);
    const auto all_done = [&] { return finished.load() == count; };
    if (!look_for(all_done))
      for (std::uint32_t seen = finished.load(); seen != count; seen = finished.load())
        finished.wait(seen);
    piece = nullptr;
  }
};

namespace {

// As with more threads, every piece runs, and the first failure is the one reported.
void run_alone(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  std::exception_ptr failure;
  for (std::size_t q = 0; q < pieces; ++q) {
    try {
      piece(q);
    } catch (...) {
      if (!failure)
        failure = std::current_exception();
    }
  }
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace

Threads::Threads(std::size_t count)
    : crew_(std::make_unique<Crew>(
          count == 0 ? std::max<std::size_t>(1, std::thread::hardware_concurrency()) : count)) {}

Threads::~Threads() {
  if (crew_->process != ::getpid())
    static_cast<void>(crew_.release()); // another process's threads: nobody here to be joined
}

std::size_t Threads::count() const { return crew_->others.size() + 1; }

void Threads::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  // Of a crew of one nothing shared is touched, so that it serves many callers at once.
  if (crew_->others.empty() || pieces >= Crew::low)
    return run_alone(pieces, piece);
  if (crew_->process != ::getpid()) { // forked: the threads stayed behind, and would be waited for
    auto anew = std::make_unique<Crew>(count());
    static_cast<void>(crew_.release()); // its lock may be held by one who is not here
    crew_ = std::move(anew);
  }
  crew_->sweep(pieces, piece);
  if (const std::exception_ptr failure = std::exchange(crew_->failure, nullptr))
    std::rethrow_exception(failure);
}

Threads& Threads::alone() {
  static Threads one(1);
  return one;
}

} // namespace starling
