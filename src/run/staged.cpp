// A run in stages as a flight: units for steps, its state in a checkpoint, its certificate in the
// verdict.
#include <starling/run/staged.hpp>

#include "run/check_staged.hpp"
#include "run/followed_columns.hpp"
#include "run/measure.hpp"
#include "run/state.hpp"
#include "run/stopwatch.hpp"
#include "run/timed.hpp"

#include <starling/judge/certified.hpp>
#include <starling/random/start.hpp>
#include <starling/stages/journey.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr std::uint64_t look_every = 5;    // units
const std::string state_column = "stages"; // of a checkpoint
const std::string alone_column = "stages by scores alone";
const std::string earlier_column = "journey count stage"; // a column that earlier versions wrote

/// Zeros before there is a cloud. While fewer fly than the cloud will have, they come again.
std::vector<double> repeated(std::span<const double> of, std::size_t size) {
  std::vector<double> values(size);
  for (std::size_t at = 0; !of.empty() && at < size; at += of.size())
    std::copy_n(of.data(), std::min(of.size(), size - at), values.data() + at);
  return values;
}

class StagedFlight final : public Flight {
public:
  StagedFlight(Staged staged, const Settings& settings)
      : Flight(settings, staged), staged_(std::move(staged)) {
    settings_.steps = 1; // there is always one more, until it is finished
  }

  void take(Step count, const std::function<Signal()>& after) override {
    const Clock::time_point begin = Clock::now();
    const double before = seconds_.total;
    const auto stops = [&] { return after && after() == Signal::stop; };
    for (; count > 0 && !over(); --count) {
      try {
        if (!journey_)
          begin_journey();
        do { // one unit, however many parts the scout has
          journey_->unit();
          seconds_.total = before + since(begin);
        } while (journey_->scouting() && !stops());
      } catch (...) { // the unit can be tried again
        seconds_.total = before + since(begin);
        throw;
      }
      if (journey_->scouting())
        return;
      ++done_;
      after_unit();
      if (stops())
        return;
    }
  }

  std::string stage() const override { return journey_ ? journey_->stage() : "scout"; }
  double drift_size() const override { return NAN; }
  std::vector<double> positions() const override {
    return journey_ ? whole(journey_->cloud().x) : std::vector<double>(size());
  }
  std::vector<double> scores() const override {
    return journey_ ? whole(journey_->cloud().score) : std::vector<double>(size());
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
    checkpoint.add_text(alone_column, scores_alone_ ? "yes" : "no");
    checkpoint.add_text(state_column, journey_ ? journey_->save() : std::string());
    return checkpoint;
  }

  void restore(const Checkpoint& checkpoint, const std::string& where, const Head& head) {
    done_ = head.saved.done;
    settled_ = head.settled;
    seconds_ = head.seconds;
    trace_ = head.trace;
    const std::string *state = checkpoint.find(state_column), *by = checkpoint.find(alone_column);
    if (!state || !by)
      throw io::BadData(where, checkpoint.find(earlier_column)
                                   ? "was saved by an earlier version, and this one cannot "
                                     "continue it: start the run again"
                                   : fmt::format("has no column '{}'", state_column));
    scores_alone_ = *by == "yes";
    if (done_ > 0)
      try {
        journey_ = make_journey();
        journey_->restore(*state);
      } catch (const std::invalid_argument& error) {
        throw io::BadData(where, error.what());
      }
    settings_.steps = settled_ ? done_ : done_ + 1;
  }

private:
  std::size_t size() const { return settings_.particles * staged_.target.dim; }
  std::vector<double> whole(const Frame::Matrix& rows) const {
    return repeated({rows.data(), std::size_t(rows.size())}, size());
  }
  stages::Settings stage_settings() const {
    stages::Settings stages = staged_.stages;
    stages.particles = settings_.particles, stages.seed = settings_.seed;
    if (scores_alone_)
      stages.starts = stages.certify_moves = stages.settle_rounds = 0, stages.evidence = false;
    if (staged_.target.rows_a_step > 0)
      stages.rows_a_step = staged_.target.rows_a_step;
    return stages;
  }

  std::unique_ptr<stages::Journey> make_journey() {
    const AnyTarget<double>& target = staged_.target;
    const stages::Settings settings = stage_settings();
    followed_ = scores_alone_ ? FollowedColumns() : FollowedColumns(target);
    stages::JourneyDensity density;
    density.dim = target.dim;
    density.has_log_density = !scores_alone_;
    density.whole = [this, alone = scores_alone_](Rows<const double> at, Rows<double> s,
                                                  std::span<double> log_density) {
      const Stopwatch watching(seconds_.score);
      staged_.target.evaluate(at, s, log_density);
      if (alone)
        std::ranges::fill(log_density, 0.0);
    };
    if (target.rows && settings.starts > 0) {
      density.rows = timed(*target.rows, seconds_.score);
      density.whole = density.rows->all;
    }
    return std::make_unique<stages::Journey>(std::move(density), settings, threads(),
                                             followed_.read());
  }

  void begin_journey() {
    const AnyTarget<double>& target = staged_.target;
    std::vector<double> x(size());
    const Rows<double> start{x.data(), settings_.particles, target.dim};
    staged_.start ? staged_.start(start) : start_normal(start, settings_.seed, 0, 1);
    if (target.has_density) { // it is known only after a call
      std::vector<double> score(target.dim), density(1);
      target.evaluate(start.slice(0, 1), {score.data(), 1, target.dim}, density);
      scores_alone_ = !target.has_density();
    }
    auto journey = make_journey();
    if (const stages::Settings settings = stage_settings(); settings.starts == 0)
      journey->begin_from(start, settings.steps > 0);
    else if (staged_.start)
      journey->temper_from(start);
    journey_ = std::move(journey);
  }

  void after_unit() {
    const stages::Progress progress = journey_->progress();
    settled_ = journey_->finished();
    const std::uint64_t left = progress.total - std::min(progress.done, progress.total);
    settings_.steps = settled_ ? done_ : done_ + std::max<std::uint64_t>(1, left);
    const bool stage_began = progress.done == 0;
    if (stage_began || settled_ || done_ % look_every == 0)
      trace_.push_back(look());
  }

  /// At those who fly; in `positions` they come again while they are few.
  judge::TraceRow look() const {
    const Cloud& cloud = journey_->cloud();
    judge::TraceRow row;
    row.step = done_;
    row.sweeps = static_cast<double>(done_);
    row.seconds = seconds_.total;
    row.batch = staged_.stages.batch_size;
    judge_rows(cloud.position(), rows_of(cloud.score), row, threads());
    return row;
  }

  void report(bool measured, Outcome& o) override {
    o.positions = positions();
    if (done_ == 0)
      return;
    const double score = seconds_.score; // measures are no part of the run's time
    o.stages = stage_report(o.warnings);
    if (measured)
      measure(o);
    seconds_.score = score;
  }

  StageReport stage_report(std::vector<std::string>& warnings) const {
    const std::vector<double> any_row(staged_.target.dim);
    const bool scouted = stage_settings().starts > 0; // a cloud that was given flies whole
    return report_stages(*journey_, scouted ? settings_.particles : 0,
                         scores_alone_ ? names()
                                       : followed_.names({any_row.data(), 1, staged_.target.dim}),
                         warnings);
  }

  /// By the journey's own scores: a copy of them would be a third of the memory of a large cloud.
  void measure(Outcome& o) {
    const Frame::Matrix& scores_there = journey_->cloud().score;
    const bool few = std::size_t(scores_there.size()) < size();
    const std::vector<double> again = few ? scores() : std::vector<double>();
    const Rows<const double> score{few ? again.data() : scores_there.data(), settings_.particles,
                                   staged_.target.dim};
    AnyTarget<double> target = staged_.target;
    if (journey_->over_rows()) // all rows for every particle would cost more than the run
      target.evaluate = [this](Rows<const double> at, Rows<double> s, std::span<double> l) {
        journey_->estimate(at, s, l);
      };
    else if (!scores_alone_) // the density was asked there already
      o.log_density = repeated(journey_->cloud().log_density, settings_.particles);
    measure_at(target, settings_, score, o, threads());
    if (!settled_) { // whoever stopped it: exact moves confirm a cloud, and they are still to come
      if (judge::Judgement& judgement = o.diagnosis.judgement; judgement.converged()) {
        judgement.verdict = judge::Verdict::cannot_tell;
        judgement.remark(judge::evidence::BeforeMoves{stage()});
      }
      return;
    }
    add_groups(staged_.target, *journey_, o);
    if (const auto& certificate = o.stages->certificate) {
      judge_by(*certificate, target, false, o, journey_->doubt());
      if (journey_->weights().shares.empty()) // of a cloud that was given
        withdraw_converged(o);
      judge::Judgement& judgement = o.diagnosis.judgement;
      judgement = judge::with_search(judgement, journey_->searched(), names());
      if (journey_->over_rows() && judgement.converged() && !journey_->tempered_evidence())
        judgement.remark(judge::evidence::GroupsNotCounted{true});
    } else {
      withdraw_converged(o);
      judge::Judgement& judgement = o.diagnosis.judgement;
      using judge::evidence::NotCertified;
      if (scores_alone_)
        judgement.remark(NotCertified{NotCertified::Why::no_density});
      else if (judgement.converged()) // a funnel whose scores balance may be far off
        judgement.verdict = judge::Verdict::cannot_tell,
        judgement.remark(judge::evidence::NotConfirmed{});
      else
        judgement.remark(NotCertified{NotCertified::Why::not_asked});
    }
    judge_growth(target, score, o);
    if (!o.trace.empty())
      o.trace.back().verdict = o.diagnosis.judgement.verdict;
    if (staged_.stages.evidence)
      o.stages->evidence = report_evidence(*journey_, staged_.target, o);
  }

  Threads& threads() const { return staged_.threads ? *staged_.threads : Threads::alone(); }

  Staged staged_;
  std::unique_ptr<stages::Journey> journey_; // made when the first unit is asked for
  bool scores_alone_ = false;
  FollowedColumns followed_; // columns that users read and the certificate follows
};

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
    refuse_other_shape(where, settings.particles, staged.target.dim, false, "position");
  auto flight = std::make_unique<StagedFlight>(std::move(staged), settings);
  flight->restore(checkpoint, where, head);
  return flight;
}

} // namespace starling::run
