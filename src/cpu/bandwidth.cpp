// Distances of all pairs. Out of line, since every drift with a bandwidth of its own would compile
// the product again.
#include <starling/kernel/bandwidth.hpp>

#include <Eigen/Core>

namespace starling::kernel {

namespace {

template <typename Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

} // namespace

template <typename Real>
struct PairDistances<Real>::Room {
  Matrix<Real> centred, products;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> square;
};

template <typename Real>
PairDistances<Real>::PairDistances() : room_(std::make_unique<Room>()) {}
template <typename Real>
PairDistances<Real>::PairDistances(const PairDistances&) : PairDistances() {}
template <typename Real>
PairDistances<Real>& PairDistances<Real>::operator=(const PairDistances&) {
  return *this;
}
template <typename Real>
PairDistances<Real>::~PairDistances() = default;

template <typename Real>
std::span<Real> PairDistances<Real>::operator()(Rows<const Real> x) {
  squared_.resize(x.count * (x.count - 1) / 2);
  Real* next = squared_.data();
  if (x.dim <= 8) {
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        *next++ = squared_distance(x, i, j);
    return squared_;
  }
  constexpr Real close = 256; // r2 below this part of the squares has lost 8 bits
  auto& centred = room_->centred;
  auto& products = room_->products;
  const Eigen::Map<const Matrix<Real>> rows(x.data, Eigen::Index(x.count), Eigen::Index(x.dim));
  centred = rows.rowwise() - rows.colwise().mean();
  room_->square = centred.rowwise().squaredNorm();
  constexpr Eigen::Index block = 128;
  for (Eigen::Index first = 0; first < rows.rows(); first += block) {
    const Eigen::Index size = std::min(block, rows.rows() - first);
    products.resize(size, first + size);
    products.noalias() =
        centred.middleRows(first, size) * centred.topRows(first + size).transpose();
    for (Eigen::Index i = first; i < first + size; ++i) {
      const Real *product = products.row(i - first).data(), *square = room_->square.data();
      for (Eigen::Index j = 0; j < i; ++j) {
        const Real both = square[i] + square[j], r2 = both - 2 * product[j];
        next[j] = r2 * close >= both ? r2 : squared_distance(x, std::size_t(i), std::size_t(j));
      }
      next += i;
    }
  }
  return squared_;
}

template <typename Real>
std::span<Real> LongDistances<Real>::operator()(Rows<const Real> x) {
  const std::size_t blocks = (x.dim + columns - 1) / columns;
  parts_.resize(blocks * pairs.size());
  squared_.resize(pairs.size());
  threads_->for_pieces(x.dim, columns, [&](std::size_t begin, std::size_t end) {
    using Row = Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>>;
    const auto size = Eigen::Index(end - begin);
    Real* to = parts_.data() + begin / columns * pairs.size();
    for (const auto& [i, j] : pairs)
      *to++ = (Row(x[i].data() + begin, size) - Row(x[j].data() + begin, size)).square().sum();
  });
  for (std::size_t m = 0; m < pairs.size(); ++m) {
    double sum = 0; // of single numbers too: there are many
    for (std::size_t block = 0; block < blocks; ++block)
      sum += static_cast<double>(parts_[block * pairs.size() + m]);
    squared_[m] = static_cast<Real>(sum);
  }
  return squared_;
}

template class LongDistances<double>;
template class LongDistances<float>;
template class PairDistances<double>;
template class PairDistances<float>;

} // namespace starling::kernel
