// Something that holds columns and sweeps over them: a card, or, for tests, the host in its place.
#pragma once

#include "cuda/logistic_work.hpp"
#include "cuda/scoring.hpp"
#include "cuda/sweep_regression.hpp"
#include "cuda/work.hpp"

#include <starling/random/scramble.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace starling::cuda {

/// The sweeps in one number type. They are begun in the order of the calls and may end later.
/// `turn` is the number of a turn in work.turns; `here` is the same turn where the host can read
/// it.
template <typename Real>
class Sweeps {
public:
  virtual ~Sweeps() = default;

  /// One step: bandwidth, scores, drift, move, in as few sweeps as the sizes allow.
  virtual void step(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) = 0;
  /// The first half of one: afterwards positions, scores and drift belong together, and nobody has
  /// moved.
  virtual void flow(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) = 0;
  /// The second half.
  virtual void advance(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) = 0;
  /// The turns from `begin` up to, not including, `end`, in one go; false where the cloud is too
  /// large.
  virtual bool many_steps(const Work<Real>& work, std::uint32_t begin, std::uint32_t end,
                          const Turn<Real>& here) = 0;
  /// The first `rows` places' rows, after a flow.
  virtual void gather(const Work<Real>& work, std::uint32_t rows, Real* x, Real* s, Real* g) = 0;
  /// Scores of a logistic regression.
  virtual void logistic(const LogisticWork<Real>& work) = 0;
  /// Scores and log densities of a built-in target.
  virtual void evaluate(const ScoringWork<Real>& work) = 0;
};

/// Failures are said in one sentence that begins with "device:"; memory that is not there is
/// DoesNotFit.
class Machine {
public:
  virtual ~Machine() = default;
  virtual Sweeps<float>& sweeps(float) = 0; ///< by a number of the type
  virtual Sweeps<double>& sweeps(double) = 0;

  virtual std::string name() const = 0;
  virtual void* allocate(std::size_t bytes) = 0; ///< zeros
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from,
                        std::size_t bytes) = 0; ///< waits for all sweeps begun
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0; ///< within the machine
  virtual void clear(void* memory, std::size_t bytes) = 0;

  /// Rows of `bytes`, a multiple of four, travel.
  virtual void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
                      const Scramble& order) = 0;
  virtual void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
                      const std::uint32_t* order) = 0;

  /// Rows of two columns, each of `bytes`, a multiple of four, become rows of one, the second's
  /// behind the first's; and back.
  virtual void put_side_by_side(void* to, const std::array<void*, 2>& from, std::size_t rows,
                                std::size_t bytes) = 0;
  virtual void take_apart(const std::array<void*, 2>& to, void* from, std::size_t rows,
                          std::size_t bytes) = 0;

  /// Sums over rows of a regression, begun as sweeps are; false where a particle has too many
  /// weights for it.
  virtual bool regression(const RegressionWork<float>& work) = 0;
  virtual bool regression(const RegressionWork<double>& work) = 0;

  /// For others who work on the same card: the stream of all sweeps and copies, null where there is
  /// none; the card's number, -1 where addresses are the host's. A call makes the card the thread's
  /// own.
  virtual void* stream() { return nullptr; }
  virtual int number() const { return -1; }
  /// What is begun later on that stream of theirs waits for all that was begun here.
  virtual void let_wait(void* /*stream*/) {}
  /// Until all that was begun is done; the card is then the thread's own.
  virtual void wait() {}

  /// Seconds that the machine itself spends on what the call begins.
  virtual double seconds(const std::function<void()>& call) = 0;
  /// Bytes allocated now.
  std::size_t held = 0;
};

/// Card number `number`. Throws NotBuilt, or runtime_error when there is none.
std::unique_ptr<Machine> open(std::size_t number);

/// The same, or what tests put in the place of cards.
std::shared_ptr<Machine> opened(std::size_t number);
/// How many cards this machine has. Throws NotBuilt.
std::size_t cards();
/// From now on `opened` answers what this makes; null: cards again.
void open_instead(Machine* (*make)());

/// DeviceBuffer for n values on a machine, zeros at first.
template <typename T>
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(Machine& machine, std::size_t n)
      : machine_(&machine), data_(static_cast<T*>(machine.allocate(n * sizeof(T)))), size_(n) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(machine_, other.machine_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_)
      machine_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  void upload(const T* from, std::size_t n) { machine_->upload(data_, from, n * sizeof(T)); }
  void download(T* to, std::size_t n) const { machine_->download(to, data_, n * sizeof(T)); }

private:
  Machine* machine_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace starling::cuda
