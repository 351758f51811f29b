// Which layout of the pair drift takes a batch: every threshold, named once, for the tests as well.
#pragma once

#include <cstddef>

namespace starling::cpu {

// Few dimensions: one batch per lane, or lanes that are members of one batch (panels).
inline constexpr std::size_t small_dim = 8;    ///< up to here panels lay coordinates out apart
inline constexpr std::size_t small_most = 128; ///< members of a batch in one lane
inline constexpr std::size_t lane_dim =
    12; ///< coordinates of such a batch, small_dim of one that would go row by row
inline constexpr std::size_t small_room = 256; ///< members times coordinates of such a batch
inline constexpr std::size_t one_vector_most =
    64; ///< above, batches must fill two vectors: a panel fills more by itself
inline constexpr std::size_t panel_columns = 64; ///< columns that a panel takes at a time
inline constexpr std::size_t panel_block = 256;  ///< rows of a block of a panel
inline constexpr std::size_t shared_panel = 4 * panel_block; ///< from here threads share one batch
inline constexpr std::size_t panel_matches = 64; ///< of blocks that are played at the same time

// Many dimensions: row by row, small products in registers, or products by BLAS.
inline constexpr std::size_t few = 5; ///< members that are taken row by row
inline constexpr std::size_t gemm_least =
    128; ///< members a batch needs for BLAS to pay: see gemm_least_in
inline constexpr std::size_t gemm_block = 256;  ///< rows of a block
inline constexpr std::size_t gemm_matches = 32; ///< of blocks that are played at the same time
inline constexpr std::size_t shared_products =
    2 * gemm_block; ///< from here threads share one batch

/// Whether one lane takes a batch, if there are enough of them.
constexpr bool fits_a_lane(std::size_t members, std::size_t dim) {
  return members <= small_most && dim <= (members > few ? lane_dim : small_dim) &&
         members * dim <= small_room;
}

// Very many dimensions: blocks of columns, all threads on one batch.
inline constexpr std::size_t wide_dim = 8192; ///< from here on, for batches that BLAS does not take
inline constexpr std::size_t wide_columns =
    2048; ///< of a block: a few rows of it stay close at hand

/// Members that a batch needs to be taken by BLAS: more where else all threads would share it.
constexpr std::size_t gemm_least_in(std::size_t dim) {
  return dim < wide_dim ? gemm_least : gemm_block;
}

// Batches spread wide against the kernel. The rounding of r2 = |x|^2 + |y|^2 - 2 x.y is that of the
// squares, and so is that of forces summed as products. It is of no account while the squares are
// below `wide_apart` squared lengths of the kernel, or r2 is not below 1 / near_share of them.
inline constexpr int wide_apart = 64;
inline constexpr int near_share = 8;
inline constexpr int far_apart = 4096; ///< from here the mean serves no more as the centre of all

// A kernel for each coordinate: several small batches side by side, or one large one shared by
// threads.
inline constexpr std::size_t coordinate_most = 64; ///< members of a small batch
inline constexpr std::size_t coordinate_room =
    512; ///< numbers of a member, over batches side by side

inline constexpr std::size_t widest = 16; ///< lanes of the widest vector

} // namespace starling::cpu
