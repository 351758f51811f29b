// SVGD on predictions: Python predicts and pulls back, the engine drifts and moves.
#include "arrays.hpp"
#include "parts.hpp"

#include <starling/advance/langevin_step.hpp>
#include <starling/cpu/explicit_step.hpp>
#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/function_space.hpp>
#include <starling/drift/within_groups.hpp>
#include <starling/kernel/parameters.hpp>
#include <starling/observe/guard.hpp>
#include <starling/rbm_svgd.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace starling::python {

namespace {

using Real = float; // as networks have it
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A cloud whose predictions have a Gaussian kernel of width h for each predicted number, moved by
/// Adam, each group of particles as a cloud of its own. The step size falls in the second half, to
/// a twentieth: the noise of rows dies out. Steps from `noise_from` on are Langevin steps, in which
/// `with_noise` coordinates have noise.
class FunctionFlight {
public:
  FunctionFlight(Matrix start, std::size_t outputs, double h, double step_size, Step total,
                 std::size_t threads, std::uint64_t seed, double temperature, Step noise_from,
                 std::size_t with_noise, std::vector<std::size_t> group_ends)
      : threads_(threads), particles_(start.shape(0), start.shape(1), threads_), outputs_(outputs),
        h_(h), step_size_(checked_step_size(step_size)), total_(total), seed_(seed),
        temperature_(temperature), noise_from_(noise_from), with_noise_(with_noise),
        group_ends_(std::move(group_ends)) {
    std::copy_n(start.data(), start.size(), particles_.position().begin());
  }

  /// Takes steps up to, not including, `last`: predict(k, x) answers (f, scores of f), and
  /// pull(k, x, psi) the drift of x. The lock stays held: both come back at once for every step,
  /// and let go of it while they compute.
  void take(Step last, const nb::callable& predict, const nb::callable& pull) {
    const auto to_python = [&](Step k, Rows<const Real> x, Rows<Real> f, Rows<Real> score) {
      const nb::tuple made = nb::cast<nb::tuple>(predict(k, positions_.fill(x)));
      copy(made[0], "predictions", f);
      copy(made[1], "scores of predictions", score);
    };
    const auto back = [&](Step k, Rows<const Real> x, Rows<const Real> psi, Rows<Real> phi) {
      copy(pull(k, positions_.fill(x), drifts_.fill(psi)), "drifts", phi);
    };
    using Drift = WithinGroups<Real, cpu::SumDrift<Real>>;
    const kernel::RuntimeSum<Real> kernel({{1, kernel::Parameters<Real>(static_cast<Real>(h_))}});
    FunctionSpace<Real, Drift> space(particles_.count(), outputs_,
                                     Drift(group_ends_, cpu::SumDrift<Real>(kernel, threads_)),
                                     to_python, back);
    const Guard guard({}, threads_, true);
    done_ = rbm_svgd(
        particles_, Span{done_, std::min(last, total_)}, Whole(),
        [&](Step k, auto& particles, const Batches&) { space.score(k, particles); },
        [&](Step k, auto& particles, const Batches& batches) {
          space.drift(k, particles, batches);
        },
        [&](Step k, auto& particles, const Batches& batches, const auto& flow) {
          const double eta = step_size_ * fall(k);
          if (k >= noise_from_)
            LangevinStep<Real>(seed_, eta, temperature_, with_noise_, threads_)(k, particles,
                                                                                batches, flow);
          else
            cpu::ExplicitStep<Real, Adam<Real>>(Adam<Real>(eta), threads_)(k, particles, batches,
                                                                           flow);
          done_ = k + 1; // also if the next step is interrupted
        },
        guard);
  }

  Step done() const { return done_; }

  nb::object positions() const {
    Positions<Real> copied;
    return copied.fill(particles_.position());
  }

private:
  double fall(Step k) const {
    const double left = 1 - static_cast<double>(k) / static_cast<double>(total_);
    return std::clamp(2 * left, 0.05, 1.0);
  }

  static void copy(nb::handle made, const char* what, Rows<Real> to) {
    const auto from = numbers<Real, 2>(made, what, {to.count, to.dim});
    std::copy_n(from.data(), to.size(), to.begin());
  }

  Threads threads_;
  Ensemble<Real> particles_;
  std::size_t outputs_;
  double h_, step_size_;
  Step total_, done_ = 0;
  std::uint64_t seed_;
  double temperature_;
  Step noise_from_;
  std::size_t with_noise_;
  std::vector<std::size_t> group_ends_;
  Positions<Real> positions_, drifts_;
};

} // namespace

void add_function_flight(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<FunctionFlight>(m, "FunctionFlight")
      .def(nb::init<Matrix, std::size_t, double, double, Step, std::size_t, std::uint64_t, double,
                    Step, std::size_t, std::vector<std::size_t>>(),
           "start"_a, "outputs"_a, "h"_a, "step_size"_a, "total"_a, "threads"_a, "seed"_a,
           "temperature"_a, "noise_from"_a, "with_noise"_a, "group_ends"_a)
      .def("take", &FunctionFlight::take, "last"_a, "predict"_a, "pull"_a)
      .def_prop_ro("done", &FunctionFlight::done)
      .def_prop_ro("positions", &FunctionFlight::positions);
}

} // namespace starling::python
