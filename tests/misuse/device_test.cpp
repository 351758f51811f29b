// Particles that live on a device: the loop takes them with roles made for them, and nothing that
// reads rows on the host compiles with them.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/observe/guard.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/observe/moments.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <gtest/gtest.h>

namespace {

using namespace starling;

/// A column in memory that the host cannot reach: an address, a size, and nothing to read by.
template <typename T>
struct DeviceColumn {
  T* address;
  std::size_t count, dim;
};

class OnADevice {
public:
  using Real = double;
  std::size_t count() const { return 4; }
  std::size_t population() const { return 4; }
  std::size_t dim() const { return 2; }
  std::size_t memories() const { return 0; }
  DeviceColumn<double> position() { return {nullptr, 4, 2}; }
  DeviceColumn<double> score() { return {nullptr, 4, 2}; }
  DeviceColumn<double> drift() { return {nullptr, 4, 2}; }
  DeviceColumn<double> memory(std::size_t) { return {nullptr, 4, 2}; }
  DeviceColumn<const double> position() const { return {nullptr, 4, 2}; }
  DeviceColumn<const double> score() const { return {nullptr, 4, 2}; }
  DeviceColumn<const double> drift() const { return {nullptr, 4, 2}; }
  DeviceColumn<std::uint32_t> moves() { return {nullptr, 4, 1}; }
  DeviceColumn<std::uint64_t> id() { return {nullptr, 4, 1}; }
  void remember(std::size_t) {}
  void reorder(std::span<const std::uint32_t>) {}
  void make_room_to_travel() {}
};
static_assert(Particles<OnADevice> && !HostParticles<OnADevice>);
static_assert(HostParticles<Ensemble<double>> && !HostParticles<Ensemble<double>, float>);

// Dealers deal rows, and need not read them.
static_assert(Dealer<Shuffle, OnADevice> && Dealer<Matching, OnADevice>);

struct OneParticle {
  double operator()(std::span<const double>, std::span<double>) const;
};
using HostTarget = Lift<double, OneParticle>;
using Gaussian = kernel::Gaussian<double>;
static_assert(Target<HostTarget, double>);
static_assert(Scorer<Score<double, HostTarget>, Ensemble<double>>);
static_assert(!Scorer<Score<double, HostTarget>, OnADevice>);
static_assert(!Drifter<PairwiseDrift<double, Gaussian>, OnADevice>);
static_assert(!Drifter<ReferenceDrift<double, Gaussian>, OnADevice>);
static_assert(!Advancer<ExplicitStep<double, ConstantStep<double>>, OnADevice>);
static_assert(!Advancer<RungeKutta4<double>, OnADevice>);
static_assert(!Observer<Guard, OnADevice> && !Observer<Moments, OnADevice>);
static_assert(Observer<NoObserver, OnADevice>);

template <typename P>
concept StartTakes = requires(P& particles) {
  start_normal(particles, 1, 0.0, 1.0);
};
static_assert(StartTakes<Ensemble<double>> && !StartTakes<OnADevice>);

/// Roles of the device's own.
struct DeviceScore {
  int* calls;
  void operator()(Step, OnADevice&, const Batches&) const { ++*calls; }
};
struct DeviceAdvance {
  template <typename Flow>
  void operator()(Step, OnADevice&, const Batches&, Flow&& flow) const {
    flow();
  }
};

template <typename P, typename Scoring>
concept LoopTakes = requires(P& particles, Scoring score) {
  rbm_svgd(particles, Span{0, 1}, Shuffle(1, 2), score, NoScore(), DeviceAdvance(), NoObserver());
};
static_assert(LoopTakes<OnADevice, DeviceScore>);
static_assert(!LoopTakes<OnADevice, Score<double, HostTarget>>); // a host target on a device

// All of the above is checked when this file compiles.
TEST(DeviceParticles, FlyWithRolesOfTheirOwn) {
  OnADevice particles;
  int scored = 0, looked = 0;
  const auto look = [&](Step, OnADevice&, const Batches& batches) {
    EXPECT_TRUE(batches.whole());
    ++looked;
  };
  rbm_svgd(particles, Span{0, 3}, Shuffle(1, 2), DeviceScore{&scored}, NoScore(), look,
           DeviceAdvance(), NoObserver());
  EXPECT_EQ(scored, 3);
  EXPECT_EQ(looked, 3);
}

} // namespace
