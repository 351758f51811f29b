// The crew of threads: each takes pieces from one shared word, and sleeps when there are none for a while.
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

/// Large pages for large columns, where the system gives them to those who ask: one entry of the processor's table of
/// pages then covers 512 of the usual ones, and reads ahead do not stop at each.
void ask_for_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  ::madvise(begin, bytes / large_page * large_page, MADV_HUGEPAGE); // if not, not
#endif
}
[[maybe_unused]] const auto asked = announce_column = ask_for_large_pages;

/// How long one who waits looks again and again before it sleeps: about what waking it would cost.
constexpr std::chrono::microseconds patience(30);

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
  const auto until = std::chrono::steady_clock::now() + patience;
  do
    for (int look = 0; look < 64; ++look) {
      if (there())
        return true;
      breathe();
    }
  while (std::chrono::steady_clock::now() < until);
  return there();
}

} // namespace

/// Pieces are taken from one word that holds the sweep's number and the next piece. Who takes one has
/// seen to it, in the same stroke, that the sweep is still the same; so nobody has to wait for those
/// who took none, and they may sleep on.
struct Threads::Crew {
  explicit Crew(std::size_t count) : others(), process(::getpid()) { start(count); }
  ~Crew() { dismiss(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::vector<std::thread> others; // the caller is the one more
  pid_t process;                   // whose threads they are: a child that was forked off has none

  static constexpr std::uint64_t none = UINT32_MAX; // no piece has this number
  std::atomic<std::uint64_t> ticket{none};          // sweep << 32 | next piece
  std::atomic<const std::function<void(std::size_t)>*> piece{nullptr};
  std::atomic<std::uint64_t> pieces{0};
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
      others.reserve(count - 1);
      while (others.size() + 1 < count)
        others.emplace_back([this] { serve(); });
      return;
    } catch (const std::system_error& error) {
      cause = error.code();
    } catch (const std::bad_alloc&) {
    }
    const std::size_t started = others.size() + 1;
    dismiss();
    throw std::system_error(cause, "threads: asked for " + std::to_string(count) +
                                       ", but the system started only " + std::to_string(started) +
                                       "; ask for fewer");
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

  // Every piece runs even after one failed, so that the lowest failure is always the one reported.
  void take_pieces() {
    bool woke = false;
    for (std::uint64_t now = ticket.load();;) {
      const std::uint64_t q = now & none, all = pieces.load();
      if (q >= all)
        return;
      const auto* const work = piece.load();
      if (!ticket.compare_exchange_weak(now, now + 1)) // another sweep, or another who was quicker
        continue;
      if (!woke && q + 1 < all)
        wake_one();
      woke = true;
      run(*work, static_cast<std::size_t>(q));
      if (finished.fetch_add(1) + 1 == all)
        finished.notify_one();
      now = ticket.load();
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

  void serve() {
    std::uint32_t heard = 0;
    while (!leaving) {
      if (!look_for([&] { return bell.load() != heard; })) {
        ++asleep;
        bell.wait(heard);
        --asleep;
      }
      heard = bell.load();
      take_pieces();
    }
  }

  void sweep(std::size_t count, const std::function<void(std::size_t)>& work) {
    const std::uint64_t number = ((ticket.load() >> 32) + 1) << 32;
    ticket = number | none; // closed while it is laid out
    piece = &work;
    pieces = count;
    finished = 0;
    failure = nullptr;
    ticket = number;
    ++bell;
    take_pieces();
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
  if (crew_->others.empty() || pieces >= Crew::none)
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
