// Rows of a target, shared out by blocks.
#include "mpi/shared_target.hpp"

#include "mpi/agreement.hpp"
#include "mpi/blocks.hpp"

#include <algorithm>
#include <vector>

namespace starling::mpi {

namespace {

/// Every rank's rows of a column, to everyone.
template <typename Real>
void gather_rows(Wire& wire, const Blocks& blocks, Real* column, std::size_t dim) {
  if (wire.size() == 1)
    return;
  const Real* own = column + blocks.first(wire.rank()) * dim;
  const std::vector<Real> mine(own, own + blocks.rows_of(wire.rank()) * dim);
  wire.all_gather(bytes_of(mine), std::as_writable_bytes(std::span(column, blocks.rows() * dim)),
                  blocks.bytes(dim * sizeof(Real)));
}

/// A target whose rows do not know of each other has the same bits in any pieces. Then each rank
/// has as many rows as the others, one more at most; whole blocks may come out less even.
Blocks shares(std::size_t rows, std::size_t blocks, std::size_t ranks, bool each_row_alone) {
  return {rows, each_row_alone ? ranks : blocks, ranks};
}

} // namespace

template <typename Real>
run::AnyTarget<Real> shared_target(run::AnyTarget<Real> target, std::shared_ptr<Wire> wire,
                                   std::size_t count) {
  run::AnyTarget<Real> shared = target;
  shared.score = [score = target.score, wire, count,
                  at_once = target.each_row_alone](Step k, Rows<const Real> x, Rows<Real> s) {
    const Blocks blocks = shares(x.count, count, wire->size(), at_once);
    run_and_agree(*wire, [&] {
      by_blocks(blocks, wire->rank(), at_once, [&](std::size_t begin, std::size_t end) {
        score(k, x.slice(begin, end), s.slice(begin, end));
      });
    });
    gather_rows(*wire, blocks, s.data, s.dim);
  };
  const auto has = std::make_shared<bool>(true);
  shared.evaluate = [target, wire, count, has](Rows<const Real> x, Rows<Real> s,
                                               std::span<Real> density) {
    const Blocks blocks = shares(x.count, count, wire->size(), target.each_row_alone);
    run_and_agree(*wire, [&] {
      by_blocks(blocks, wire->rank(), target.each_row_alone,
                [&](std::size_t begin, std::size_t end) {
                  target.evaluate(x.slice(begin, end), s.slice(begin, end),
                                  density.empty() ? density : density.subspan(begin, end - begin));
                });
    });
    gather_rows(*wire, blocks, s.data, s.dim);
    if (!density.empty())
      gather_rows(*wire, blocks, density.data(), 1);
    if (target.has_density) // a rank without rows has not asked
      *has = !any(*wire, blocks.rows_of(wire->rank()) > 0 && !target.has_density());
  };
  if (target.has_density)
    shared.has_density = [has] { return *has; };
  return shared;
}

template run::AnyTarget<double> shared_target(run::AnyTarget<double>, std::shared_ptr<Wire>,
                                              std::size_t);
template run::AnyTarget<float> shared_target(run::AnyTarget<float>, std::shared_ptr<Wire>,
                                             std::size_t);

} // namespace starling::mpi
