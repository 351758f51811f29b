// Rows to the homes of their batches, drifts back.
#include "mpi/crossing.hpp"

#include "cpu/layouts.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace starling::mpi {

template <typename Real>
Crossing<Real>::Crossing(const Blocks& blocks, Wire& wire)
    : blocks_(blocks), wire_(wire), in_(wire.size()), sent_(wire.size()), received_(wire.size()) {}

template <typename Real>
void Crossing<Real>::plan(const Share& share, std::size_t population, double time, std::size_t dim) {
  const std::size_t me = wire_.rank(), first = blocks_.first(me), last = first + blocks_.rows_of(me);
  share_ = &share;
  for (auto& list : in_)
    list.clear();
  own_.clear();
  own_at_.clear();
  rows_ = share.members.size();
  for (std::uint32_t at = 0; at < rows_; ++at) {
    const std::uint32_t place = share.members[at];
    if (place >= first && place < last) {
      own_.push_back(static_cast<std::uint32_t>(place - first));
      own_at_.push_back(at);
    } else {
      in_[blocks_.rank_of(place)].push_back(at);
    }
  }
  const std::size_t homed = share.count(); // batches, and members of the first and of the last
  const std::size_t leading = homed > 0 ? share[0].size() : 0, trailing = homed > 0 ? share[homed - 1].size() : 0;
  // Sweeps lie otherwise where batches are few or small. What one process would do with all of them is done here with
  // these: copies of rows stand for the batches elsewhere, a largest one in front and some at the end.
  lead_ = homed > 0 && leading < share.largest ? share.largest : 0;
  std::size_t batches = homed + (lead_ > 0 ? 1 : 0), after = 0;
  if (dim <= cpu::small_dim && share.largest <= cpu::small_most && share.largest * dim <= cpu::small_room && homed > 0)
    while (batches < std::min(share.total, 2 * cpu::widest)) {
      ++batches;
      after += trailing;
    }
  padded_ = homed > 0 ? lead_ + rows_ + after : 0;
  in_place_ = (share.inside || wire_.size() == 1) && padded_ == rows_;
  if (in_place_) {
    std::ranges::copy(own_, batches_.cut(rows_, homed).begin());
    batches_.population = population;
    batches_.here = rows_;
    batches_.time = time;
    return;
  }
  if (padded_ > 0 && (!floor_ || floor_->count() < padded_))
    floor_ = std::make_unique<Ensemble<Real>>(padded_ + padded_ / 8, dim);
  if (padded_ == 0) {
    batches_ = Batches();
    return;
  }
  batches_.lay_out(padded_, batches);
  batches_.population = population;
  batches_.here = padded_;
  batches_.time = time;
}

template <typename Real>
void Crossing<Real>::gather(const Ensemble<Real>& here) {
  const std::size_t dim = here.dim();
  std::size_t leaving = 0, coming = 0;
  for (std::size_t r = 0; r < in_.size(); ++r) {
    sent_[r] = out()[r].size() * 2 * dim * sizeof(Real);
    received_[r] = in_[r].size() * 2 * dim * sizeof(Real);
    leaving += out()[r].size();
    coming += in_[r].size();
  }
  const std::size_t out_numbers = leaving * 2 * dim, in_numbers = coming * 2 * dim;
  outward_.resize(std::max(outward_.size(), out_numbers)); // never shorter: what grows is cleared
  inward_.resize(std::max(inward_.size(), in_numbers));
  Real* to = outward_.data();
  for (const auto& rows : out())
    for (const std::uint32_t i : rows)
      to = copy_row(here.score()[i], copy_row(here.position()[i], to));
  if (!share_->inside)
    wire_.exchange(bytes_of(std::as_const(outward_)).first(out_numbers * sizeof(Real)), sent_,
                   bytes_of(inward_).first(in_numbers * sizeof(Real)), received_);
  if (padded_ == 0)
    return;
  Rows<Real> x = floor_->position(), s = floor_->score();
  for (std::size_t n = 0; n < own_.size(); ++n) {
    std::ranges::copy(here.position()[own_[n]], x[lead_ + own_at_[n]].begin());
    std::ranges::copy(here.score()[own_[n]], s[lead_ + own_at_[n]].begin());
  }
  const Real* from = inward_.data();
  for (const auto& rows : in_)
    for (const std::uint32_t at : rows) {
      std::copy_n(from, dim, x[lead_ + at].begin());
      std::copy_n(from + dim, dim, s[lead_ + at].begin());
      from += 2 * dim;
    }
  const auto repeat = [&](std::size_t at, std::size_t of) {
    std::ranges::copy(x[lead_ + of % rows_], x[at].begin());
    std::ranges::copy(s[lead_ + of % rows_], s[at].begin());
  };
  for (std::size_t n = 0; n < lead_; ++n)
    repeat(n, n);
  for (std::size_t n = lead_ + rows_; n < padded_; ++n)
    repeat(n, n);
}

template <typename Real>
void Crossing<Real>::scatter(Ensemble<Real>& here) {
  const std::size_t dim = here.dim();
  for (std::size_t r = 0; r < in_.size(); ++r) {
    sent_[r] = in_[r].size() * dim * sizeof(Real);
    received_[r] = out()[r].size() * dim * sizeof(Real);
  }
  Real* to = inward_.data();
  for (const auto& rows : in_)
    for (const std::uint32_t at : rows)
      to = copy_row(std::as_const(*floor_).drift()[lead_ + at], to);
  if (!share_->inside)
    wire_.exchange(bytes_of(std::as_const(inward_)).first(std::accumulate(sent_.begin(), sent_.end(), std::size_t{0})), sent_,
                   bytes_of(outward_).first(std::accumulate(received_.begin(), received_.end(), std::size_t{0})), received_);
  for (std::size_t n = 0; n < own_.size(); ++n)
    std::ranges::copy(floor_->drift()[lead_ + own_at_[n]], here.drift()[own_[n]].begin());
  const Real* from = outward_.data();
  for (const auto& rows : out())
    for (const std::uint32_t i : rows) {
      std::copy_n(from, dim, here.drift()[i].begin());
      from += dim;
    }
}

template class Crossing<double>;
template class Crossing<float>;

} // namespace starling::mpi
