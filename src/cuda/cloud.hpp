// A cloud on a device and the steps it takes: turns are gathered and taken together, and taken back
// if one fails.
#pragma once

#include "cuda/ensemble.hpp"
#include "cuda/outside.hpp"

#include <starling/deal/orders.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starling::cuda {

/// What a run asks of a device.
template <typename Real>
struct RunSpec {
  std::size_t particles = 0, dim = 0;
  Scoring<Real> target;      ///< its pointers are filled in by whoever uploads
  std::vector<Real> numbers; ///< what they point to: the mean; or constants, means and precisions
  std::shared_ptr<const Outside<Real>> outside; ///< who scores instead; empty: `target`
  Pairs<Real> pairs;
  double bandwidth = 1;         ///< where it is fixed
  std::size_t median_pairs = 0; ///< else the median of so many; 0: fixed
  std::uint64_t seed = 1;
  std::optional<Orders> orders; ///< none of them a list of all rows
  Rule<Real> rule;
  std::vector<std::string> names; ///< of the parameters, for errors
};

template <typename Real>
class Cloud {
public:
  Cloud(std::shared_ptr<Machine> machine, RunSpec<Real> spec);

  Ensemble<Real>& particles() { return particles_; }
  Machine& machine() { return *machine_; }

  /// Adds step k, the one after the last, to those that are to be taken.
  void record(Step k);
  /// Takes them. If one fails, those before it are taken, those after it forgotten, and TargetError
  /// or Diverged thrown: next() then says where it stands.
  void flush();
  Step next() const { return next_; }

  /// The flow of step k, without its move; then some of its rows, whole batches of them, are put
  /// into `some` and their batches into `batches`. To be followed by move().
  void flow(Step k, std::size_t most_rows, std::unique_ptr<starling::Ensemble<Real>>& some,
            Batches& batches);
  void move();
  /// Scores and drifts of everyone where they are now, with the batches of the next step.
  void flow_again();

  /// As they lie here.
  void positions_in(Step next) { next_ = next; }
  std::vector<Real> column(DeviceColumn<Real> column) const;

private:
  static constexpr std::size_t most_turns = 64;
  static constexpr double longest_flush =
      0.05; ///< seconds, where others score: so long may Ctrl-C and progress wait

  void draw(Step k);
  void upload_turns();
  void take_turns();
  void score(Step k);
  void drop_turns_from(std::size_t turn);
  void make_room_for_products();
  bool leaves_scores_and_drifts() const;
  bool wants_side_by_side() const;
  /// Before turns that may fail; in the columns of scores and drifts where nobody needs those.
  void keep_columns(bool in_columns);
  void restore_kept();
  bool lost_a_number();
  void locate_failure(bool moved); ///< whether the columns have to be taken back
  void travel(Step k);
  Real* lasting_column(std::size_t c) {
    return c == 0 ? particles_.position().address : particles_.memory(c - 1).address;
  }
  Work<Real> work() const;
  Sweeps<Real>& sweeps() { return machine_->sweeps(Real()); }

  std::shared_ptr<Machine> machine_;
  RunSpec<Real> spec_;
  mutable Ensemble<Real> particles_;
  DeviceBuffer<Real> numbers_, inverse_h_, distances_;
  DeviceBuffer<std::uint32_t> inverse_, lists_, order_, bad_;
  DeviceBuffer<Turn<Real>> turns_;
  DeviceBuffer<std::uint32_t> shorts_; // for products: high and low parts
  DeviceBuffer<float> longs_, norms_, parts_;
  std::vector<DeviceBuffer<Real>> kept_; // position and memories before the turns
  std::array<Real*, 3> kept_at_{};
  std::vector<Turn<Real>> pending_;
  std::vector<std::uint32_t> pending_lists_;
  Step next_ = 0;
  bool side_by_side_ =
      false; // while turns are taken: rows lie so, in the room of scores and drifts
  OutsideScore<Real> outside_;
  std::size_t at_once_ = most_turns; // turns that are gathered
};

} // namespace starling::cuda
