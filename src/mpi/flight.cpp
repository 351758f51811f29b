// Steps that all ranks take together; looks, checkpoints and outcomes as one process has them.
#include "mpi/flight.hpp"

#include "mpi/agreement.hpp"
#include "mpi/crossing.hpp"
#include "mpi/looking.hpp"
#include "mpi/packing.hpp"
#include "mpi/saving.hpp"
#include "mpi/spread.hpp"
#include "run/stopwatch.hpp"

#include <starling/finite.hpp>
#include <starling/observe/guard.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/run/lookout.hpp>
#include <starling/target/score.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace starling::mpi {

namespace {

using run::Stopwatch;

template <typename Real>
class SpreadFlight final : public run::Flight {
public:
  SpreadFlight(Charge<Real> charge, run::Roles<Real> roles, const run::Settings& settings)
      : Flight(settings, quiet(roles)), charge_(std::move(charge)), roles_(std::move(roles)),
        wire_(*charge_.wire), blocks_(settings.particles, charge_.blocks, wire_.size()),
        first_(blocks_.first(wire_.rank())),
        common_(Common<Real>::open(wire_, blocks_, roles_.target.dim, charge_.largest_batch)),
        here_(common_ ? common_->here()
                      : Ensemble<Real>(blocks_.rows_of(wire_.rank()), roles_.target.dim)),
        crossing_(blocks_, wire_, common_.get()),
        score_(InBlocksHere{charge_, blocks_, wire_, roles_.target.dim,
                            common_ && roles_.target.each_row_alone},
               crew()),
        guard_(roles_.target.names, crew(), true),
        lookout_(settings.seed, settings.periodic, roles_.target.names, crew()) {
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
    if (head.saved.done > total())
      reject("steps", "at least the " + std::to_string(head.saved.done) + " that are done",
             std::to_string(total()));
    take_rows(from, where, blocks_, first_, head.memories, here_);
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
  }

  void take(Step count, const std::function<Signal()>& after) override {
    if (over())
      return;
    const Step last = count < total() - done_ ? done_ + count : total();
    const Step every =
        run::look_every(total(), settings_.particles, roles_.target.dim); // as one process
    const run::TimedSteps timed(seconds_);
    const auto deal = [&](Step k, Ensemble<Real>& here) -> const Batches& {
      const Stopwatch watch(seconds_.deal);
      if (charge_.dealing.travels(k)) {
        const std::vector<std::uint32_t> sources =
            charge_.dealing.sources(k, first_, first_ + here.count());
        common_ ? common_->travel(sources, here) : travel<Real>(wire_, blocks_, sources, here);
      }
      if (common_ && !charge_.dealing.inside()) {
        crossing_.plan(charge_.dealing.slice(k, wire_.rank(), wire_.size()), settings_.particles,
                       static_cast<double>(k), here.dim(),
                       [&](std::uint32_t* order) { charge_.dealing.fill(k, order, crew()); });
      } else {
        charge_.dealing.share(k, blocks_, wire_.rank(), share_);
        crossing_.plan(share_, settings_.particles, static_cast<double>(k), here.dim());
        crossing_.make_room(here);
      }
      all_here_.time = static_cast<double>(k);
      return all_here_;
    };
    const auto score = [&](Step k, Ensemble<Real>& here, const Batches& batches) {
      const Stopwatch watch(seconds_.score);
      crossing_.send_positions(here); // on their way meanwhile
      try {
        together(wire_, [&] { score_(k, here, batches); });
      } catch (...) {
        if (wire_.all_know)
          crossing_.give_up();
        throw;
      }
    };
    const auto drift = [&](Step k, Ensemble<Real>& here, const Batches&) {
      const Stopwatch watch(seconds_.drift);
      measure_bandwidth(k);
      crossing_(here, [&](Ensemble<Real>& floor, const Batches& batches) {
        charge_.drift(k, floor, batches);
      });
    };
    const auto look = [&](Step k, Ensemble<Real>&, const Batches&) {
      if (k % every == 0 && (trace_.empty() || trace_.back().step < k))
        this->look(k, timed.so_far());
    };
    const auto advance = [&](Step k, Ensemble<Real>& here, const Batches& batches,
                             const auto& flow) {
      const Stopwatch watch(seconds_.advance);
      roles_.advance(k, here, batches, std::cref(flow));
    };
    const auto observe = [&](Step k, const Ensemble<Real>& here, const Batches& batches) {
      together(wire_, [&] { guard_(k, here, batches); });
      done_ = k + 1;
      const Signal asked = after ? after() : Signal::go_on;
      return settled_ ? Signal::stop : asked;
    };
    lonely([&] { rbm_svgd(here_, Span{done_, last}, deal, score, drift, look, advance, observe); });
  }

  double drift_size() const override {
    return trace_.empty() ? 0 : trace_.back().drift;
  } // of the last look
  std::vector<double> positions() const override { return at_home(here_.position()); }
  std::vector<double> scores() const override { return at_home(here_.score()); }
  std::vector<double> drifts() const override { return at_home(here_.drift()); }
  const std::vector<std::string>& names() const override { return roles_.target.names; }

  run::Checkpoint save(const std::string& note) const override {
    return gathered(wire_, blocks_, here_, head(note), To::first);
  }
  void save_to(const std::filesystem::path& file, const std::string& note) const override {
    write_gathered(wire_, blocks_, here_, head(note), file);
  }
  bool spread() const override { return true; }
  bool finite() const override { return !any(wire_, !all_finite(flat(here_.position()), crew())); }

  void report(bool measured,
              run::Outcome& outcome) override { // what one process makes of the same state
    if (lone_)
      std::rethrow_exception(lone_);
    if (!measured) {
      if (roles_.target.warnings)
        std::ranges::move(roles_.target.warnings(), std::back_inserter(outcome.warnings));
      return;
    }
    lonely([&] {
      seen_.reset();
      const auto alone = run::resume<Real>(
          roles_, settings_, gathered(wire_, blocks_, here_, head({}), To::everyone), "the ranks");
      outcome = alone->outcome(measured);
    });
  }

private:
  /// The outcome of one process has all the warnings already.
  static run::Roles<Real> quiet(run::Roles<Real> roles) {
    roles.target.warnings = {};
    return roles;
  }
  /// What fails on this rank alone must be followed by nothing that all ranks do together: they
  /// would wait for each other for ever. It is thrown again until the rank ends, and all others
  /// with it.
  template <typename Work>
  void lonely(Work&& work) {
    try {
      work();
    } catch (...) {
      if (wire_.size() > 1 && !wire_.all_know)
        lone_ = std::current_exception();
      throw;
    }
  }
  Threads& crew() const { return roles_.threads ? *roles_.threads : Threads::alone(); }

  /// The target as the Score role asks for it: one block after another.
  struct InBlocksHere {
    Charge<Real>& charge;
    const Blocks& blocks;
    Wire& wire;
    std::size_t dimension;
    bool at_once; // no message waits for a turn between two blocks
    std::size_t dim() const { return dimension; }
    void operator()(Step k, Rows<const Real> x, Rows<Real> s) {
      const std::size_t first = blocks.first(wire.rank());
      try {
        by_blocks(blocks, wire.rank(), at_once, [&](std::size_t begin, std::size_t end) {
          charge.score(k, x.slice(begin - first, end - first), s.slice(begin - first, end - first));
          wire.go_on();
        });
      } catch (const TargetError& error) { // the caller counts from the first row here
        throw TargetError(error.step(), error.particle() - first, error.cause());
      }
    }
  };

  void measure_bandwidth(Step k) {
    if (!charge_.drawn)
      return;
    const std::vector<std::uint32_t> places = charge_.drawn(k);
    drawn_.resize(places.size() * here_.dim());
    const Rows<Real> rows{drawn_.data(), places.size(), here_.dim()};
    if (common_) {
      pack<Real>(common_->all.position(), places, rows.data);
      if (charge_.dealing.inside()) // else all meet before anybody moves
        wire_.meet();
    } else {
      bring_rows<Real>(wire_, blocks_, places, std::as_const(here_).position(), rows);
    }
    *charge_.bandwidth = charge_.from_drawn(k, rows);
  }

  void look(Step k, double seconds) {
    const Stopwatch watch(seconds_.look);
    if (wire_.first() && !common_ && !seen_)
      seen_ = std::make_unique<Ensemble<Real>>(settings_.particles, here_.dim());
    Ensemble<Real> none(1, 1);
    Ensemble<Real>& all = common_ ? common_->all : wire_.first() ? *seen_ : none;
    const Batches* const batches =
        wire_.first() ? &charge_.dealing.everyone(k) : nullptr; // nobody else needs all
    if (common_)
      wire_.meet();
    else
      bring_what_is_looked_at(wire_, blocks_, batches ? rows_of_look(k, *batches) : Places(),
                              std::as_const(here_), all);
    together(wire_, [&] {
      if (wire_.first())
        lookout_.look(k, all, *batches, roles_.drift, seconds, trace_);
    });
    if (!wire_.first())
      trace_.emplace_back();
    broadcast_row(wire_, trace_.back());
    settled_ = settings_.until_converged && judge::settled(trace_);
  }

  using Places = std::vector<std::uint32_t>;
  /// The places whose rows a look at step k reads; none: those of everyone.
  Places rows_of_look(Step k, const Batches& batches) {
    const std::size_t n = settings_.particles;
    Places places = charge_.drawn ? charge_.drawn(k) : Places();
    if (n <= run::LookSize::seen || places.size() >= n)
      return {};
    const Places rows = run::rows_looked_at(k, here_.dim(), batches, settings_.seed);
    places.insert(places.end(), rows.begin(), rows.end());
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  run::Checkpoint head(const std::string& note) const {
    const run::Settings& s = settings_;
    return run::with_head({{s.particles, here_.dim(), sizeof(Real) == sizeof(float), s.identity,
                            s.seed, s.run, done_, note},
                           settled_,
                           here_.memories(),
                           seconds_,
                           trace_});
  }
  std::vector<double> at_home(Rows<const Real> rows) const {
    std::vector<Real> all(settings_.particles * rows.dim);
    std::vector<std::uint64_t> ids(settings_.particles);
    bring<Real>(wire_, blocks_, flat(rows), std::span(all), rows.dim, To::everyone);
    bring<std::uint64_t>(wire_, blocks_, here_.id(), std::span(ids), 1, To::everyone);
    std::vector<double> home(all.size());
    for (std::size_t n = 0; n < all.size(); ++n)
      home[ids[n / rows.dim] * rows.dim + n % rows.dim] = static_cast<double>(all[n]);
    return home;
  }

  Charge<Real> charge_;
  run::Roles<Real> roles_;
  Wire& wire_;
  std::exception_ptr lone_; // what failed on this rank alone
  Blocks blocks_;
  std::size_t first_;                    // place of the first row here
  std::unique_ptr<Common<Real>> common_; // all rows, where all ranks see them
  Ensemble<Real> here_;
  Batches all_here_; // the rows here, for roles that ask who was dealt
  Share share_;
  Crossing<Real> crossing_;
  Score<Real, InBlocksHere> score_;
  Guard guard_;
  run::Lookout<Real> lookout_;
  Column<Real> drawn_;
  std::unique_ptr<Ensemble<Real>> seen_; // everyone, on rank 0, in looks
};

} // namespace

template <typename Real>
std::unique_ptr<run::Flight> begin(Charge<Real> charge, run::Roles<Real> roles,
                                   const run::Settings& settings,
                                   const std::function<void(Rows<Real>, std::size_t)>& start) {
  auto flight = std::make_unique<SpreadFlight<Real>>(std::move(charge), std::move(roles), settings);
  flight->start(start);
  return flight;
}

template <typename Real>
std::unique_ptr<run::Flight> resume(Charge<Real> charge, run::Roles<Real> roles,
                                    const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where) {
  const run::Head head = run::read_head_for(settings, roles.target.dim,
                                            sizeof(Real) == sizeof(float), checkpoint, where);
  auto flight = std::make_unique<SpreadFlight<Real>>(std::move(charge), std::move(roles), settings);
  flight->restore(checkpoint, where, head);
  return flight;
}

template std::unique_ptr<run::Flight> begin(Charge<double>, run::Roles<double>,
                                            const run::Settings&,
                                            const std::function<void(Rows<double>, std::size_t)>&);
template std::unique_ptr<run::Flight> begin(Charge<float>, run::Roles<float>, const run::Settings&,
                                            const std::function<void(Rows<float>, std::size_t)>&);
template std::unique_ptr<run::Flight> resume(Charge<double>, run::Roles<double>,
                                             const run::Settings&, const run::Checkpoint&,
                                             const std::string&);
template std::unique_ptr<run::Flight> resume(Charge<float>, run::Roles<float>, const run::Settings&,
                                             const run::Checkpoint&, const std::string&);

} // namespace starling::mpi
