// What a journey says of itself, and its state to bytes and back.
#include <starling/stages/journey.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace starling::stages {

namespace {

constexpr std::size_t most_groups = 1000;

} // namespace

std::string Journey::stage() const {
  switch (part_) {
  case Part::temper:
    return "temper";
  case Part::weigh_first:
  case Part::weigh_last:
    return "weigh";
  case Part::look:
    return "look";
  case Part::finished:
    return "finished";
  case Part::one:
  case Part::groups:
    break;
  }
  const Group& group = *groups_[current_];
  const std::string name = group.finished() ? "finished" : names[group.stage()];
  return split() ? name + ", group " + std::to_string(current_ + 1) + " of " +
                       std::to_string(groups_.size())
                 : name;
}

Progress Journey::progress() const {
  switch (part_) {
  case Part::weigh_first:
  case Part::weigh_last: {
    const std::size_t rounds = weighing().rounds();
    return {rounds, rounds + 1};
  }
  case Part::temper:
    return {tempering_.units(), tempering_.units() + 1};
  case Part::look:
  case Part::finished:
    return {};
  case Part::one:
  case Part::groups:
    break;
  }
  Progress progress = groups_[current_]->progress();
  progress.total += (groups_.size() - current_ - 1) * (settings_.steps + settings_.certify_moves);
  return progress;
}

std::size_t Journey::crew() const {
  std::size_t all = 0;
  for (const auto& one : groups_)
    all += one->crew();
  return all;
}

std::vector<std::uint64_t> Journey::turned_back() const {
  std::vector<std::uint64_t> all;
  for (const auto& one : groups_)
    all.push_back(one->state().turned_back);
  return all;
}

bool Journey::settled() const {
  return std::ranges::any_of(groups_, [](const auto& one) { return one->state().settled; });
}

bool Journey::polished() const {
  return std::ranges::any_of(groups_, [](const auto& one) { return one->state().polished; });
}

std::vector<std::pair<std::string, std::uint64_t>> Journey::gradients() const {
  const auto of_all_rows = [&](std::uint64_t visits) {
    const std::size_t rows = over_rows() ? density_.rows->rows : 1;
    return (visits + rows - 1) / rows;
  };
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (std::size_t s = 0; s < kinds; ++s) {
    const Spent& before = before_.stages[s];
    std::uint64_t sum = over_rows() ? of_all_rows(before.rows.visits) : before.gradients;
    for (const auto& one : groups_)
      sum += one->gradients()[s];
    if (sum > 0 || s != index_of<Evidence>) // only those have it who ask for it
      all.emplace_back(names[s], sum);
  }
  if (before_.tempered > 0)
    all.emplace_back("temper", before_.tempered + of_all_rows(before_.tempered_visits));
  if (before_.weighed > 0)
    all.emplace_back("weigh", before_.weighed);
  all.emplace_back("look", before_.looked);
  return all;
}

Failures Journey::failures(bool of_moves) const {
  Failures all;
  for (std::size_t s = 0; s < kinds; ++s) {
    if (of_moves && (s == index_of<Scout> || s == index_of<Fly>))
      continue;
    all.add_since({}, before_.stages[s].failures);
    for (const auto& one : groups_)
      all.add_since({}, one->spent()[s].failures);
  }
  return all;
}

void Journey::estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
  if (!split())
    return groups_[0]->estimate(x, score, log_density);
  const std::vector<std::size_t> group = weighing().group_of(x);
  for (std::size_t i = 0; i < x.count; ++i)
    groups_[group[i]]->estimate(x.slice(i, i + 1), score.slice(i, i + 1),
                                log_density.subspan(i, 1));
}

RowsReport Journey::rows_report() const {
  RowsReport all = groups_[0]->rows_report();
  if (!split())
    return all;
  for (std::size_t s = 0; s < kinds; ++s)
    all.read[s] = before_.stages[s].rows;
  all.error = 0;
  for (const auto& one : groups_) {
    const RowsReport own = one->rows_report();
    for (std::size_t s = 0; s < kinds; ++s) {
      all.read[s].reads += own.read[s].reads;
      all.read[s].visits += own.read[s].visits;
    }
    all.noise = std::max(all.noise, own.noise);
    all.away = std::max(all.away, own.away);
    all.error = own.error > all.error || std::isnan(own.error)
                    ? own.error
                    : all.error; // one that is no number is kept
    all.guide_decides = all.guide_decides && own.guide_decides;
  }
  return all;
}

std::string Journey::save() const {
  SaveFields to;
  to("part", part_);
  to("current", current_);
  to("scouted", scouted_);
  to("weights", weights_);
  to("before", before_);
  to("prior", prior_);
  to("tempering", tempering_);
  to("searched", searched_);
  std::vector<std::size_t> particles;
  for (const auto& one : groups_)
    particles.push_back(one->particles());
  to("particles", particles);
  for (const auto& one : groups_)
    one->save(to);
  return std::move(to.bytes);
}

void Journey::restore(std::string_view state) {
  RestoreFields from(state);
  std::vector<std::size_t> particles;
  from("part", part_, Part::finished);
  from("current", current_);
  from("scouted", scouted_);
  from("weights", weights_);
  from("before", before_);
  from("prior", prior_);
  from("tempering", tempering_);
  from("searched", searched_);
  from("particles", particles);
  check();
  must_fit(particles.size() == (split() ? weights_.modes.size() : 1) &&
           current_ <= particles.size() && (part_ != Part::groups || current_ < particles.size()));
  if (split()) {
    groups_.clear();
    for (std::size_t g = 0; g < particles.size(); ++g) {
      must_fit(particles[g] >= 8 && particles[g] <= settings_.particles);
      groups_.push_back(group_of(g, particles[g]));
    }
  }
  for (const auto& one : groups_)
    one->restore(from);
  must_fit(from.at_end());
  if (part_ == Part::temper && over_rows() && tempering_.units() > 1) // few rows had been chosen
    cloud_at(tempering_.cloud().position().slice(0, 1), groups_[0]->guide().density());
  if ((part_ == Part::look || part_ == Part::finished) && split())
    combined_ = put_together(weighing());
  else
    follow();
}

/// Numbers by which later units reach into columns: no journey saves others.
void Journey::check() const {
  const std::size_t modes = weights_.modes.size();
  must_fit(modes <= most_groups);
  must_fit(prior_.dim() == 0 || prior_.dim() == density_.dim);
  tempering_.check(density_.dim);
  must_fit(part_ != Part::temper || tempering_.begun());
  for (const std::vector<scout::Mode>* these : {&weights_.modes, &weights_.light})
    for (const scout::Mode& one : *these)
      must_fit(std::size_t(one.x.size()) == density_.dim &&
               (one.frame.dim() == density_.dim || one.frame.dim() == 0));
  must_fit(searched_.light.parameter < density_.dim);
  double whole = 0; // particles are shared out by them
  for (const scout::Share& one : weights_.shares)
    whole += one.share >= 0 && one.share <= 1 ? one.share : NAN;
  must_fit(weights_.shares.empty() || (weights_.shares.size() == modes && whole > 0));
  const bool by_groups = part_ == Part::groups || part_ == Part::weigh_last;
  must_fit(split() ? part_ != Part::one && part_ != Part::temper && part_ != Part::weigh_first &&
                         !weights_.shares.empty()
                   : !by_groups);
  must_fit(part_ != Part::weigh_first || modes > 0);
  if (split() || part_ == Part::weigh_first)
    for (const scout::Mode& one : weights_.modes)
      must_fit(one.frame.dim() == density_.dim);
}

} // namespace starling::stages
