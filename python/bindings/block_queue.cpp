// Blocks of rows handed to threads inside compiled loops, and what they computed handed back.
#include "block_queue.hpp"

#include "crossing.hpp"
#include "gil_released.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace starling::python {

namespace nb = nanobind;
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto idle = 5ms;      // then a thread leaves the loop
constexpr auto signals = 100ms; // then Ctrl-C is looked for
constexpr auto worth = 200us;   // of work, for which another thread is woken

// With a GPU: calls are short, and to be woken takes long beside them.
constexpr auto looking = 200us; // before a thread sleeps
constexpr auto in_turn = 200ms; // then a thread leaves the loop and enters it again, since others
                                // may wait for the GPU

/// Looks again and again for a while.
template <typename Answer>
void look_for(Answer there) {
  for (const auto end = Clock::now() + looking; !there() && Clock::now() < end;)
    std::this_thread::yield();
}

std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

} // namespace

struct Request {
  std::variant<Asked<double>, Asked<float>> asked;
  std::size_t rows;
  std::size_t handed_out = 0;    ///< rows
  std::atomic<std::size_t> left; ///< blocks that are not finished
  std::exception_ptr error = {};

  /// Nobody fetches what is not handed out yet; blocks that are under way still write to it.
  void end(std::exception_ptr why, std::size_t block) {
    error = why;
    left -= (rows - std::exchange(handed_out, rows) + block - 1) / block;
  }
};

struct BlockQueue::State {
  std::mutex mutex;
  std::condition_variable asked, finished;
  std::deque<Request*> requests;            ///< with blocks that nobody has
  std::atomic<std::size_t> waiting = 0;     ///< of them
  std::size_t threads = 0;                  ///< in the loop, or on their way there
  double seconds = 0;                       ///< of a block, as lately seen; 0: not known
  std::vector<std::unique_ptr<Room>> rooms; ///< that nobody uses
};

BlockQueue::BlockQueue(nb::handle loop, std::size_t block, std::size_t dim, std::uint64_t number)
    : loop_(loop), block_(block), dim_(dim), number_(number), process_(getpid()),
      state_(std::make_unique<State>()) {}

BlockQueue::~BlockQueue() = default;

bool BlockQueue::in_its_process() const { return process_ == getpid(); }

void BlockQueue::close() { loop_ = {}; }

template <typename Real>
void BlockQueue::evaluate(const Asked<Real>& asked) {
  if (asked.x.count == 0)
    return;
  const std::size_t n = asked.x.count;
  Request request{asked, n, 0, (n + block_ - 1) / block_};
  ask(request);
  wait_for(request);
  if (request.error)
    std::rethrow_exception(request.error);
}

template void BlockQueue::evaluate(const Asked<double>&);
template void BlockQueue::evaluate(const Asked<float>&);

void BlockQueue::ask(Request& request) {
  State& s = *state_;
  std::size_t wanted = 1, missing = 0;
  {
    const std::lock_guard lock(s.mutex);
    const std::size_t blocks = request.left;
    const auto worthwhile = static_cast<std::size_t>(s.seconds * double(blocks) /
                                                     std::chrono::duration<double>(worth).count());
    wanted = std::clamp<std::size_t>(worthwhile, 1, on_gpu() ? 1 : std::min(blocks, cores()));
    missing = wanted - std::min(wanted, s.threads);
    s.threads += missing;
    s.requests.push_back(&request);
    s.waiting = s.requests.size();
  }
  for (std::size_t k = missing; k < wanted; ++k)
    s.asked.notify_one();
  start(missing);
}

void BlockQueue::start(std::size_t threads) {
  for (std::size_t k = 0; k < threads; ++k)
    try {
      std::thread([self = shared_from_this(), here = CountedThread()] { self->serve(); }).detach();
    } catch (const std::system_error&) { // the system gives no more
      const std::lock_guard lock(state_->mutex);
      state_->threads -= threads - k;
      if (state_->threads == 0)
        for (Request* const request : std::exchange(state_->requests, {}))
          request->end(std::current_exception(), block_);
      state_->waiting = state_->requests.size();
      state_->finished.notify_all();
      return;
    }
}

void BlockQueue::wait_for(Request& request) {
  if (on_gpu())
    look_for([&] { return request.left == 0; });
  std::unique_lock lock(state_->mutex);
  while (!state_->finished.wait_for(lock, signals, [&] { return request.left == 0; })) {
    lock.unlock();
    throw_if_interrupted(request);
    lock.lock();
  }
}

/// Also if the interpreter ends.
void BlockQueue::throw_if_interrupted(Request& request) {
  const nb::gil_scoped_acquire held;
  try {
    throw_if_interpreter_ends();
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
  } catch (...) {
    const nb::gil_scoped_release released;
    std::unique_lock lock(state_->mutex);
    std::erase(state_->requests, &request);
    state_->waiting = state_->requests.size();
    request.end(std::current_exception(), block_);
    state_->finished.wait(lock, [&] { return request.left == 0; });
    throw;
  }
}

void BlockQueue::serve() {
  Seat seat(*this);
  std::unique_ptr<Room> room;
  std::optional<Crossing> crossing;
  if (on_gpu()) {
    const std::lock_guard lock(state_->mutex);
    auto& rooms = state_->rooms;
    room = rooms.empty() ? std::make_unique<Room>() : std::move(rooms.back());
    if (!rooms.empty())
      rooms.pop_back();
    crossing.emplace(seat, number_, block_, dim_, *room);
  }
  while (!seat.left_) {
    seat.entered_ = Clock::now();
    const nb::gil_scoped_acquire held;
    try {
      if (!loop_.is_valid())
        throw nb::value_error("flight: its target is gone");
      const nb::object own = nb::borrow(loop_);
      own(reinterpret_cast<std::uintptr_t>(&seat));
    } catch (...) {
      seat.fail(std::current_exception());
    }
  }
  if (room) {
    const std::lock_guard lock(state_->mutex);
    state_->rooms.push_back(std::move(room));
  }
}

bool Seat::next_block() {
  BlockQueue::State& s = *queue_.state_;
  if (queue_.on_gpu()) {
    if (Clock::now() - entered_ > in_turn)
      return false; // to come back
    look_for([&] { return s.waiting > 0; });
  }
  std::unique_lock lock(s.mutex);
  if (!s.asked.wait_for(lock, idle, [&] { return !s.requests.empty(); })) {
    --s.threads;
    left_ = true;
    return false;
  }
  request_ = s.requests.front();
  first_ = request_->handed_out;
  request_->handed_out = std::min(first_ + queue_.block_, request_->rows);
  if (request_->handed_out == request_->rows)
    s.requests.pop_front();
  s.waiting = s.requests.size();
  begun_ = Clock::now();
  return true;
}

void Seat::finish() {
  BlockQueue::State& s = *queue_.state_;
  const std::lock_guard lock(s.mutex);
  const std::chrono::duration<double> took = Clock::now() - begun_;
  // Near the least: what else the machine had to do in between calls for no further thread.
  s.seconds = s.seconds == 0 ? took.count() : std::min(took.count(), 1.05 * s.seconds);
  if (--std::exchange(request_, nullptr)->left == 0)
    s.finished.notify_all();
}

/// The loop ended by itself: the request whose block it had fails, or all where it had none.
void Seat::fail(std::exception_ptr error) {
  BlockQueue::State& s = *queue_.state_;
  const std::lock_guard lock(s.mutex);
  if (left_)
    return;
  for (Request* const request : request_ ? std::deque{request_} : s.requests)
    request->end(error, queue_.block_);
  std::erase_if(s.requests, [](const Request* request) { return request->error != nullptr; });
  s.waiting = s.requests.size();
  if (request_)
    --std::exchange(request_, nullptr)->left;
  left_ = s.requests.empty();
  s.threads -= left_;
  s.finished.notify_all();
}

template <typename Number>
bool Seat::fetch(Number* x) {
  if (!next_block())
    return false;
  std::visit(
      [&](const auto& asked) {
        const auto rows = asked.x.slice(first_, std::min(first_ + queue_.block_, asked.x.count));
        Number* to = std::copy(rows.begin(), rows.end(), x);
        for (std::size_t k = rows.count; k < queue_.block_; ++k) // what is missing is the last row
          to = std::copy_n(to - rows.dim, rows.dim, to);
      },
      request_->asked);
  return true;
}

template <typename Number>
void Seat::deliver(const Number* density, const Number* score) {
  std::visit(
      [&](const auto& asked) {
        const auto scores =
            asked.score.slice(first_, std::min(first_ + queue_.block_, asked.x.count));
        std::copy_n(score, scores.size(), scores.begin());
        if (!asked.density.empty())
          std::copy_n(density, scores.count, asked.density.begin() + std::ptrdiff_t(first_));
      },
      request_->asked);
  finish();
}

template bool Seat::fetch(double*);
template bool Seat::fetch(float*);
template void Seat::deliver(const double*, const double*);
template void Seat::deliver(const float*, const float*);

} // namespace starling::python
