// Batches of some size in many dimensions: small matrix products in registers. See lanes.hpp for
// how it is compiled.
#pragma once

#include "cpu/pair_terms_inl.hpp"
#include "cpu/wide_rows_inl.hpp"

namespace starling::cpu::STARLING_LEVEL {

/// The drift of a batch as products of small matrices. With W and P the weights and slopes of all
/// pairs, those of a row with itself on the diagonal with their own factor,
///     phi_i = sum_j W_ij s_j - P_ij x_j + (sum_j P_ij) x_i      (radial kernels),
///     phi_i = sum_j W_ij s_j + (sum_j P_ij) x_i                 (dot kernels).
/// Where P = c W (the Gaussian), W (s - c x) is one product instead of two. Positions are taken
/// from their mean, so that what cancels is small; distances from differences. Where members are
/// too far apart for that, the batch is taken row by row.
template <typename Real, Nature nature>
class WideBatch {
  using One = Lanes<Real>;
  using Chunk = Lanes<Real, (One::width < 8 ? 4 : 2)>; // coordinates taken together
  static constexpr bool radial_kernel = radial(nature);
  static constexpr bool second_product = nature == Nature::distance;

public:
  HWY_INLINE WideBatch(const Weights<Real>& weights, const BatchWork<Real>& work)
      : weights_(weights), work_(work), size_(work.size), dim_(work.dim),
        stride_((work.dim + Chunk::count - 1) / Chunk::count * Chunk::count),
        packed_(size_ * (size_ + 1) / 2) {
    x_ = work.room;
    y_ = x_ + size_ * stride_;
    w_ = y_ + size_ * stride_;
    p_ = w_ + size_ * size_;
    argument_ = p_ + size_ * size_;
    weight_ = argument_ + packed_;
    push_ = weight_ + packed_;
    across_ = push_ + packed_;
    centre_ = across_ + size_;
    own_ = centre_ + stride_;
    if constexpr (radial_kernel) { // K / (-2 f') at zero: the squared length over which it changes
      const Real here = 0;
      Real top, falls;
      weights_.of(weights_.kernel, &here, &top, &falls, 1);
      limit_ = Real(far_apart) * top / falls;
    }
  }

  /// False, and nothing done, where members are too far apart.
  HWY_INLINE bool run(const std::uint32_t* members) {
    gather(members);
    std::size_t n = 0;
    for (std::size_t i = 0; i < size_; ++i) { // packed: row i holds columns i ..
      std::size_t j = i;
      for (; j + 4 <= size_; j += 4, n += 4)
        arguments<4>(i, j, argument_ + n);
      for (; j < size_; ++j, ++n)
        arguments<1>(i, j, argument_ + n);
    }
    if constexpr (radial_kernel)
      if (largest_argument() > limit_)
        return false;
    weights_.of(weights_.kernel, argument_, weight_, push_, packed_);
    unpack();
    std::size_t i = 0;
    for (; i + 4 <= size_; i += 4)
      products<4>(members, i);
    for (; i < size_; ++i)
      products<1>(members, i);
    if (work_.added)
      for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t a = 0; a < dim_; ++a)
          work_.phi[members[k] * dim_ + a] += own_[k * dim_ + a];
    return true;
  }

private:
  HWY_INLINE void gather(const std::uint32_t* members) {
    const Real ratio = nature == Nature::proportional ? weights_.ratio : Real(0);
    for (std::size_t a = 0; a < stride_; ++a)
      centre_[a] = 0;
    if constexpr (radial_kernel) {
      for (std::size_t k = 0; k < size_; ++k)
        for (std::size_t a = 0; a < dim_; ++a)
          centre_[a] += work_.x[members[k] * dim_ + a];
      for (std::size_t a = 0; a < dim_; ++a)
        centre_[a] /= static_cast<Real>(size_);
    }
    for (std::size_t k = 0; k < size_; ++k) {
      const Real *x = work_.x + members[k] * dim_, *s = work_.s + members[k] * dim_;
      Real *to = x_ + k * stride_, *mixed = y_ + k * stride_;
      for (std::size_t a = 0; a < dim_; ++a) {
        to[a] = x[a] - centre_[a];
        mixed[a] = s[a] - ratio * to[a];
      }
      for (std::size_t a = dim_; a < stride_; ++a)
        to[a] = mixed[a] = 0;
    }
  }

  /// r2 or x.y of row i with rows j .. j + Columns - 1.
  template <std::size_t Columns>
  HWY_INLINE void arguments(std::size_t i, std::size_t j, Real* to) const {
    One sum[Columns];
    for (std::size_t c = 0; c < Columns; ++c)
      sum[c] = One(Real(0));
    for (std::size_t a = 0; a < stride_; a += One::count) {
      const One xi = One::load(x_ + i * stride_ + a);
      for (std::size_t c = 0; c < Columns; ++c)
        sum[c] = gather_argument<nature>(xi, One::load(x_ + (j + c) * stride_ + a), sum[c]);
    }
    for (std::size_t c = 0; c < Columns; ++c)
      to[c] = sum[c].sum();
  }

  HWY_INLINE Real largest_argument() const {
    using Four = Lanes<Real, 4>;
    Four many(Real(0));
    std::size_t n = 0;
    for (; n + Four::count <= packed_; n += Four::count)
      many = larger(many, Four::load(argument_ + n));
    One all = One::load_some(argument_ + n, packed_ - n < One::count ? packed_ - n : One::count);
    for (std::size_t k = 0; k < 4; ++k)
      all.v[0] = hn::Max(all.v[0], many.v[k]);
    Real last[One::count], most = 0;
    all.store(last);
    for (const Real one : last)
      most = one > most ? one : most;
    for (n += One::count; n < packed_; ++n)
      most = argument_[n] > most ? argument_[n] : most;
    return most;
  }

  HWY_INLINE void unpack() {
    for (std::size_t i = 0; i < size_; ++i)
      across_[i] = 0;
    for (std::size_t i = 0, n = 0; i < size_; ++i)
      for (std::size_t j = i; j < size_; ++j, ++n) {
        const Real factor = i == j ? work_.self : work_.pair;
        const Real w = factor * weight_[n], p = factor * push_[n];
        w_[i * size_ + j] = w_[j * size_ + i] = w;
        p_[i * size_ + j] = p_[j * size_ + i] = p;
        across_[i] += p;
        if (i != j)
          across_[j] += p;
      }
  }

  /// The drifts of rows i .. i + Rows - 1. Cost: a multiplication and addition, or two, for each
  /// pair and coordinate.
  template <std::size_t Rows>
  HWY_INLINE void products(const std::uint32_t* members, std::size_t i) const {
    for (std::size_t a = 0; a < stride_; a += Chunk::count) {
      Chunk sum[Rows];
      for (std::size_t r = 0; r < Rows; ++r)
        sum[r] = Chunk(across_[i + r]) * Chunk::load(x_ + (i + r) * stride_ + a);
      for (std::size_t j = 0; j < size_; ++j) {
        const Chunk y = Chunk::load(y_ + j * stride_ + a);
        for (std::size_t r = 0; r < Rows; ++r)
          sum[r] = mul_add(Chunk(w_[(i + r) * size_ + j]), y, sum[r]);
      }
      if constexpr (second_product)
        for (std::size_t j = 0; j < size_; ++j) {
          const Chunk x = Chunk::load(x_ + j * stride_ + a);
          for (std::size_t r = 0; r < Rows; ++r)
            sum[r] = mul_sub_from(Chunk(p_[(i + r) * size_ + j]), x, sum[r]);
        }
      for (std::size_t r = 0; r < Rows; ++r) {
        Real* phi = (work_.added ? own_ + (i + r) * dim_ : work_.phi + members[i + r] * dim_) + a;
        if (a + Chunk::count <= dim_) {
          sum[r].store(phi);
        } else {
          Real last[Chunk::count];
          sum[r].store(last);
          for (std::size_t k = 0; a + k < dim_; ++k)
            phi[k] = last[k];
        }
      }
    }
  }

  const Weights<Real> weights_;
  const BatchWork<Real> work_;
  const std::size_t size_, dim_, stride_, packed_;
  Real limit_ = 0;
  Real *x_, *y_, *w_, *p_, *argument_, *weight_, *push_, *across_, *centre_, *own_;
};

template <typename Real, Nature nature>
HWY_FLATTEN void wide_batches(const Weights<Real>& weights, const BatchWork<Real>& work) {
  WideBatch<Real, nature> batch(weights, work);
  for (std::size_t q = 0; q < work.count; ++q)
    if (!batch.run(work.order +
                   q * work.size)) { // apart from the class, whose members stay in registers
      BatchWork<Real> alone = work;
      alone.order = work.order + q * work.size;
      alone.count = 1;
      wide_rows<Real, nature>(weights, alone);
    }
}

} // namespace starling::cpu::STARLING_LEVEL
