// From which sizes on which sweep serves, each threshold named once.
#pragma once

#include "cuda/pairs.hpp"

#include <starling/deal/order.hpp>

#include <algorithm>
#include <cstdint>

namespace starling::cuda {

namespace layout {
constexpr std::uint32_t few = 8; ///< dimensions whose numbers a thread holds
constexpr std::uint32_t large_batch =
    65; ///< members from which tiles are worth it, above those dimensions
constexpr std::uint32_t one_block =
    1024; ///< particles in one or two dimensions whose steps one block takes
constexpr std::uint32_t fused_members = 8, fused_dim = 64;
constexpr std::size_t most_block_bytes =
    99 * 1024; ///< of a block's own memory, for those who ask: every card has them
constexpr std::size_t side_by_side_turns = 16; ///< from which on the way there and back is worth it
constexpr std::uint32_t product_dim = 64;      ///< the most that the products hold
constexpr std::uint32_t product_rows = 256;    ///< of a block
constexpr std::uint32_t product_others = 256;  ///< the fewest that a share is worth
constexpr std::uint32_t product_places = 320;  ///< beyond the last, which blocks may read
} // namespace layout

/// Whether drift and move are one sweep: the Gaussian alone, small batches, in single precision (in
/// double they would take twice the registers, and the build twice the time).
template <typename Real>
bool is_fused(std::uint32_t dim, const Pairs<Real>& pairs, const Order& order) {
  if (sizeof(Real) != 4 || !pairs.gaussian_alone() || order.smaller() < 2)
    return false;
  if (order.smaller() == 2 && (order.larger() == 0 || dim <= layout::fused_dim))
    return dim <= 2 * layout::fused_dim;
  return order.largest() <= layout::fused_members &&
         (dim <= 2 || (dim > layout::few && dim <= layout::fused_dim));
}

/// Whether fused steps are faster with each row's memory behind its position, and take it so:
/// batches from all over memory.
inline bool wants_side_by_side(std::uint32_t dim, const Order& order) {
  const std::uint32_t p = order.smaller();
  return order.kind == Order::Kind::moebius && order.larger() == 0 &&
         (p == 2 || p == 4 || p == 8) && (dim <= 2 || (dim > layout::few && dim % 4 == 0));
}

/// Numbers of a row as products take it.
inline std::uint32_t product_width(std::uint32_t dim) { return dim <= 32 ? 32 : 64; }

/// In how many shares a block's rows meet the others of their batch, so that a card of some 132
/// processors is busy; 0 where the drift is not made by products.
template <typename Real>
std::uint32_t product_shares(std::uint32_t dim, const Pairs<Real>& pairs, const Order& order) {
  const std::uint32_t members = order.largest();
  if (sizeof(Real) != 4 || dim <= layout::few || dim > layout::product_dim ||
      members < layout::large_batch || !pairs.gaussian_alone())
    return 0;
  const std::size_t tiles =
      std::size_t{order.pieces} * ((members + layout::product_rows - 1) / layout::product_rows);
  std::uint32_t best = 1;
  double most = 0;
  for (std::uint32_t shares = 1;
       shares <= 16 && (shares == 1 || members / shares >= layout::product_others); ++shares) {
    const std::size_t blocks = tiles * shares, rounds = (blocks + 131) / 132;
    const double busy = double(blocks) / double(132 * rounds) - 0.005 * shares;
    if (busy > most) {
      most = busy;
      best = shares;
    }
  }
  return best;
}

} // namespace starling::cuda
