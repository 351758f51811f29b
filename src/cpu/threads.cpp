// The crew of threads: sleeps between sweeps, takes pieces from one shared counter.
#include <starling/threads.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace starling {

struct Threads::Crew {
  explicit Crew(std::size_t count) : others(), process(::getpid()) { start(count); }
  ~Crew() { dismiss(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::vector<std::thread> others; // the caller is the one more
  pid_t process;                   // whose threads they are: a child that was forked off has none
  std::mutex mutex;
  std::condition_variable wake, done;
  std::size_t sweep = 0; // counts calls of run; a change wakes the others
  std::size_t busy = 0;
  bool leaving = false;

  const std::function<void(std::size_t)>* piece = nullptr;
  std::size_t pieces = 0;
  std::atomic<std::size_t> next{0};
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
    {
      const std::lock_guard lock(mutex);
      leaving = true;
    }
    wake.notify_all();
    for (std::thread& other : others)
      other.join();
    others.clear();
  }

  // Every piece runs even after one failed, so that the lowest failure is always the one reported.
  void take_pieces() {
    for (std::size_t q = next.fetch_add(1); q < pieces; q = next.fetch_add(1)) {
      try {
        (*piece)(q);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure || q < failed_piece) {
          failure = std::current_exception();
          failed_piece = q;
        }
      }
    }
  }

  void serve() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return leaving || sweep != seen; });
      if (leaving)
        return;
      seen = sweep;
      lock.unlock();
      take_pieces();
      lock.lock();
      if (--busy == 0)
        done.notify_one();
    }
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
  if (crew_->others.empty()) // nothing shared is touched: a crew of one serves many callers at once
    return run_alone(pieces, piece);
  if (crew_->process != ::getpid()) { // forked: the threads stayed behind, and would be waited for
    auto anew = std::make_unique<Crew>(count());
    static_cast<void>(crew_.release()); // its lock may be held by one who is not here
    crew_ = std::move(anew);
  }
  Crew& crew = *crew_;
  {
    const std::lock_guard lock(crew.mutex);
    crew.piece = &piece;
    crew.pieces = pieces;
    crew.next = 0;
    crew.failure = nullptr;
    crew.busy = crew.others.size();
    ++crew.sweep;
  }
  crew.wake.notify_all();
  crew.take_pieces();
  std::exception_ptr failure;
  {
    std::unique_lock lock(crew.mutex);
    crew.done.wait(lock, [&] { return crew.busy == 0; });
    failure = std::exchange(crew.failure, nullptr);
  }
  if (failure)
    std::rethrow_exception(failure);
}

Threads& Threads::alone() {
  static Threads one(1);
  return one;
}

} // namespace starling
