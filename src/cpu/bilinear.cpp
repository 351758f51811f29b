// The bilinear part of a kernel. Out of line: its products cost as much to compile as the rest of a
// drift.
#include <starling/drift/bilinear.hpp>

#include "cpu/row_products.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace starling {

namespace {

using Index = Eigen::Index;

template <typename Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t particles_a_dimension = 10; // with fewer, A is shrunk
constexpr int turns = 12;                         // of the power method

// There Eigen goes through a column in one pass and needs no room; a few rows, and matrices, it
// would copy first, so it gets them copied already.
bool on_the_line(Index dim, Index count) { return dim == 1 && count >= 20; }

template <typename Scalar>
auto mapped(Rows<Scalar> view) {
  using Plain = Matrix<std::remove_const_t<Scalar>>;
  using Mapped = std::conditional_t<std::is_const_v<Scalar>, const Plain, Plain>;
  return Eigen::Map<Mapped>(view.data, Index(view.count), Index(view.dim));
}

} // namespace

template <typename Real>
struct BilinearPart<Real>::Room {
  Eigen::Matrix<Real, 1, Eigen::Dynamic> mean, shift; // shift: c mean(s)
  Matrix<Real> pull;
  std::vector<Matrix<Real>> sums; // of each piece: its rows about the mean times their scores
  std::vector<Real> dealt; // where not everyone is: their positions, scores and drifts together
};

template <typename Real>
BilinearPart<Real>::BilinearPart(Real weight, Threads& threads, bool careful)
    : weight_(weight), careful_(careful), threads_(&threads), room_(std::make_unique<Room>()) {}
template <typename Real>
BilinearPart<Real>::BilinearPart(const BilinearPart& other)
    : BilinearPart(other.weight_, *other.threads_, other.careful_) {}
template <typename Real>
BilinearPart<Real>& BilinearPart<Real>::operator=(const BilinearPart& other) {
  weight_ = other.weight_;
  careful_ = other.careful_;
  threads_ = other.threads_;
  return *this;
}
template <typename Real>
BilinearPart<Real>::~BilinearPart() = default;

template <typename Real>
void BilinearPart<Real>::add(Ensemble<Real>& particles, const Batches& batches) {
  const Rows<const Real> x = std::as_const(particles).position(),
                         s = std::as_const(particles).score();
  if (batches.whole())
    return add(x, s, particles.drift());
  const auto order = batches.order();
  const std::size_t count = order.size() * x.dim;
  room_->dealt.resize(3 * count);
  const auto column = [&](std::size_t n) {
    return Rows<Real>{room_->dealt.data() + n * count, order.size(), x.dim};
  };
  for (std::size_t n = 0; n < order.size(); ++n) {
    std::ranges::copy(x[order[n]], column(0)[n].begin());
    std::ranges::copy(s[order[n]], column(1)[n].begin());
    std::ranges::copy(particles.drift()[order[n]], column(2)[n].begin());
  }
  add(column(0), column(1), column(2));
  for (std::size_t n = 0; n < order.size(); ++n)
    std::ranges::copy(column(2)[n], particles.drift()[order[n]].begin());
}

template <typename Real>
void BilinearPart<Real>::add(Rows<const Real> positions, Rows<const Real> scores,
                             Rows<Real> drifts) {
  auto& mean = room_->mean;
  auto& shift = room_->shift;
  auto& pull = room_->pull;
  auto& sums = room_->sums;
  const auto x = mapped(positions), s = mapped(scores);
  auto drift = mapped(drifts);
  mean = x.colwise().mean();
  shift = s.colwise().mean();
  shift *= weight_;

  const auto about_mean = [&](const auto& rows) -> const Matrix<Real>& {
    thread_local Matrix<Real> off; // kept from step to step, for the largest piece alone
    off = rows.rowwise() - mean;
    return off;
  };
  // Sums of pieces, added in order: the same on any number of threads.
  const std::size_t n = positions.count, d = positions.dim,
                    grain = std::max<std::size_t>(256, (n + 63) / 64);
  sums.resize((n + grain - 1) / grain);
  threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
    const Index first = Index(begin), count = Index(end - begin);
    Matrix<Real>& sum = sums[begin / grain];
    sum.resize(x.cols(), x.cols());
    if (on_the_line(x.cols(), count))
      sum.noalias() =
          (x.middleRows(first, count).rowwise() - mean).transpose() * s.middleRows(first, count);
    else
      cpu::turned_product<Real>(d, d, end - begin, about_mean(x.middleRows(first, count)).data(),
                                scores[begin].data(), sum.data());
  });
  pull.setZero(x.cols(), x.cols()); // (A + I)^T, for rows
  for (const auto& sum : sums)
    pull += sum;
  pull /= static_cast<Real>(n);
  if (careful_ && n < particles_a_dimension * positions.dim)
    shrink(positions, scores);
  pull.diagonal().array() += Real(1);
  if (careful_)
    norm_ = weight_ * largest_singular_value();
  threads_->for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
    const Index first = Index(begin), count = Index(end - begin);
    auto some = drift.middleRows(first, count);
    if (on_the_line(x.cols(), count))
      some.noalias() += weight_ * ((x.middleRows(first, count).rowwise() - mean) * pull);
    else
      cpu::add_product<Real>(end - begin, d, d, weight_,
                             about_mean(x.middleRows(first, count)).data(), pull.data(), Real(1),
                             drifts[begin].data());
    some.rowwise() += shift;
  });
}

/// The elements of A are means over particles, so their variances are known: together
///     sum of |x_j|^2 |s_j|^2 / N^2 - |A|^2 / N
/// What they have of squares beyond that is signal; off the diagonal no more than its share stays.
template <typename Real>
void BilinearPart<Real>::shrink(Rows<const Real> positions, Rows<const Real> scores) {
  auto& pull = room_->pull;
  const auto x = mapped(positions), s = mapped(scores);
  const auto n = static_cast<Real>(positions.count);
  const Real products = ((x.rowwise() - room_->mean).rowwise().squaredNorm().array() *
                         s.rowwise().squaredNorm().array())
                            .sum();
  const Real noise = products / (n * n) - pull.squaredNorm() / n;
  const Real squares = pull.squaredNorm() - pull.diagonal().squaredNorm();
  const Real kept = squares > noise && noise >= 0 ? 1 - noise / squares : Real(0);
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> diagonal = pull.diagonal();
  pull *= kept;
  pull.diagonal() = diagonal;
}

template <typename Real>
Real BilinearPart<Real>::largest_singular_value() const {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const auto& m = room_->pull;
  Vector v = Vector::Ones(m.cols());
  for (Index a = 0; a < v.size(); ++a)
    v[a] += Real(0.1) * std::sin(Real(a)); // not orthogonal to what is looked for
  Real largest = 0;
  for (int turn = 0; turn < turns; ++turn) {
    v /= v.norm();
    v = m.transpose() * (m * v);
    largest = std::sqrt(v.norm());
    if (!(largest > 0)) // also where it is not a number
      break;
  }
  return largest;
}

template class BilinearPart<double>;
template class BilinearPart<float>;

} // namespace starling
