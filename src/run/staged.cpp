// A journey as a flight: units for steps, its state in a checkpoint, its certificate in the
// verdict.
#include <starling/run/staged.hpp>

#include "run/followed.hpp"
#include "run/journey_columns.hpp"
#include "run/measure.hpp"
#include "run/state.hpp"
#include "run/stopwatch.hpp"

#include <starling/random/start.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr std::uint64_t look_every = 5;   // units
const std::string alone = "scores alone"; // a count of the state

class StagedFlight final : public Flight {
public:
  StagedFlight(Staged staged, const Settings& settings)
      : Flight(settings, staged), staged_(std::move(staged)) {
    settings_.steps = 1; // there is always one more, until it is finished
  }

  void take(Step count, const std::function<Signal()>& after) override {
    const Clock::time_point begin = Clock::now();
    const double before = seconds_.total;
    const auto tell_time = [&] { seconds_.total = before + since(begin); };
    try {
      for (; count > 0 && !over(); --count) {
        set_out();
        journey_->take_part();
        tell_time();
        while (journey_->scouting()) { // one unit, however many parts: a run resumed among them
                                       // begins again
          if (after && after() == Signal::stop)
            return;
          journey_->take_part();
          tell_time();
        }
        last_ = journey_->save();
        ++done_;
        arrive();
        if (after && after() == Signal::stop)
          return;
      }
    } catch (...) { // the state is that before the unit that failed
      tell_time();
      journey_.reset();
      throw;
    }
  }

  std::string stage() const override { return GroupedJourney::stage(last_); }
  double drift_size() const override { return NAN; }
  std::vector<double> positions() const override {
    const auto found = last_.columns.find("cloud.x");
    if (found != last_.columns.end() && found->second.size() == size())
      return found->second;
    return std::vector<double>(size());
  }
  std::vector<double> scores() const override {
    const auto found = last_.columns.find("cloud.score");
    return found == last_.columns.end() ? std::vector<double>(size()) : found->second;
  }
  std::vector<double> drifts() const override { return std::vector<double>(size()); }
  const std::vector<std::string>& names() const override { return staged_.target.names; }

  Checkpoint save(const std::string& note) const override {
    const Settings& s = settings_;
    Checkpoint checkpoint =
        with_head({{s.particles, staged_.target.dim, false, s.identity, s.seed, s.run, done_, note},
                   settled_,
                   0,
                   seconds_,
                   trace_});
    const std::vector<double> x = positions();
    std::vector<std::uint32_t> moves(s.particles);
    std::vector<std::uint64_t> id(s.particles);
    for (std::size_t i = 0; i < id.size(); ++i)
      id[i] = i;
    checkpoint.add("position", std::span<const double>(x));
    checkpoint.add("moves", std::span<const std::uint32_t>(moves));
    checkpoint.add("id", std::span<const std::uint64_t>(id));
    JourneyState state = last_;
    state.counts[alone] = alone_;
    return add_state(state, checkpoint), checkpoint;
  }

  void restore(const Checkpoint& checkpoint, const std::string& where, const Head& head) {
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
    last_ = state_in(checkpoint, where);
    alone_ = last_.counts[alone];
    last_.counts.erase(alone);
    if (done_ > 0)
      try {
        set_out();
      } catch (const std::invalid_argument& error) {
        throw io::BadData(where, error.what());
      }
    settings_.steps = settled_ ? done_ : done_ + 1;
  }

private:
  std::size_t size() const { return settings_.particles * staged_.target.dim; }

  /// The journey, made when the first unit is asked for, or from the last state after a failure.
  void set_out() {
    if (journey_)
      return;
    const AnyTarget<double>& target = staged_.target;
    std::vector<double> x(size());
    const Rows<double> start{x.data(), settings_.particles, target.dim};
    if (last_.columns.empty())
      staged_.start ? staged_.start(start) : start_normal(start, settings_.seed, 0, 1);
    if (last_.columns.empty() && target.has_density) { // it can be told only after a call
      std::vector<double> score(target.dim), density(1);
      target.evaluate(start.slice(0, 1), {score.data(), 1, target.dim}, density);
      alone_ = !target.has_density();
    }
    JourneySettings stages = staged_.stages;
    if (alone_)
      stages.starts = stages.certify_moves = stages.settle_rounds = 0;
    followed_ = alone_ ? Followed() : Followed(target);
    const ReadColumns read = followed_.read();
    auto density = [&target, alone = alone_ != 0](Rows<const double> at, Rows<double> s,
                                                  std::span<double> log_density) {
      target.evaluate(at, s, log_density);
      if (alone)
        std::ranges::fill(log_density, 0.0);
    };
    Threads& threads = staged_.threads ? *staged_.threads : Threads::alone();
    stages.rows_a_step = target.rows_a_step > 0 ? target.rows_a_step : stages.rows_a_step;
    auto journey =
        target.rows && stages.starts > 0
            ? std::make_unique<GroupedJourney>(*target.rows, stages, threads, read)
            : std::make_unique<GroupedJourney>(density, target.dim, stages, threads, read, !alone_);
    if (!last_.columns.empty())
      journey->restore(last_);
    else if (stages.starts == 0)
      journey->begin_from(start, stages.steps > 0 ? Stage::fly : Stage::certify);
    journey_ = std::move(journey);
  }

  void arrive() {
    const Progress progress = journey_->progress();
    settled_ = journey_->finished();
    settings_.steps =
        settled_ ? done_
                 : done_ + std::max<std::uint64_t>(1, progress.total -
                                                          std::min(progress.done, progress.total));
    const bool stage_began = progress.done == 0;
    if (stage_began || settled_ || done_ % look_every == 0)
      trace_.push_back(look());
  }

  judge::TraceRow look() const {
    const std::vector<double> s = scores(), x = positions();
    const std::size_t dim = staged_.target.dim;
    judge::TraceRow row;
    row.step = done_;
    row.sweeps = static_cast<double>(done_);
    row.seconds = seconds_.total;
    row.batch = staged_.stages.batch_size;
    judge_rows({x.data(), settings_.particles, dim}, {s.data(), settings_.particles, dim}, row);
    return row;
  }

  void report(bool measured, Outcome& o) override {
    o.positions = positions();
    if (measured)
      o.scores = scores();
    if (done_ == 0)
      return;
    set_out(); // also where the unit after the last one failed
    o.stages = stage_report(o.warnings);
    if (measured)
      measure(o);
  }

  StageReport stage_report(std::vector<std::string>& warnings) const {
    StageReport stages;
    stages.gradients = journey_->gradients();
    stages.modes = journey_->scouted().modes;
    stages.by_pathfinder = journey_->scouted().by_pathfinder;
    stages.settled = journey_->settled();
    stages.polished = journey_->polished();
    const std::vector<double> x = positions();
    stages.columns = alone_ ? names() : followed_.names({x.data(), 1, staged_.target.dim});
    stages.pooled_means = journey_->pooled_means();
    stages.pooled_sds = journey_->pooled_sds();
    stages.certificate = journey_->certificate();
    if (journey_->over_rows())
      report_rows(journey_->rows_report(), stages, warnings);
    return stages;
  }

  void measure(Outcome& o) {
    AnyTarget<double> target = staged_.target;
    if (journey_->over_rows() &&
        done_ > 0) // all rows for every particle would cost more than the run
      target.evaluate = [this](Rows<const double> at, Rows<double> s, std::span<double> l) {
        journey_->estimate(at, s, l);
      };
    measure_at(target, settings_, o, staged_.threads ? *staged_.threads : Threads::alone());
    if (!settled_) { // whoever stopped it: exact moves confirm a cloud, and they are still to come
      if (o.diagnosis.verdict == "converged") {
        o.diagnosis.verdict = "cannot tell";
        o.diagnosis.sentence = fmt::format(
            "the run is in its stage {}, before exact moves could confirm it: so far {}", stage(),
            o.diagnosis.sentence);
      }
      return;
    }
    add_groups(staged_.target, *journey_, o);
    if (const auto& certificate = o.stages->certificate) {
      judge_by(*certificate, target, false, o, journey_->doubt());
    } else {
      take_back(o);
      if (alone_)
        o.diagnosis.sentence += " (not certified: the target gives scores and no log density)";
      else if (o.diagnosis.verdict == "converged") // a funnel whose scores balance may be far off
        o.diagnosis.verdict = "cannot tell",
        o.diagnosis.sentence +=
            ", but no exact moves were made that could confirm it: --certify 20 makes them";
      else
        o.diagnosis.sentence += " (not certified)";
    }
    if (!o.trace.empty())
      o.trace.back().verdict = o.diagnosis.verdict;
  }

  Staged staged_;
  std::unique_ptr<GroupedJourney> journey_;
  JourneyState last_;       // after the last unit
  std::uint64_t alone_ = 0; // scores alone
  Followed followed_;       // columns that users read and the certificate follows
};

void check(const Staged& staged, const Settings& settings) {
  if (!staged.target.evaluate)
    throw std::invalid_argument("target: a run in stages needs its log density");
  if (settings.periodic)
    throw std::invalid_argument("domain: a run in stages lives in all of R^d");
}

} // namespace

std::unique_ptr<Flight> begin(Staged staged, const Settings& settings) {
  check(staged, settings);
  return std::make_unique<StagedFlight>(std::move(staged), settings);
}

std::unique_ptr<Flight> resume(Staged staged, const Settings& settings,
                               const Checkpoint& checkpoint, const std::string& where) {
  check(staged, settings);
  const Head head = read_head(checkpoint, where);
  if (head.saved.particles != settings.particles || head.saved.dim != staged.target.dim ||
      head.saved.single)
    misfit(where, settings.particles, staged.target.dim, false, "position");
  auto flight = std::make_unique<StagedFlight>(std::move(staged), settings);
  flight->restore(checkpoint, where, head);
  return flight;
}

} // namespace starling::run
