// Blocks of rows scored on this rank's card, and the scores of others brought there.
#include "assemble/shared_on_card.hpp"

#include "mpi/agreement.hpp"
#include "mpi/blocks.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace starling::assemble {

namespace {

template <typename Real>
class SharedScore {
public:
  SharedScore(cuda::OutsideScore<Real> score, std::shared_ptr<cuda::Machine> machine,
              std::shared_ptr<mpi::Wire> wire, std::size_t blocks)
      : machine_(std::move(machine)), score_(std::move(score)), wire_(std::move(wire)),
        count_(blocks) {}

  /// Scores alone: log densities are asked for where a run in stages has its rows, on the host.
  void operator()(Step k, const Real* x, Real* s, std::size_t count, std::size_t dim) {
    const mpi::Blocks blocks(count, count_, wire_->size());
    const std::size_t rank = wire_->rank(), all = count * dim;
    const std::span<Real> own(s + blocks.first(rank) * dim, blocks.rows_of(rank) * dim);
    mpi::run_and_agree(*wire_, [&] {
      mpi::by_blocks(blocks, rank, false, [&](std::size_t begin, std::size_t end) {
        score_block(k, x + begin * dim, s + begin * dim, end - begin, dim);
      });
      if (wire_->size() == 1)
        return;
      if (wire_->takes_cards())
        return machine_->wait();
      mine_.resize(own.size());
      everyones_.resize(all);
      machine_->download(mine_.data(), own.data(), own.size_bytes());
    });
    if (wire_->size() == 1)
      return;
    const std::vector<std::size_t> sizes = blocks.bytes(dim * sizeof(Real));
    if (wire_->takes_cards())
      return wire_->all_gather(std::as_bytes(own), std::as_writable_bytes(std::span(s, all)),
                               sizes);
    wire_->all_gather(mpi::bytes_of(mine_), mpi::bytes_of(everyones_), sizes);
    machine_->upload(s, everyones_.data(), all * sizeof(Real));
  }

private:
  /// In room of its own: whoever scores may want addresses that a block's first row need not have.
  void score_block(Step k, const Real* x, Real* s, std::size_t rows, std::size_t dim) {
    const std::size_t numbers = rows * dim, bytes = numbers * sizeof(Real);
    if (x_.size() < numbers) {
      cuda::DeviceBuffer<Real> for_x(*machine_, numbers), for_s(*machine_, numbers); // both or none
      std::swap(x_, for_x);
      std::swap(s_, for_s);
    }
    machine_->copy(x_.data(), x, bytes);
    score_(k, x_.data(), s_.data(), nullptr, rows, dim);
    machine_->copy(s, s_.data(), bytes);
  }

  std::shared_ptr<cuda::Machine> machine_; // before what lies on it
  cuda::OutsideScore<Real> score_;
  std::shared_ptr<mpi::Wire> wire_;
  std::size_t count_;
  cuda::DeviceBuffer<Real> x_, s_;     // of a block
  std::vector<Real> mine_, everyones_; // on their way through the host
};

} // namespace

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
shared_on_card(std::shared_ptr<const cuda::Outside<Real>> there, std::shared_ptr<mpi::Wire> wire,
               std::size_t blocks) {
  auto shared = std::make_shared<cuda::Outside<Real>>();
  shared->by_all_ranks = wire->size() > 1;
  shared->on = [there, wire,
                blocks](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    const auto here =
        std::make_shared<SharedScore<Real>>(there->on(machine), machine, wire, blocks);
    return [here](Step k, const Real* x, Real* s, Real*, std::size_t count, std::size_t dim) {
      (*here)(k, x, s, count, dim);
    };
  };
  return shared;
}

template std::shared_ptr<const cuda::Outside<double>>
    shared_on_card(std::shared_ptr<const cuda::Outside<double>>, std::shared_ptr<mpi::Wire>,
                   std::size_t);
template std::shared_ptr<const cuda::Outside<float>>
    shared_on_card(std::shared_ptr<const cuda::Outside<float>>, std::shared_ptr<mpi::Wire>,
                   std::size_t);

} // namespace starling::assemble
