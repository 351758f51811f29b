// A journey's state as named columns and whole numbers, and back.
#include <starling/run/journey.hpp>

#include <starling/error.hpp>
#include <starling/scout/scout.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace starling::run {

namespace {

using Columns = std::map<std::string, std::vector<double>>;

std::vector<double> numbers(const Frame::Matrix& m) { return {m.data(), m.data() + m.size()}; }

const std::vector<double>& column(const Columns& columns, const std::string& name) {
  const auto found = columns.find(name);
  if (found == columns.end())
    throw std::invalid_argument("state: column " + name + " is missing");
  return found->second;
}

Frame::Matrix matrix(const Columns& columns, const std::string& name, std::size_t width) {
  const std::vector<double>& values = column(columns, name);
  if (width == 0 || values.size() % width != 0)
    throw std::invalid_argument("state: column " + name + " does not fit the journey");
  return Frame::map({values.data(), values.size() / width, width});
}

void put(Columns& columns, const std::string& name, const exact::Walkers& walkers) {
  columns[name + ".x"] = numbers(walkers.x);
  columns[name + ".score"] = numbers(walkers.score);
  columns[name + ".log_density"] = walkers.log_density;
}

exact::Walkers walkers(const Columns& columns, const std::string& name, std::size_t dim) {
  exact::Walkers all;
  all.x = matrix(columns, name + ".x", dim);
  all.score = matrix(columns, name + ".score", dim);
  all.log_density = column(columns, name + ".log_density");
  if (all.score.rows() != all.x.rows() || all.log_density.size() != std::size_t(all.x.rows()))
    throw std::invalid_argument("state: columns of " + name + " differ in length");
  for (std::size_t i = 0; i < all.log_density.size(); ++i)
    all.id.push_back(i);
  return all;
}

/// Head of six, its last the number of heavy columns; these; then five for each displacement.
std::vector<double> numbers(const std::optional<judge::Certificate>& certificate) {
  if (!certificate)
    return {};
  std::vector<double> all{double(certificate->finding),   double(certificate->moves),
                          certificate->acceptance,        double(certificate->not_followed),
                          double(certificate->particles), double(certificate->heavy.size())};
  all.insert(all.end(), certificate->heavy.begin(), certificate->heavy.end());
  const auto add = [&](const judge::Displacement& d) {
    all.insert(all.end(), {double(d.parameter), double(d.trait), d.error, d.se, d.memory});
  };
  add(certificate->worst);
  for (const judge::Displacement& d : certificate->all)
    add(d);
  return all;
}

/// Of so many columns, which its displacements name.
std::optional<judge::Certificate> certificate_from(const std::vector<double>& all,
                                                   std::size_t columns) {
  if (all.size() < 11)
    return std::nullopt;
  const auto whole = [&](std::size_t i, double below) {
    if (!(all[i] >= 0 && all[i] < below && all[i] == std::floor(all[i])))
      throw std::invalid_argument("state: a certificate does not fit the journey");
    return std::size_t(all[i]);
  };
  constexpr double any = 0x1p53;
  judge::Certificate made;
  made.finding = judge::Finding(whole(0, double(judge::Finding::undecided) + 1));
  made.moves = whole(1, any);
  made.acceptance = all[2];
  made.not_followed = whole(3, any);
  made.particles = whole(4, any);
  const auto at = [&](std::size_t i) {
    return judge::Displacement{whole(i, double(columns)),
                               judge::Trait(whole(i + 1, double(judge::Trait::square) + 1)),
                               all[i + 2], all[i + 3], all[i + 4]};
  };
  const std::size_t heavy = whole(5, any);
  if (heavy > all.size() || all.size() < 11 + heavy)
    return std::nullopt;
  for (std::size_t i = 0; i < heavy; ++i)
    made.heavy.push_back(whole(6 + i, double(columns)));
  made.worst = at(6 + heavy);
  for (std::size_t i = 11 + heavy; i + 5 <= all.size(); i += 5)
    made.all.push_back(at(i));
  return made;
}

} // namespace

JourneyState Journey::save() const {
  JourneyState state;
  auto& c = state.columns;
  put(c, "cloud", cloud_);
  put(c, "walkers", walkers_);
  put(c, "exact", exact_);
  put(c, "best", best_);
  c["next"] = numbers(next_);
  c["before"] = numbers(before_);
  const Eigen::VectorXd& mean = frame_.mean();
  c["frame.mean"].assign(mean.data(), mean.data() + mean.size());
  c["frame.factor"] = frame_.numbers();
  if (test_)
    c["test.sums"].assign(test_->sums().begin(), test_->sums().end());
  c["kept"] = kept_;
  c["pooled.means"] = pooled_means_;
  c["pooled.sds"] = pooled_sds_;
  c["certificate"] = numbers(certificate_);
  c["first_certificate"] = numbers(first_);
  c["numbers"] = {stride_, accepted_, scouted_.elbo, misfit_};
  auto& n = state.counts;
  n["stage"] = std::uint64_t(stage_);
  n["part"] = std::uint64_t(part_);
  n["done"] = done_;
  n["in_part"] = in_part_;
  n["round"] = round_;
  n["moves"] = moves_;
  n["steps"] = steps_;
  n["tunings"] = tunings_;
  n["modes"] = scouted_.modes;
  n["by_pathfinder"] = scouted_.by_pathfinder;
  n["settled"] = settled_;
  n["polished"] = polished_;
  n["frame.form"] = std::uint64_t(frame_.form());
  n["test.added"] = test_ ? test_->added() : 0;
  n["test"] = test_.has_value();
  for (std::size_t s = 0; s < stages; ++s)
    n[std::string("gradients.") + name(Stage(s))] = scouting_ ? 0 : gradients_[s];
  if (rows_)
    save_rows(state);
  return state;
}

void Journey::restore(const JourneyState& state) {
  const auto& c = state.columns;
  const auto count = [&](const std::string& name) {
    const auto found = state.counts.find(name);
    if (found == state.counts.end())
      throw std::invalid_argument("state: " + name + " is missing");
    return found->second;
  };
  if (count("stage") > std::uint64_t(Stage::finished) ||
      count("part") > std::uint64_t(Part::polish) ||
      count("frame.form") > std::uint64_t(Frame::Form::low_rank))
    throw std::invalid_argument("state: stage, part or form of the frame is not one of a journey");
  scouting_.reset();
  cloud_ = walkers(c, "cloud", dim_);
  walkers_ = walkers(c, "walkers", dim_);
  exact_ = walkers(c, "exact", dim_);
  best_ = walkers(c, "best", dim_);
  const bool scouted = Stage(count("stage")) != Stage::scout;
  if (scouted && cloud_.count() != settings_.particles)
    throw std::invalid_argument("state: made for " + std::to_string(cloud_.count()) +
                                " particles, not " + std::to_string(settings_.particles));
  next_ = matrix(c, "next", dim_);
  before_ = matrix(c, "before", dim_ + read_.count);
  frame_ = scouted ? Frame::from_numbers(column(c, "frame.mean"), column(c, "frame.factor"),
                                         Frame::Form(count("frame.form")))
                   : Frame();
  if (rows_)
    restore_rows(state);
  test_.reset();
  if (count("test") != 0) {
    test_.emplace(rows_of(std::as_const(before_)), rows_of(std::as_const(few_ ? began_ : before_)),
                  dim_);
    test_->resume(column(c, "test.sums"), count("test.added"));
  }
  kept_ = column(c, "kept");
  pooled_means_ = column(c, "pooled.means");
  pooled_sds_ = column(c, "pooled.sds");
  certificate_ = certificate_from(column(c, "certificate"), dim_ + read_.count);
  first_ = certificate_from(column(c, "first_certificate"), dim_ + read_.count);
  const std::vector<double>& numbers = column(c, "numbers");
  if (numbers.size() != 4)
    throw std::invalid_argument("state: column numbers does not fit the journey");
  stride_ = numbers[0];
  accepted_ = numbers[1];
  misfit_ = numbers[3];
  scouted_ = {std::size_t(count("modes")), count("by_pathfinder") != 0, numbers[2]};
  stage_ = Stage(count("stage"));
  part_ = Part(count("part"));
  done_ = count("done");
  in_part_ = count("in_part");
  round_ = count("round");
  moves_ = count("moves");
  steps_ = count("steps");
  tunings_ = count("tunings");
  settled_ = count("settled") != 0;
  polished_ = count("polished") != 0;
  for (std::size_t s = 0; s < stages; ++s)
    gradients_[s] = count(std::string("gradients.") + name(Stage(s)));
  // Sizes by which later units reach into columns, and counts at which they end: no journey saves
  // others.
  const auto must = [](bool fits) {
    if (!fits)
      throw std::invalid_argument("state: its columns and counts do not fit each other");
  };
  if (stage_ == Stage::scout)
    return;
  const std::size_t all = settings_.particles, width = dim_ + read_.count;
  must(frame_.dim() == dim_ && kept_.size() % dim_ == 0);
  for (const auto* pool : {&pooled_means_, &pooled_sds_})
    must(pool->size() == width || (pool->empty() && stage_ != Stage::settle));
  for (const exact::Walkers* some : {&exact_, &best_})
    must(some->count() == 0 || some->count() == all);
  must(exact_.count() == all || !polished_ || stage_ != Stage::settle);
  if (stage_ == Stage::finished)
    return;
  must(std::size_t(next_.rows()) == all);
  must(round_ <= settings_.settle_rounds &&
       (stage_ != Stage::fly || done_ < settings_.flight_moves + settings_.steps));
  const std::uint64_t moves =
      stage_ == Stage::settle && !settled_ ? round_moves() : settings_.certify_moves;
  if (part_ == Part::move)
    must(test_ && (3 * walkers_.count() + 2) * width == test_->sums().size() && in_part_ < moves);
  if (part_ == Part::polish)
    must((test_ || !settled_) && in_part_ < settings_.polish_steps);
  if (stage_ == Stage::settle)
    must(walkers_.count() >= 4 && walkers_.count() <= all);
}

} // namespace starling::run
