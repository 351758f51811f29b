// A dealer without its rows: the order of each step, and how rows travel before it. This is what
// ranks and cards are given.
#pragma once

#include <starling/deal/order.hpp>
#include <starling/deal/travel.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace starling {

class Orders {
public:
  /// Of a dealer that has order(k, n), and travel() if its rows travel. Copies share the dealer,
  /// and so what its last order points to.
  template <typename Dealer>
  Orders(Dealer dealer, std::size_t rows) : rows_(rows) {
    if constexpr (requires { dealer.travel(); })
      travel_ = dealer.travel();
    draw_ = [rows, shared = std::make_shared<Dealer>(std::move(dealer))](Step k) {
      return shared->order(k, rows);
    };
  }
  /// One batch of everyone.
  struct Everyone {
    Order order(Step, std::size_t rows) const { return Order(rows); }
  };
  static Orders everyone(std::size_t rows) { return Orders(Everyone(), rows); }

  std::size_t rows() const { return rows_; }
  /// The order of step k.
  Order operator()(Step k) const { return draw_(k); }
  const TravelRule& travel() const { return travel_; }

private:
  std::size_t rows_;
  std::function<Order(Step)> draw_;
  TravelRule travel_;
};

} // namespace starling
