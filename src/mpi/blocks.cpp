// Blocks shared out among ranks.
#include "mpi/blocks.hpp"

#include <starling/error.hpp>

#include <string>

namespace starling::mpi {

Blocks::Blocks(std::size_t rows, std::size_t count, std::size_t ranks)
    : rows_(rows), count_(count), starts_(ranks + 1) {
  if (count < ranks)
    reject("blocks", "at least the number of ranks, " + std::to_string(ranks),
           std::to_string(count));
  for (std::size_t r = 0; r <= ranks; ++r)
    starts_[r] = begin(first_block(r));
  constexpr std::size_t stretches_a_rank = 16;
  while (rows >> shift_ > stretches_a_rank * ranks)
    ++shift_;
  for (std::size_t place = 0, r = 0; place < rows; place += std::size_t{1} << shift_) {
    while (place >= starts_[r + 1])
      ++r;
    guess_.push_back(static_cast<std::uint32_t>(r));
  }
}

bool Blocks::all_have_rows() const {
  for (std::size_t r = 0; r + 1 < starts_.size(); ++r)
    if (rows_of(r) == 0)
      return false;
  return true;
}

std::vector<std::size_t> Blocks::bytes(std::size_t a_row) const {
  std::vector<std::size_t> sizes;
  for (std::size_t r = 0; r + 1 < starts_.size(); ++r)
    sizes.push_back(rows_of(r) * a_row);
  return sizes;
}

} // namespace starling::mpi
