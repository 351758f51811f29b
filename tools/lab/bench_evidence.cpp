// bench evidence: the log evidence of densities whose integrals are known, and whether its own
// errors cover it.
#include "bench.hpp"
#include "shape_runs.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starling::tool {

namespace {

constexpr std::uint64_t evidence_seeds = 50;
const double log_2_pi = std::log(2 * std::numbers::pi);

struct Problem {
  Shape shape;
  double log_evidence;
};

/// `density` writes the gradient too.
Problem problem(std::string name, std::size_t dim, double log_evidence,
                std::function<double(Shape::In, Shape::Out)> density) {
  Shape shape;
  shape.name = std::move(name);
  shape.mean.assign(dim, 0.0);
  shape.density = std::move(density);
  return {std::move(shape), log_evidence};
}

/// Normal of unit variances, neighbours correlated; without its constants.
Problem chain_problem(std::string name, std::size_t dim, double correlation) {
  const double left = 1 - correlation * correlation, d = double(dim);
  return problem(std::move(name), dim, d / 2 * log_2_pi + (d - 1) / 2 * std::log(left),
                 [=](Shape::In x, Shape::Out s) {
                   double log = -x[0] * x[0] / 2;
                   s[0] = -x[0];
                   for (std::size_t a = 1; a < x.size(); ++a) {
                     const double off = x[a] - correlation * x[a - 1];
                     log -= off * off / (2 * left);
                     s[a] = -off / left;
                     s[a - 1] += correlation * off / left;
                   }
                   return log;
                 });
}

Problem banana_problem(double bend) {
  return problem("banana", 2, log_2_pi, [=](Shape::In x, Shape::Out s) {
    const double off = x[1] - bend * x[0] * x[0];
    s[0] = -x[0] + 2 * bend * x[0] * off;
    s[1] = -off;
    return -x[0] * x[0] / 2 - off * off / 2;
  });
}

/// Logarithms of Gamma numbers: skewed.
Problem log_gammas(std::string name, std::size_t dim, double shape) {
  return problem(std::move(name), dim, double(dim) * std::lgamma(shape),
                 [=](Shape::In x, Shape::Out s) {
                   double log = 0;
                   for (std::size_t a = 0; a < x.size(); ++a) {
                     log += shape * x[a] - std::exp(x[a]);
                     s[a] = shape - std::exp(x[a]);
                   }
                   return log;
                 });
}

Problem student_problem(std::size_t dim, double f) {
  const double d = double(dim);
  return problem("Student t", dim,
                 std::lgamma(f / 2) - std::lgamma((f + d) / 2) +
                     d / 2 * std::log(f * std::numbers::pi),
                 [=](Shape::In x, Shape::Out s) {
                   double square = 0;
                   for (const double v : x)
                     square += v * v;
                   for (std::size_t a = 0; a < x.size(); ++a)
                     s[a] = -(f + d) * x[a] / (f + square);
                   return -(f + d) / 2 * std::log1p(square / f);
                 });
}

/// Two normals of weights 1 and `second`, `apart` in every coordinate.
Problem two_normals(std::size_t dim, double second, double apart) {
  return problem("two normals", dim, double(dim) / 2 * log_2_pi + std::log1p(second),
                 [=](Shape::In x, Shape::Out s) {
                   double near = 0, far = 0;
                   for (const double v : x) {
                     near += v * v / 2;
                     far += (v - apart) * (v - apart) / 2;
                   }
                   const double a = -near, b = std::log(second) - far, top = std::max(a, b);
                   const double pa = std::exp(a - top), pb = std::exp(b - top);
                   for (std::size_t k = 0; k < x.size(); ++k)
                     s[k] = -(pa * x[k] + pb * (x[k] - apart)) / (pa + pb);
                   return top + std::log(pa + pb);
                 });
}

Problem funnel_problem(std::size_t dim) {
  const double others = double(dim - 1);
  return problem("funnel", dim, double(dim) / 2 * log_2_pi + std::log(3.0),
                 [=](Shape::In x, Shape::Out s) {
                   const double v = x[0], narrow = std::exp(-v);
                   double log = -v * v / 18 - others * v / 2;
                   s[0] = -v / 9 - others / 2;
                   for (std::size_t a = 1; a < x.size(); ++a) {
                     log -= x[a] * x[a] * narrow / 2;
                     s[a] = -x[a] * narrow;
                     s[0] += x[a] * x[a] * narrow / 2;
                   }
                   return log;
                 });
}

/// y ~ N(X w, sd^2), w ~ N(0, width^2), so that y ~ N(0, sd^2 I + width^2 X X^T).
Problem linear_regression(std::size_t weights) {
  constexpr Eigen::Index rows = 60;
  const double sd = 0.7, width = 2;
  const auto d = Eigen::Index(weights);
  Dice dice(1, 0);
  Eigen::MatrixXd features(rows, d);
  Eigen::VectorXd y(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double common = dice.normal();
    for (Eigen::Index a = 0; a < d; ++a)
      features(r, a) = 0.7 * common + dice.normal();
    y[r] = features(r, 0) - 0.5 * features(r, d - 1) + sd * dice.normal();
  }
  const Eigen::MatrixXd covariance = sd * sd * Eigen::MatrixXd::Identity(rows, rows) +
                                     width * width * features * features.transpose();
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const double truth = -double(rows) / 2 * log_2_pi -
                       Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum() -
                       y.dot(factor.solve(y)) / 2;
  const double constant = -(double(rows) + double(d)) / 2 * log_2_pi - double(rows) * std::log(sd) -
                          double(d) * std::log(width);
  return problem("linear regression", weights, truth, [=](Shape::In x, Shape::Out s) {
    const Eigen::Map<const Eigen::VectorXd> w(x.data(), d);
    const Eigen::VectorXd off = y - features * w;
    Eigen::Map<Eigen::VectorXd>(s.data(), d) =
        features.transpose() * off / (sd * sd) - w / (width * width);
    return constant - off.squaredNorm() / (2 * sd * sd) - w.squaredNorm() / (2 * width * width);
  });
}

/// Counts ~ Poisson(e^x), e^x ~ Gamma(shape, rate).
Problem poisson_gamma() {
  const double shape = 2, rate = 0.5, sum = 23, count = 6; // counts 3, 5, 2, 7, 4, 2
  double of_counts = 0;
  for (const double y : {3.0, 5.0, 2.0, 7.0, 4.0, 2.0})
    of_counts += std::lgamma(y + 1);
  const double constant = shape * std::log(rate) - std::lgamma(shape) - of_counts;
  return problem("Poisson and Gamma", 1,
                 constant + std::lgamma(shape + sum) - (shape + sum) * std::log(rate + count),
                 [=](Shape::In x, Shape::Out s) {
                   const double mean = std::exp(x[0]);
                   s[0] = shape + sum - (rate + count) * mean;
                   return constant + (shape + sum) * x[0] - (rate + count) * mean;
                 });
}

/// 3 of 10, the probability ~ Beta(1, 2); x is its logit.
Problem beta_binomial() {
  const auto log_beta = [](double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  };
  const double constant = std::log(120.0) - log_beta(1, 2); // 10 over 3
  return problem("beta and binomial", 1, constant + log_beta(4, 9), [=](Shape::In x, Shape::Out s) {
    const double p = 1 / (1 + std::exp(-x[0]));
    s[0] = 4 - 13 * p;
    return constant + 4 * x[0] - 13 * std::log1p(std::exp(x[0]));
  });
}

std::vector<Problem> problems() {
  return {linear_regression(3),
          linear_regression(20),
          poisson_gamma(),
          beta_binomial(),
          chain_problem("normal", 2, 0),
          chain_problem("normal", 20, 0),
          chain_problem("normal", 100, 0),
          chain_problem("correlated", 20, 0.9),
          chain_problem("correlated", 100, 0.9),
          banana_problem(0.5),
          log_gammas("skewed", 5, 2),
          log_gammas("skewed", 20, 2),
          student_problem(5, 5),
          funnel_problem(5),
          two_normals(2, 0.3, 8),
          two_normals(10, 0.3, 4)};
}

} // namespace

nlohmann::ordered_json bench_evidence(const BenchRequest& request) {
  using Json = nlohmann::ordered_json;
  const std::uint64_t seeds = request.seeds ? request.seeds : evidence_seeds;
  Json report = {{"particles", request.particles}, {"seeds", seeds}, {"problems", Json::array()}};
  fmt::print("evidence: N = {}, {} seeds\n{:<18} {:>4} {:>10} {:>10} {:>10} {:>13} {:>9} {:>7}\n",
             request.particles, seeds, "density", "d", "rms error", "mean se", "largest",
             "within 2 se", "overlap", "doubts");
  for (const Problem& one : problems()) {
    if (!asked_for(request, one.shape.name))
      continue;
    std::vector<run::EvidenceReport> found(seeds);
    on_threads(request.threads, seeds, [&](std::size_t k) {
      plan::Recipe recipe = usual_recipe(request.particles, k + 1, 1);
      recipe.evidence = true;
      const ShapeRun ran = run_on_shape(one.shape, recipe);
      found[k].found.value = NAN;
      if (ran.failure.empty() && ran.outcome.stages && ran.outcome.stages->evidence)
        found[k] = *ran.outcome.stages->evidence;
    });
    double squares = 0, errors = 0, overlap = 0, largest = 0;
    std::size_t within = 0, doubts = 0;
    for (const run::EvidenceReport& each : found) {
      const double off = each.found.value - one.log_evidence, n = double(seeds);
      squares += off * off / n;
      errors += each.found.se / n;
      overlap += each.found.overlap / n;
      largest = std::max(largest, std::abs(off));
      within += std::abs(off) <= 2 * each.found.se;
      doubts += !each.doubt.empty();
    }
    const double rms = std::sqrt(squares);
    fmt::print("{:<18} {:>4} {:>10.4f} {:>10.4f} {:>10.4f} {:>13} {:>9.3f} {:>7}\n", one.shape.name,
               one.shape.dim(), rms, errors, largest, fmt::format("{} of {}", within, seeds),
               overlap, doubts);
    std::fflush(stdout);
    report["problems"].push_back({{"name", one.shape.name},
                                  {"dim", one.shape.dim()},
                                  {"log_evidence", one.log_evidence},
                                  {"rms_error", rms},
                                  {"mean_se", errors},
                                  {"largest_error", largest},
                                  {"within_2_se", within},
                                  {"overlap", overlap},
                                  {"doubts", doubts}});
  }
  fmt::print("\n");
  return report;
}

} // namespace starling::tool
