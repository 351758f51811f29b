// Blocks of rows handed to threads inside compiled loops, and what they computed handed back.
#include "block_queue.hpp"

#include "arrays.hpp"
#include "gil_released.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto idle = 5ms;      // then a thread leaves the loop
constexpr auto signals = 100ms; // then Ctrl-C is looked for
constexpr auto worth = 200us;   // of work, for which another thread is woken

std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

} // namespace

struct Request {
  std::variant<Asked<double>, Asked<float>> asked;
  std::size_t rows;
  std::size_t handed_out = 0; ///< rows
  std::size_t left;           ///< blocks that are not finished
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
  std::deque<Request*> requests; ///< with blocks that nobody has
  std::size_t threads = 0;       ///< in the loop, or on their way there
  double seconds = 0;            ///< of a block, as lately seen; 0: not known
};

BlockQueue::BlockQueue(nb::handle loop, std::size_t block, std::size_t dim)
    : loop_(loop), block_(block), dim_(dim), process_(getpid()), state_(std::make_unique<State>()) {
}

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
    wanted = std::clamp<std::size_t>(worthwhile, 1, std::min(blocks, cores()));
    missing = wanted - std::min(wanted, s.threads);
    s.threads += missing;
    s.requests.push_back(&request);
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
      state_->finished.notify_all();
      return;
    }
}

void BlockQueue::wait_for(Request& request) {
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
    request.end(std::current_exception(), block_);
    state_->finished.wait(lock, [&] { return request.left == 0; });
    throw;
  }
}

void BlockQueue::serve() {
  Seat seat(*this);
  while (!seat.left_) {
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
}

bool Seat::next_block() {
  BlockQueue::State& s = *queue_.state_;
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

namespace {

/// A queue as Python has it. The loop that it borrows is its attribute `functions`, so that
/// Python's collector sees it.
struct Loop {
  explicit Loop(std::shared_ptr<BlockQueue> given) : queue(std::move(given)) {}
  Loop(Loop&&) = default;
  ~Loop() {
    if (queue)
      queue->close();
  }

  std::shared_ptr<BlockQueue> queue;
};

nb::object loop_over_blocks(nb::object function, std::size_t block, std::size_t dim) {
  nb::object made = nb::cast(Loop(std::make_shared<BlockQueue>(function, block, dim)));
  made.attr("functions") = nb::make_tuple(function);
  return made;
}

template <typename Real, std::size_t Dims>
nb::object as_array(std::unique_ptr<Real[]> numbers, std::array<std::size_t, Dims> shape) {
  Real* const data = numbers.get();
  nb::capsule owner(numbers.release(), [](void* p) noexcept { delete[] static_cast<Real*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<Dims>>(data, Dims, shape.data(), owner));
}

template <typename Real>
nb::object evaluate(Loop& loop,
                    nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> x) {
  const std::size_t n = x.shape(0), dim = x.shape(1);
  if (dim != loop.queue->dim())
    throw nb::value_error("x: has another number of columns than the loop was compiled for");
  auto density = std::make_unique<Real[]>(n), score = std::make_unique<Real[]>(n * dim);
  {
    const GilReleased released;
    loop.queue->evaluate<Real>({{x.data(), n, dim}, {score.get(), n, dim}, {density.get(), n}});
  }
  return nb::make_tuple(as_array(std::move(density), std::array{n}),
                        as_array(std::move(score), std::array{n, dim}));
}

} // namespace

std::shared_ptr<BlockQueue> queue_in(nb::handle loop) { return nb::cast<Loop&>(loop).queue; }

void add_block_queue(nb::module_& m) {
  nb::class_<Loop>(m, "Loop", nb::dynamic_attr())
      .def("evaluate", &evaluate<double>, "x"_a.noconvert())
      .def("evaluate", &evaluate<float>, "x"_a.noconvert());
  m.def("loop_over_blocks", &loop_over_blocks, "function"_a, "block"_a, "dim"_a);
  m.def("xla_handlers", &xla_handlers);
}

} // namespace starling::python
