// A run in stages, for those who bring a density and nothing else: scout, fly, certify, settle.
#pragma once

#include <starling/batches.hpp>
#include <starling/density.hpp>
#include <starling/exact/hmc.hpp>
#include <starling/frame.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/row_density.hpp>
#include <starling/run/metric.hpp>
#include <starling/scout/modes.hpp>
#include <starling/threads.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::scout {
class FewRows;
class Scouting;
} // namespace starling::scout

namespace starling::run {

enum class Stage { scout, fly, certify, settle, finished };
constexpr std::size_t stages = 4; ///< those with work to do
const char* name(Stage stage);

/// The part of the flight's kernel beside the bilinear one: none; a Gaussian of the distance; one
/// for each of the user's parameters, in batches; the same, exact over all particles.
enum class FlightKernel { none, gaussian, parameters, marginals };

/// The same for every density; what stands here was found on real posteriors.
struct JourneySettings {
  std::size_t particles = 1024;
  std::uint64_t seed = 1;
  std::size_t starts = 8;       ///< of the scout
  std::size_t steps = 125;      ///< of RBM-SVGD in the flight
  std::size_t flight_moves = 0; ///< exact moves before them
  std::size_t batch_size = 8;
  double step_size = 0.3, decay = 10; ///< step t of T: step_size / (1 + decay t/T)
  double clip = 0.3;   ///< a particle's move in the frame is at most clip sqrt(d) long
  double bilinear = 1; ///< weight of the bilinear part
  FlightKernel kernel = FlightKernel::marginals;
  std::optional<double> kernel_weight; ///< of parameters and marginals; none given: 1 and 3
  double kernel_width = 0.1; ///< squared, of parameters and marginals, in variances of the cloud
  std::size_t certify_moves = 20; ///< 0: no certificate
  std::size_t settle_rounds = 3,
              first_round = 40; ///< each twice as long as the one before; 0: never
  std::size_t polish_steps = 20;
  bool polish_confirmed =
      true;                   ///< also a cloud that the first test confirmed, from its exact moves
  bool settle_always = false; ///< also a cloud that was confirmed
  Metric metric = Metric::by_size;

  // Where the density is made of many rows of data.
  std::size_t rows_a_step = 1000;  ///< that a step of the flight reads
  std::size_t guide_rows = 20'000; ///< that guide exact moves, at most; all rows decide on them
  /// Unless the guide stands for them: the sd over particles of what its log density lacks from
  /// that of all rows is at most this. No mean is then off by more than that many sd. 0: all rows
  /// decide always.
  double guide_lack = 0.025;
  std::size_t moved_particles = 256; ///< of the cloud, by exact moves
};

/// Columns that users read beside the positions, made from rows of positions; a row each.
struct ReadColumns {
  std::size_t count = 0;
  std::function<std::vector<double>(Rows<const double> x)> of;
};

struct Progress {
  Stage stage = Stage::scout;
  std::uint64_t done = 0, total = 1; ///< units of this stage; the total may grow
};

/// What the scout found, in numbers that outlive it.
struct Scouted {
  std::size_t modes = 1;
  bool by_pathfinder = false;
  double elbo = 0;
  std::vector<scout::Mode> found = {}; ///< where there are several; not kept in the state
};

/// How a journey over many rows of data went.
struct RowsReport {
  std::size_t rows = 0, a_step = 0;
  std::array<RowCounts, stages> read{};
  double noise = 0; ///< of a step's scores against their size: root mean square in the frame
  double away = 0;  ///< from the mode to the cloud's mean, in the cloud's sd, where it is largest
  double lack = 0;  ///< of the guide's log density: sd over the particles that were looked at, the
                    ///< larger of the last two looks
  bool by_guide = false; ///< the guide decided on the last exact moves, and not all rows
};

/// All of a journey: named columns of numbers, and whole numbers. A journey made from it goes on
/// bit for bit.
struct JourneyState {
  std::map<std::string, std::vector<double>> columns;
  std::map<std::string, std::uint64_t> counts;
};

/// Takes a density from nothing to a cloud with a certificate, in units of about the same work: the
/// scout, a step of the flight, an exact move.
class Journey {
public:
  Journey(DensityOfRows density, std::size_t dim, const JourneySettings& settings,
          Threads& threads = Threads::alone(), ReadColumns read = {});
  /// Over rows of data: the scout climbs on some of them and ends on all, steps of the flight read
  /// few, exact moves are guided by few and decided by all, for some of the particles.
  Journey(RowDensity rows, const JourneySettings& settings, Threads& threads = Threads::alone(),
          ReadColumns read = {});
  ~Journey();

  /// Begins with this cloud instead of a scout's: at the flight, or at the certificate of the cloud
  /// as it is. The frame is the cloud's. Throws TargetError where the density fails for any row.
  void begin_from(Rows<const double> x, Stage stage);

  /// Over rows: begins around this mode, in the frame there, instead of a scout's.
  void begin_at(const Frame& home);

  bool finished() const { return stage_ == Stage::finished; }
  /// That many units, or to the end. Throws what the density throws, and TargetError when the scout
  /// finds nowhere to start; a journey that threw goes on only after `restore`.
  void take(std::uint64_t units);
  /// A part of a unit: the scout has many, and a journey that is saved among them scouts afresh
  /// when it goes on, which comes to the same.
  void take_part();
  /// Whether the scout is half way.
  bool scouting() const { return scouting_ != nullptr; }
  Progress progress() const;

  /// The cloud as it is. Before the scout is done there is none.
  Rows<const double> positions() const { return cloud_.position(); }
  std::span<const double> log_density() const { return cloud_.log_density; }
  const exact::Walkers& cloud() const { return cloud_; }
  const Frame& frame() const { return frame_; }
  const Scouted& scouted() const { return scouted_; }

  /// Of the cloud, when finished and not switched off. Parameters are the positions' columns, then
  /// those that are read. With several modes it is never `confirmed`: moves do not cross between
  /// them.
  const std::optional<judge::Certificate>& certificate() const { return certificate_; }
  /// What the flight's cloud got, if it was settled afterwards.
  const std::optional<judge::Certificate>& first_certificate() const { return first_; }
  /// Means and sds over exact moves, of the same columns; empty where there were none.
  const std::vector<double>& pooled_means() const { return pooled_means_; }
  const std::vector<double>& pooled_sds() const { return pooled_sds_; }
  bool settled() const { return settled_; } ///< the cloud comes from rounds of exact moves
  bool polished() const {
    return polished_;
  } ///< it was polished, after those rounds or after the test's moves
  /// Gradients of the stages, in order.
  const std::array<std::uint64_t, stages>& gradients() const { return gradients_; }

  /// Only of a journey over rows, after the scout: scores and log densities estimated from the rows
  /// of the guide.
  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density);
  const std::optional<RowsReport>& over_rows() const { return report_; }

  JourneyState save() const;
  /// For a journey with the same density and settings.
  void restore(const JourneyState& state);

private:
  enum class Part : std::uint64_t { tune, move, polish }; // within a stage

  void unit();
  void reframe(Rows<const double> x);
  void scout_it();
  void scout_rows();
  void set_out_over_rows();
  void meet_rows();
  void choose_walkers();
  std::size_t guide_rows() const;
  double guide_lacks();
  void choose_who_decides();
  judge::Bounds bounds();
  void look_at_rows();
  void save_rows(JourneyState& state) const;
  void restore_rows(const JourneyState& state);
  CountedDensity& leaps() { return guide_ ? *guide_ : density_; }
  exact::LogDensities ends();
  exact::LogDensities all_rows();
  void set_out();
  void fly_on();
  void certify_on();
  void settle_on();
  void exact_flight_move();
  void svgd_step(double step_size);
  void arrive(bool at_end = false);
  void begin_test(double acceptance);
  bool test_move(std::uint64_t moves);
  void after_flight_test();
  void after_flight_polish();
  bool polish_step();
  void after_round();
  void after_last_test();
  void keep_for_sifting(std::uint64_t moves);
  void sift();
  void keep_if_better();
  void go(Stage stage, Part part = Part::tune);
  void finish();
  Frame::Matrix columns(const Frame::Matrix& x) const;
  std::uint64_t round_moves() const;
  /// Whether a flight that was right is polished, from the draws of the moves that showed it.
  bool polishes_flights() const {
    return settings_.polish_confirmed && settings_.polish_steps > 0 &&
           settings_.settle_rounds > 0 && !rows_;
  }
  exact::Stride stride() const;

  CountedDensity density_;
  std::size_t dim_;
  JourneySettings settings_;
  Threads* threads_;
  ReadColumns read_;
  struct Wings; // the roles of the flight
  std::unique_ptr<Wings> wings_;
  std::optional<RowDensity> rows_;
  std::unique_ptr<scout::FewRows> few_; // made from `home_`
  std::optional<CountedDensity> guide_;
  RowCounts counts_;
  std::unique_ptr<scout::Scouting> scouting_; // under way; not saved

  // State, all of it saved.
  Stage stage_ = Stage::scout;
  Part part_ = Part::tune;
  std::uint64_t done_ = 0, in_part_ = 0, round_ = 0;
  std::uint64_t moves_ = 0, steps_ = 0, tunings_ = 0; // addresses of random numbers: never back
  std::array<std::uint64_t, stages> gradients_{};
  Scouted scouted_;
  Frame frame_;
  exact::Walkers cloud_, walkers_; // the cloud; those on exact moves
  Frame::Matrix next_;             // where the flight goes, not yet evaluated
  exact::Walkers exact_;           // after the exact moves: kept if the polish spoils it
  exact::Walkers best_;            // of the polish, by how well it has the pool's moments
  double misfit_ = 0;              // its distance from them
  Frame::Matrix before_;           // the test's columns before its moves
  std::optional<judge::MoveTest> test_;
  double stride_ = 0, accepted_ = 0; // step of the exact moves; sum of acceptances in the test
  std::vector<double> kept_;         // clouds of a round of exact moves, to sift from
  std::optional<judge::Certificate> certificate_, first_;
  std::vector<double> pooled_means_, pooled_sds_;
  bool settled_ = false, polished_ = false;
  Frame home_;          // over rows: the mode, and the frame there
  Frame::Matrix began_; // over rows: the columns of those that the test moves, before
  std::optional<RowsReport> report_;
};

} // namespace starling::run
