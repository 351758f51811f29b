// Rows that are asked for by place.
#include "mpi/spread.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace starling::mpi {

namespace {

std::vector<std::size_t> scaled(const std::vector<std::size_t>& counts, std::size_t size) {
  std::vector<std::size_t> bytes(counts);
  for (std::size_t& one : bytes)
    one *= size;
  return bytes;
}

} // namespace

template <typename Real>
void travel(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> sources,
            Ensemble<Real>& here) {
  const std::size_t ranks = wire.size(), first = blocks.first(wire.rank()), dim = here.dim(),
                    memories = here.memories();
  std::vector<std::size_t> asked(ranks), wanted(ranks);
  std::vector<std::uint32_t> by_rank(sources.size()),
      asks(sources.size()); // rows here in the order of whom they ask
  for (const std::uint32_t place : sources)
    ++asked[blocks.rank_of(place)];
  std::vector<std::size_t> at(ranks);
  std::exclusive_scan(asked.begin(), asked.end(), at.begin(), std::size_t{0});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t n = at[blocks.rank_of(sources[i])]++;
    by_rank[n] = static_cast<std::uint32_t>(i);
    asks[n] = sources[i];
  }
  const std::vector<std::size_t> one(ranks, sizeof(std::size_t));
  wire.exchange(bytes_of(std::as_const(asked)), one, bytes_of(wanted), one);
  std::vector<std::uint32_t> places(std::accumulate(wanted.begin(), wanted.end(), std::size_t{0}));
  wire.exchange(bytes_of(std::as_const(asks)), scaled(asked, sizeof(std::uint32_t)),
                bytes_of(places), scaled(wanted, sizeof(std::uint32_t)));

  const std::size_t row = dim * sizeof(Real),
                    size = row * (1 + memories) + sizeof(std::uint32_t) + sizeof(std::uint64_t);
  std::vector<std::byte> out(places.size() * size), in(sources.size() * size);
  std::byte* to = out.data();
  const auto put = [&](const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  };
  for (const std::uint32_t place : places) {
    const std::size_t i = place - first;
    put(here.position()[i].data(), row);
    for (std::size_t c = 0; c < memories; ++c)
      put(here.memory(c)[i].data(), row);
    put(&here.moves()[i], sizeof(std::uint32_t));
    put(&here.id()[i], sizeof(std::uint64_t));
  }
  wire.exchange(out, scaled(wanted, size), in, scaled(asked, size));
  const std::byte* from = in.data();
  const auto take = [&](void* place, std::size_t bytes) {
    std::memcpy(place, from, bytes);
    from += bytes;
  };
  for (const std::uint32_t i : by_rank) {
    take(here.position()[i].data(), row);
    for (std::size_t c = 0; c < memories; ++c)
      take(here.memory(c)[i].data(), row);
    take(&here.moves()[i], sizeof(std::uint32_t));
    take(&here.id()[i], sizeof(std::uint64_t));
  }
}

template <typename Real>
void bring_rows(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places,
                Rows<const Real> here, Rows<Real> rows) {
  const std::size_t first = blocks.first(wire.rank()), dim = here.dim;
  std::vector<std::vector<std::uint32_t>> of(wire.size()); // which of the places are whose
  for (std::size_t n = 0; n < places.size(); ++n)
    of[blocks.rank_of(places[n])].push_back(static_cast<std::uint32_t>(n));
  std::vector<Real> mine(of[wire.rank()].size() * dim), all(places.size() * dim);
  Real* to = mine.data();
  for (const std::uint32_t n : of[wire.rank()])
    to = copy_row(here[places[n] - first], to);
  std::vector<std::size_t> sizes;
  for (const auto& list : of)
    sizes.push_back(list.size() * dim * sizeof(Real));
  wire.all_gather(bytes_of(std::as_const(mine)), bytes_of(all), sizes);
  const Real* from = all.data();
  for (const auto& list : of)
    for (const std::uint32_t n : list) {
      std::copy_n(from, dim, rows[n].begin());
      from += dim;
    }
}

template <typename Real>
void bring_to_first(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places,
                    Rows<const Real> here, Rows<Real> all) {
  std::vector<std::size_t> sizes(wire.size());
  std::vector<Real> mine;
  for (const std::uint32_t place : places) {
    const std::size_t rank = blocks.rank_of(place);
    sizes[rank] += here.dim * sizeof(Real);
    if (rank == wire.rank()) {
      const auto row = here[place - blocks.first(rank)];
      mine.insert(mine.end(), row.begin(), row.end());
    }
  }
  std::vector<Real> brought(wire.first() ? places.size() * here.dim : 0);
  wire.gather(bytes_of(std::as_const(mine)), bytes_of(brought), sizes);
  for (std::size_t n = 0; wire.first() && n < places.size(); ++n)
    std::copy_n(brought.data() + n * here.dim, here.dim, all[places[n]].begin());
}

template void travel(Wire&, const Blocks&, std::span<const std::uint32_t>, Ensemble<double>&);
template void travel(Wire&, const Blocks&, std::span<const std::uint32_t>, Ensemble<float>&);
template void bring_rows(Wire&, const Blocks&, std::span<const std::uint32_t>, Rows<const double>,
                         Rows<double>);
template void bring_rows(Wire&, const Blocks&, std::span<const std::uint32_t>, Rows<const float>,
                         Rows<float>);
template void bring_to_first(Wire&, const Blocks&, std::span<const std::uint32_t>,
                             Rows<const double>, Rows<double>);
template void bring_to_first(Wire&, const Blocks&, std::span<const std::uint32_t>,
                             Rows<const float>, Rows<float>);

} // namespace starling::mpi
