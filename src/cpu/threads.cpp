// The crew of threads: sleeps between sweeps, takes pieces from one shared counter.
#include <starling/threads.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace starling {

struct Threads::Crew {
  std::vector<std::thread> others; // the caller is the one more
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

Threads::Threads(std::size_t count) : crew_(std::make_unique<Crew>()) {
  if (count == 0)
    count = std::max(1u, std::thread::hardware_concurrency());
  crew_->others.reserve(count - 1);
  for (std::size_t t = 1; t < count; ++t)
    crew_->others.emplace_back([crew = crew_.get()] { crew->serve(); });
}

Threads::~Threads() {
  {
    const std::lock_guard lock(crew_->mutex);
    crew_->leaving = true;
  }
  crew_->wake.notify_all();
  for (std::thread& other : crew_->others)
    other.join();
}

std::size_t Threads::count() const { return crew_->others.size() + 1; }

void Threads::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  Crew& crew = *crew_;
  if (crew.others.empty()) // nothing shared is touched: the crew of one serves many callers at once
    return run_alone(pieces, piece);
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
