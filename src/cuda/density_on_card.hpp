// A density that a card computes, for rows that live on the host: positions go there, scores and
// log densities come back. A run in stages asks for at most some hundred rows at a time.
#pragma once

#include "cuda/outside.hpp"
#include "cuda/scoring.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace starling::cuda {

/// Real is the number type that the card counts in.
template <typename Real>
class DensityOnCard {
public:
  DensityOnCard(std::shared_ptr<Machine> machine, const Outside<Real>& target)
      : machine_(std::move(machine)), target_(target.on(machine_)), few_sizes_(target.few_sizes),
        from_host_(target.from_host ? target.from_host(machine_) : RowsFromHost()) {}

  /// Some rows at a time: what a function makes of each on the card may be large.
  void operator()(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    if (from_host_ && from_host_(x, score, log_density))
      return;
    for (std::size_t first = 0; first < x.count; first += most) {
      const std::size_t last = std::min(x.count, first + most);
      evaluate(x.slice(first, last), score.slice(first, last),
               log_density.subspan(first, last - first));
    }
  }

  static constexpr std::size_t most = 8192; ///< rows in a call

private:
  static constexpr std::size_t least = 64; ///< where sizes are few: a card does as many at once

  void evaluate(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    const std::size_t rows = few_sizes_ ? std::max(least, std::bit_ceil(x.count)) : x.count;
    make_room(rows * x.dim, rows);
    here_.assign(x.begin(), x.end());
    for (std::size_t i = x.count; i < rows; ++i) // the last again
      here_.insert(here_.end(), x[x.count - 1].begin(), x[x.count - 1].end());
    x_.upload(here_.data(), here_.size());
    target_(0, x_.data(), score_.data(), log_density_.data(), rows, x.dim);
    score_.download(here_.data(), x.size());
    std::copy_n(here_.begin(), x.size(), score.begin());
    log_density_.download(here_.data(), x.count);
    std::copy_n(here_.begin(), x.count, log_density.begin());
  }

  void make_room(std::size_t numbers, std::size_t rows) {
    if (x_.size() >= numbers && log_density_.size() >= rows)
      return;
    DeviceBuffer<Real> x(*machine_, numbers), score(*machine_, numbers), density(*machine_, rows);
    std::swap(x_, x); // all or none
    std::swap(score_, score);
    std::swap(log_density_, density);
  }

  std::shared_ptr<Machine> machine_; // before what lies on it
  OutsideScore<Real> target_;
  bool few_sizes_;
  RowsFromHost from_host_;
  DeviceBuffer<Real> x_, score_, log_density_;
  std::vector<Real> here_; // on the way, in the card's number type
};

/// A built-in target, whose numbers are put on the card.
template <typename Real>
std::shared_ptr<const Outside<Real>> shape_on_card(Scoring<Real> target,
                                                   std::vector<Real> numbers) {
  struct Resident {
    std::shared_ptr<Machine> machine; // before what lies on it
    DeviceBuffer<Real> numbers, room;
  };
  auto outside = std::make_shared<Outside<Real>>();
  outside->has_log_density = true;
  outside->on = [target, numbers](const std::shared_ptr<Machine>& machine) -> OutsideScore<Real> {
    auto there = std::make_shared<Resident>(
        Resident{machine, DeviceBuffer<Real>(*machine, numbers.size()), {}});
    there->numbers.upload(numbers.data(), numbers.size());
    ScoringWork<Real> work{.target = target};
    work.target.point_to(there->numbers.data());
    return [there, work](Step, const Real* x, Real* score, Real* log_density, std::size_t count,
                         std::size_t dim) mutable {
      if (there->room.size() < count * dim)
        there->room = DeviceBuffer<Real>(*there->machine, count * dim);
      work.count = static_cast<std::uint32_t>(count);
      work.dim = static_cast<std::uint32_t>(dim);
      work.x = x;
      work.s = score;
      work.log_density = log_density;
      work.room = there->room.data();
      there->machine->sweeps(Real()).evaluate(work);
    };
  };
  return outside;
}

} // namespace starling::cuda
