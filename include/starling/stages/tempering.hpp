// Tempering: particles brought from a wide reference to the density, one temperature after another.
#pragma once

#include <starling/cloud.hpp>
#include <starling/exact/hmc.hpp>
#include <starling/judge/bridge.hpp>
#include <starling/scout/modes.hpp>
#include <starling/scout/student.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace starling::stages {

/// Over rows of data: few of them, and the log densities of all. Empty: the density is asked as a
/// whole.
struct FewRowsLead {
  CountedDensity* few = nullptr;
  exact::LogDensities all = {};
};

/// Particles follow q^(1-b) p^b from b = 0, a Student t that is much wider than all that the scout
/// met or as wide as a prior, to the density p at b = 1. Each temperature is as far as half of the
/// particles are worth; they are weighed, drawn anew by their weights, and make exact moves. A mode
/// far from all that was climbed to gets its share of the particles while the density is still
/// flat. They go in islands that meet only in the choice of temperatures, so that what the islands
/// say of log Z tells its error.
///
/// Over rows of data few of them may lead the moves, where their error is small at a temperature;
/// all rows give the weights and decide on the moves.
class Tempering {
public:
  static constexpr std::size_t islands = 16, of_an_island = 64;

  Tempering() = default;
  /// Around these modes; where there is a frame of draws of a prior, as wide as those and around
  /// their mean.
  Tempering(std::span<const scout::Mode> around, std::uint64_t seed, const Frame& prior = {});

  bool begun() const { return reference_.frame.dim() > 0; }
  bool over() const { return temperature_ >= 1; }
  /// The draws of the reference, then one temperature after another. It can be asked for again
  /// where the density throws.
  void unit(CountedDensity& density, Threads& threads = Threads::alone(),
            const FewRowsLead& lead = {});
  double temperature() const { return temperature_; }
  std::uint64_t units() const { return units_; }
  /// Of the density itself, whatever the temperature.
  const Cloud& cloud() const { return cloud_; }
  /// When over.
  judge::LogEvidence evidence() const;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("reference", self.reference_);
    visit("seed", self.seed_);
    visit("cloud", self.cloud_);
    visit("temperature", self.temperature_);
    visit("leap", self.leap_);
    visit("units", self.units_);
    visit("log_z", self.log_z_);
  }
  void check(std::size_t dim) const;

private:
  std::vector<double> log_ratios() const;
  Cloud drawn_anew(std::span<const double> log_weights) const;
  bool few_lead(Cloud& cloud, const FewRowsLead& lead, double temperature) const;
  void move(Cloud& cloud, CountedDensity& density, const exact::LogDensities& ends, double& leap,
            Threads& threads) const;
  DensityOfRows tempered(CountedDensity& density, double temperature) const;
  void add_reference(Rows<const double> x, double temperature, Rows<double> score,
                     std::span<double> log_density) const;

  scout::Student reference_;
  std::uint64_t seed_ = 0;
  Cloud cloud_;
  double temperature_ = 0, leap_ = 0.5;
  std::uint64_t units_ = 0;
  std::vector<double> log_z_; // of each island so far
};

} // namespace starling::stages
