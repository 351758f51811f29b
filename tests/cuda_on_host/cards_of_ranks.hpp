// Ranks as threads with a card each, and a target whose scores know how many rows are asked for at
// once.
#pragma once

#include "assemble/flight.hpp"
#include "cuda_on_host/machines.hpp"
#include "mpi/ranks_as_threads.hpp"
#include "plan/plan.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cuda_tests {

using RankWire = std::shared_ptr<mpi::RankAsThread>;

/// Scores of a wave that knows how many rows it is given, as products of matrices do, made by the
/// host from what it brings down. `spoil` may change them, or throw.
template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
wave_on_card(const std::function<void(Step, Rows<Real>)>& spoil) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->on = [spoil](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    return [machine, spoil](Step k, const Real* x, Real* s, Real*, std::size_t count,
                            std::size_t dim) {
      std::vector<Real> values(count * dim);
      machine->download(values.data(), x, values.size() * sizeof(Real));
      for (Real& v : values)
        v = std::sin(3 * v) - v + Real(1e-6) * static_cast<Real>(count);
      if (spoil)
        spoil(k, {values.data(), count, dim});
      machine->upload(s, values.data(), values.size() * sizeof(Real));
      machine->wait();
    };
  };
  return outside;
}

inline assemble::UserTarget wave(const std::function<void(Step, Rows<double>)>& spoil = {}) {
  assemble::UserTarget user_target;
  user_target.dim = 3;
  user_target.in_double = [](Step, Rows<const double> x, Rows<double> s,
                             std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      if (!density.empty())
        density[i] = 0;
      for (std::size_t a = 0; a < x.dim; ++a) {
        s[i][a] = std::sin(3 * x[i][a]) - x[i][a];
        if (!density.empty())
          density[i] -= std::cos(3 * x[i][a]) / 3 + x[i][a] * x[i][a] / 2;
      }
    }
  };
  user_target.on_card_in_double = wave_on_card<double>(spoil);
  return user_target;
}

inline plan::Recipe asked_of_cards(const std::string& target,
                                   const std::string& precision = "double") {
  plan::Recipe recipe;
  recipe.target = target;
  recipe.method = "paper";
  recipe.device = "cuda";
  recipe.particles = 101;
  recipe.batch = "4";
  recipe.bandwidth = "2";
  recipe.precision = precision;
  recipe.step_size = 0.05;
  recipe.steps = 70; // rows travel once
  recipe.threads = 1;
  recipe.blocks = 8;
  return recipe;
}

inline std::vector<double> on_one_card(const plan::Recipe& recipe,
                                       const assemble::UserTarget* user_target = nullptr) {
  const auto flight = assemble::make_flight(plan::resolve(recipe), 0, user_target);
  flight->take(flight->total(), {});
  return flight->positions();
}

/// The positions that each rank ends with. `user_target_of` makes a rank's own.
using UserTargetOf = std::function<assemble::UserTarget(std::size_t rank)>;
inline std::vector<std::vector<double>> on_cards(std::size_t ranks, const plan::Recipe& recipe,
                                                 bool takes_cards,
                                                 const UserTargetOf& user_target_of = {}) {
  std::vector<std::vector<double>> found(ranks);
  mpi::on_ranks(ranks, [&](const RankWire& wire) {
    wire->cards = takes_cards;
    const assemble::UserTarget user_target =
        user_target_of ? user_target_of(wire->rank()) : assemble::UserTarget();
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0,
                                              user_target_of ? &user_target : nullptr, {}, wire);
    flight->take(flight->total(), {});
    found[wire->rank()] = flight->positions();
  });
  return found;
}

class CardsOfRanks : public OnOpened {
protected:
  /// Whether threads may read from each other's cards: where those are the host.
  static std::vector<bool> ways() {
    return GetParam() ? std::vector<bool>{false} : std::vector<bool>{false, true};
  }

  static void expect_same(const plan::Recipe& recipe, const UserTargetOf& user_target_of = {}) {
    const assemble::UserTarget user_target =
        user_target_of ? user_target_of(0) : assemble::UserTarget();
    const std::vector<double> one = on_one_card(recipe, user_target_of ? &user_target : nullptr);
    for (const std::size_t ranks : {1u, 2u, 3u, 4u, 7u})
      for (const bool takes_cards : ways())
        for (const std::vector<double>& x : on_cards(ranks, recipe, takes_cards, user_target_of))
          EXPECT_EQ(x, one) << ranks << " ranks, "
                            << (takes_cards ? "from card to card" : "by way of the host");
  }
};

} // namespace cuda_tests
