// Figure 3 and Table 3: test accuracy of Bayesian logistic regression on Covertype.
#include "experiment.hpp"
#include "logistic_accuracy/judge.hpp"
#include "logistic_rows.hpp"
#include "step_times.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/random/start.hpp>
#include <starling/target/prediction.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace starling::reproduce {

namespace {

constexpr std::uint64_t split_seed = 1;
constexpr double eta = 0.05, bandwidth = 256;
constexpr std::size_t data_batch = 100;

/// How much of it: N, p (N itself means SVGD), how many starts. Steps are the paper's in any case.
struct Size {
  std::size_t particles, starts;
  std::vector<std::size_t> batches;
};

/// The accuracies at the checkpoints of one start. The same start has the same particles and data
/// mini-batches whatever p is.
template <typename Real>
std::vector<double> accuracies(const Covertype<Real>& data, const LabelledData<float>& test,
                               std::size_t n, std::size_t p, std::uint64_t start) {
  const std::uint64_t seed = 1000 + start;
  LogisticRegression<Real, cpu::Algebra<Real>> target(data.train, data_batch, seed);
  Ensemble<Real> particles(n, target.dim());
  start_from_prior(particles.position(), seed);
  std::vector<double> seen;
  const auto look = [&](Step k, const Ensemble<Real>& cloud, const Batches&) {
    if (std::ranges::find(checkpoints, k + 1) != checkpoints.end()) {
      const std::vector<float> x(cloud.position().begin(), cloud.position().end());
      const Rows<const float> rows{x.data(), cloud.count(), cloud.dim()};
      seen.push_back(predict<float, cpu::Algebra<float>>(test, rows, Threads::alone()).accuracy);
    }
    return Signal::go_on;
  };
  using Drift = GaussDrift<Real>;
  const Drift drift(kernel::Gaussian<Real>(Real(bandwidth)), Threads::alone());
  const auto run = [&](auto deal, auto any_drift) {
    rbm_svgd(particles, Span{0, checkpoints.back()}, deal, score_of<Real>(target), any_drift,
             cpu::ExplicitStep<Real, FadingAdaGrad<Real>>(FadingAdaGrad<Real>(eta)), look);
  };
  if (p == n)
    run(Whole(), AdaptiveDrift<Real, Drift, kernel::MedianBandwidth<Real>>(drift, {}));
  else if (p == 2)
    run(Matching(seed), drift);
  else
    run(Shuffle(seed, p), drift);
  return seen;
}

/// Starts side by side, one thread each, a few to a part.
template <typename Real, typename Load>
Accuracies measure_size(Scope& scope, const std::string& name, std::size_t n, std::size_t p,
                        std::size_t starts, Load&& load) {
  Accuracies all;
  const std::size_t at_once = std::max<std::size_t>(4, scope.threads.count());
  for (std::size_t first = 0; first < starts; first += at_once) {
    const std::size_t last = std::min(starts, first + at_once);
    const Json settings = {
        {"particles", n}, {"p", p}, {"steps", checkpoints.back()}, {"split", split_seed}};
    const Json part = scope.parts.get(
        fmt::format("logistic-accuracy/{}/{}-{}", name, first, last - 1), settings, [&]() -> Json {
          const auto& [data, test] = load();
          Accuracies some(last - first);
          scope.threads.for_pieces(some.size(), 1,
                                   [&, &data = data, &test = test](std::size_t i, std::size_t) {
                                     some[i] = accuracies<Real>(data, test, n, p, first + i);
                                   });
          return some;
        });
    for (const Json& one : part)
      all.push_back(one.get<std::vector<double>>());
  }
  return all;
}

/// The file read when the first part asks for it: a run that goes on may not need it at all.
template <typename Real>
class Loaded {
public:
  explicit Loaded(std::filesystem::path file) : file_(std::move(file)) {}
  const Covertype<Real>& operator()() {
    if (!data_)
      data_ = load_covertype<Real>(file_, split_seed);
    return *data_;
  }

private:
  std::filesystem::path file_;
  std::optional<Covertype<Real>> data_;
};

/// Double beside single precision: differences of the last accuracies, start by start.
Json precision_check(Scope& scope, const Accuracies& single, std::size_t n, std::size_t p,
                     std::size_t starts) {
  Loaded<double> wide(scope.covertype);
  std::optional<LabelledData<float>> test;
  const Accuracies exact =
      measure_size<double>(scope, fmt::format("p={}-double", p), n, p, starts, [&] {
        const Covertype<double>& data = wide();
        if (!test)
          test = LabelledData<float>{data.test->features.cast<float>(),
                                     data.test->labels.cast<float>()};
        return std::pair<const Covertype<double>&, const LabelledData<float>&>(data, *test);
      });
  std::vector<double> apart;
  for (std::size_t s = 0; s < starts; ++s)
    apart.push_back(exact[s].back() - single[s].back());
  const Spread spread = spread_of(apart);
  return {
      {"p", p}, {"starts", starts}, {"double_minus_single", spread.mean}, {"error", spread.error}};
}

} // namespace

Json measure_logistic_accuracy(Scope& scope) {
  if (scope.covertype.empty())
    reject("covertype", "the Covertype data file (--covertype FILE)", "none");
  const Size size =
      scope.quick ? Size{64, 4, {2, 8, 64}} : Size{512, 50, {2, 4, 8, 16, 32, 128, 512}};
  Loaded<float> data(scope.covertype);
  Json rows = Json::array();
  std::vector<Row> measured;
  Accuracies eight;
  for (const std::size_t p : size.batches) {
    const Accuracies all =
        measure_size<float>(scope, fmt::format("p={}", p), size.particles, p, size.starts, [&] {
          const Covertype<float>& read = data();
          return std::pair<const Covertype<float>&, const LabelledData<float>&>(read, *read.test);
        });
    if (p == 8)
      eight = all;
    measured.push_back(row_of(p, p == size.particles, all));
    rows.push_back(to_json(measured.back()));
  }
  Json claims = Json::array();
  for (const Claim& claim : judge(measured, size.particles))
    claims.push_back(to_json(claim));
  Json found = {{"checkpoints", checkpoints}, {"starts", size.starts}, {"sizes", rows}};
  if (!scope.quick)
    found["precision_check"] = precision_check(scope, eight, size.particles, 8, 4);
  return {{"settings",
           {{"particles", size.particles},
            {"starts", size.starts},
            {"steps", checkpoints.back()},
            {"step_size", eta},
            {"rule", "fading AdaGrad"},
            {"bandwidth", bandwidth},
            {"bandwidth_of_svgd", "med^2 / (2 log N), afresh at each step"},
            {"data_batch", data_batch},
            {"test_share", 0.2},
            {"split_seed", split_seed},
            {"precision", "single"}}},
          {"data", found},
          {"claims", claims}};
}

} // namespace starling::reproduce
