// Particles whose rows are spread over ranks: steps that all ranks take together; looks,
// checkpoints and outcomes as one process has them.
#pragma once

#include "mpi/agreement.hpp"
#include "mpi/flight.hpp"
#include "mpi/looking.hpp"
#include "mpi/packing.hpp"
#include "mpi/row_exchange.hpp"
#include "mpi/saving.hpp"
#include "mpi/spread.hpp"
#include "run/raw_flight.hpp"

#include <starling/finite.hpp>
#include <starling/observe/guard.hpp>
#include <starling/target/score.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace starling::mpi {

template <typename Real>
class ParticlesOnRanks {
public:
  using Particles = Ensemble<Real>;
  static constexpr bool warns_by_itself = true, spread = true; // the outcome of one process does

  ParticlesOnRanks(run::Roles<Real>& roles, const run::Settings& settings, RunSpec<Real> spec)
      : spec_(std::move(spec)), roles_(roles), settings_(settings), wire_(*spec_.wire),
        blocks_(settings.particles, spec_.blocks, wire_.size()),
        first_(blocks_.first(wire_.rank())),
        shared_(SharedRows<Real>::open(wire_, blocks_, roles_.target.dim, spec_.largest_batch)),
        here_(shared_ ? shared_->here()
                      : Ensemble<Real>(blocks_.rows_of(wire_.rank()), roles_.target.dim)),
        exchange_(blocks_, wire_, shared_.get()),
        score_(BlockByBlock{spec_, blocks_, wire_, roles_.target.dim,
                            shared_ && roles_.target.each_row_alone},
               threads()),
        guard_(roles_.target.names, threads(), true) {
    for (std::size_t i = 0; i < here_.count(); ++i)
      here_.id()[i] = first_ + i;
    all_here_.lay_out(here_.count(), 1);
    all_here_.population = settings.particles;
    all_here_.here = here_.count();
  }

  void start(const std::function<void(Rows<Real>, std::size_t)>& fill) {
    fill(here_.position(), first_);
  }
  void restore(const run::Checkpoint& from, const std::string& where, const run::Head& head) {
    take_rows(from, where, blocks_, first_, head.memories, here_);
  }
  run::Checkpoint save(run::Checkpoint head) const {
    return gathered(wire_, blocks_, here_, std::move(head), To::first);
  }
  void save_to(const std::filesystem::path& file, const run::Checkpoint& head) const {
    write_gathered(wire_, blocks_, here_, head, file);
  }

  Particles& particles() { return here_; }
  std::size_t memories() const { return here_.memories(); }

  const Batches& deal(Step k) {
    if (spec_.dealing.travels(k)) {
      const std::vector<std::uint32_t> sources =
          spec_.dealing.sources(k, first_, first_ + here_.count());
      shared_ ? shared_->travel(sources, here_) : travel<Real>(wire_, blocks_, sources, here_);
    }
    const auto time = static_cast<double>(k);
    if (shared_) {
      exchange_.plan(spec_.dealing.slice(k, wire_.rank(), wire_.size()), settings_.particles, time,
                     here_.dim(),
                     [&](std::uint32_t* order) { spec_.dealing.fill(order, threads()); });
    } else {
      spec_.dealing.share(k, blocks_, wire_.rank(), share_);
      exchange_.plan(share_, settings_.particles, time, here_.dim());
      exchange_.make_room(here_);
    }
    all_here_.time = time;
    return all_here_;
  }
  void score(Step k, const Batches& batches) {
    exchange_.send_positions(here_); // on their way meanwhile
    try {
      run_and_agree(wire_, [&] { score_(k, here_, batches); });
    } catch (...) {
      if (failure_agreed(wire_, std::current_exception()))
        exchange_.give_up();
      throw;
    }
  }
  void drift(Step k, const Batches&) {
    measure_bandwidth(k);
    exchange_(here_, [&](Ensemble<Real>& floor, const Batches& batches) {
      spec_.drift(k, floor, batches);
    });
  }
  void advance(Step k, const Batches& batches, bool, const std::function<void()>& flow) {
    roles_.advance(k, here_, batches, flow);
  }
  void check(Step k, const Batches& batches) {
    run_and_agree(wire_, [&] { guard_(k, here_, batches); });
  }
  void finish() {}
  Step next(Step done) const { return done; }

  bool look(Step k, const Batches&, const run::Lookout<Real>& lookout, double seconds,
            std::vector<judge::TraceRow>& trace) {
    if (wire_.first() && !shared_ && !seen_)
      seen_ = std::make_unique<Ensemble<Real>>(settings_.particles, here_.dim());
    Ensemble<Real> none(1, 1);
    Ensemble<Real>& all = shared_ ? shared_->all : wire_.first() ? *seen_ : none;
    const Batches* const batches =
        wire_.first() ? &spec_.dealing.everyone(k, threads()) : nullptr; // nobody else needs all
    if (shared_)
      wire_.meet();
    else
      bring_what_is_looked_at(wire_, blocks_, batches ? rows_of_look(k, *batches) : Places(),
                              std::as_const(here_), all);
    run_and_agree(wire_, [&] {
      if (wire_.first())
        lookout.look(k, all, *batches, roles_.drift, seconds, trace);
    });
    if (!wire_.first())
      trace.emplace_back();
    broadcast_row(wire_, trace.back());
    return true;
  }

  /// What fails on this rank alone must be followed by nothing that all ranks do together: they
  /// would wait for each other for ever. It is thrown again until the rank ends, and all others
  /// with it.
  template <typename Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (...) {
      if (wire_.size() > 1 && !failure_agreed(wire_, std::current_exception()))
        failed_alone_ = std::current_exception();
      throw;
    }
  }

  double drift_size(const std::vector<judge::TraceRow>& trace) const { // of the last look
    return trace.empty() ? 0 : trace.back().drift;
  }
  std::vector<double> positions() const { return by_particle(here_.position()); }
  std::vector<double> scores() const { return by_particle(here_.score()); }
  std::vector<double> drifts() const { return by_particle(here_.drift()); }
  bool finite() const { return !any(wire_, !all_finite(flat(here_.position()), threads())); }

  /// What one process makes of the same state.
  void report(bool measured, run::Outcome& outcome, const run::EndOfRun<Real>& end) {
    if (failed_alone_)
      std::rethrow_exception(failed_alone_);
    if (!measured) {
      if (roles_.target.warnings)
        std::ranges::move(roles_.target.warnings(), std::back_inserter(outcome.warnings));
      return;
    }
    guarded([&] {
      seen_.reset();
      const auto alone =
          run::resume<Real>(roles_, settings_,
                            gathered(wire_, blocks_, here_, end.head(), To::everyone), "the ranks");
      outcome = alone->outcome(measured);
    });
  }

private:
  Threads& threads() const { return roles_.threads ? *roles_.threads : Threads::alone(); }

  /// The target as the Score role asks for it: one block after another.
  struct BlockByBlock {
    RunSpec<Real>& spec;
    const Blocks& blocks;
    Wire& wire;
    std::size_t dimension;
    bool at_once; // no message waits for a turn between two blocks
    std::size_t dim() const { return dimension; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) {
      const std::size_t first = blocks.first(wire.rank());
      try {
        by_blocks(blocks, wire.rank(), at_once, [&](std::size_t begin, std::size_t end) {
          spec.score(k, x.slice(begin - first, end - first), s.slice(begin - first, end - first));
          wire.go_on();
        });
      } catch (const TargetError& error) { // the caller counts from the first row here
        throw TargetError(error.step(), error.particle() - first, error.cause());
      }
    }
  };

  void measure_bandwidth(Step k) {
    if (!spec_.drawn)
      return;
    const std::vector<std::uint32_t> places = spec_.drawn(k);
    drawn_.resize(places.size() * here_.dim());
    const Rows<Real> rows{drawn_.data(), places.size(), here_.dim()};
    if (shared_) // all meet before anybody moves
      pack<Real>(shared_->all.position(), places, rows.data);
    else
      bring_rows<Real>(wire_, blocks_, places, std::as_const(here_).position(), rows);
    *spec_.bandwidth = spec_.from_drawn(k, rows);
  }

  using Places = std::vector<std::uint32_t>;
  /// The places whose rows a look at step k reads; none: those of everyone.
  Places rows_of_look(Step k, const Batches& batches) {
    const std::size_t n = settings_.particles;
    Places places = spec_.drawn ? spec_.drawn(k) : Places();
    if (n <= run::LookSize::seen || places.size() >= n)
      return {};
    const Places rows = run::rows_looked_at(k, here_.dim(), batches, settings_.seed);
    places.insert(places.end(), rows.begin(), rows.end());
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  /// Rows of all ranks in the order of their particles.
  std::vector<double> by_particle(Rows<const Real> rows) const {
    std::vector<Real> all(settings_.particles * rows.dim);
    std::vector<std::uint64_t> ids(settings_.particles);
    bring<Real>(wire_, blocks_, flat(rows), std::span(all), rows.dim, To::everyone);
    bring<std::uint64_t>(wire_, blocks_, here_.id(), std::span(ids), 1, To::everyone);
    std::vector<double> sorted(all.size());
    for (std::size_t n = 0; n < all.size(); ++n)
      sorted[ids[n / rows.dim] * rows.dim + n % rows.dim] = static_cast<double>(all[n]);
    return sorted;
  }

  RunSpec<Real> spec_;
  run::Roles<Real>& roles_;
  const run::Settings& settings_;
  Wire& wire_;
  std::exception_ptr failed_alone_; // what failed on this rank and on no other
  Blocks blocks_;
  std::size_t first_;                        // place of the first row here
  std::unique_ptr<SharedRows<Real>> shared_; // all rows, where all ranks see them
  Ensemble<Real> here_;
  Batches all_here_; // the rows here, for roles that ask who was dealt
  Share share_;
  RowExchange<Real> exchange_;
  Score<Real, BlockByBlock> score_;
  Guard guard_;
  Column<Real> drawn_;
  std::unique_ptr<Ensemble<Real>> seen_; // everyone, on rank 0, in looks
};

} // namespace starling::mpi
