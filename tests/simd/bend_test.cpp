// Bends at every SIMD level against the formulas of src/frame/bend_functions.hpp, and fits against
// the residual that they lower.
#include "cpu/bend_work.hpp"
#include "every_level.hpp"
#include "frame/fit_dependent.hpp"
#include "support/normals.hpp"

#include <starling/bend.hpp>
#include <starling/frame.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace bend_level_tests {

using namespace starling;
using namespace starling::bending;
using simd_tests::at_every_level;
using support::normals;

/// A dependent of the first k parameters, and rows of it.
struct Case {
  Case(std::size_t k, Eigen::Index rows, std::uint64_t seed)
      : t(2 * normals(rows, Eigen::Index(k + 1), seed)),
        score(normals(rows, Eigen::Index(k + 1), seed + 1)) {
    const Eigen::VectorXd n = .4 * normals(1, 20, seed + 2).row(0).transpose();
    one = {k, {}, n.head(numbers_of_mean(k)), n.tail(numbers_of_width(k))};
    for (std::size_t a = 0; a < k; ++a) {
      one.controllers.push_back(a);
      seen.emplace_back(t.col(Eigen::Index(a)).array());
    }
    for (const Bounded& bounded : seen)
      c.push_back(&bounded.value);
  }
  Bend bend() const {
    const auto d = t.cols();
    return {Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(d), {one}};
  }
  Values own(const Frame::Matrix& of) const { return of.col(Eigen::Index(one.parameter)).array(); }

  Frame::Matrix t, score;
  Bend::Dependent one;
  std::vector<Bounded> seen;
  Controllers c;
};

template <typename Check>
void for_cases(Check&& check) {
  for (const std::size_t k : {1, 2, 3})
    for (const Eigen::Index rows : {1, 2, 3, 5, 8, 9, 16, 67, 256}) {
      SCOPED_TRACE(std::to_string(k) + " controllers, " + std::to_string(rows) + " rows");
      check(Case(k, rows, 100 * k + std::uint64_t(rows)));
    }
}

constexpr double few_roundings = 1e-13; // exp to 2 ulp, a dozen sums; relative to what is summed

TEST(BendWork, BendsAndStraightensAsTheFormulaDoes) {
  at_every_level([&] {
    for_cases([](const Case& of) {
      const Width width(of.c, of.one.log_width, of.t.rows());
      const Values mean = quadratic(of.c, of.one.mean, of.t.rows());
      const Values wanted = mean + width.log.exp() * of.own(of.t);
      const Frame::Matrix z = of.bend().forward(of.t);
      const Values scale = 1 + mean.abs() + width.log.exp() * of.own(of.t).abs();
      EXPECT_LT(((of.own(z) - wanted) / scale).abs().maxCoeff(), few_roundings);
      EXPECT_LT((of.bend().log_determinant(of.t).array() - width.log).abs().maxCoeff(),
                few_roundings);
      const Values back = of.own(of.bend().inverse(rows_of(z)));
      const Values narrow = 1 + scale * (-width.log).exp();
      EXPECT_LT(((back - of.own(of.t)) / narrow).abs().maxCoeff(), few_roundings);
    });
  });
}

TEST(BendWork, HoldsControllersAsTheFormulaDoes) {
  at_every_level([&] {
    for (const Eigen::Index rows : {1, 2, 3, 5, 8, 9, 16, 67, 256}) {
      const Values z = 10 * normals(rows, 1, 31).col(0).array(); // many are beyond the bound
      const Bounded wanted(z);
      Values value(rows), slope(rows);
      cpu::bend_work_in_use().hold(z.data(), std::size_t(rows), bound, value.data(), slope.data());
      EXPECT_LT(((value - wanted.value) / wanted.value).abs().maxCoeff(), few_roundings);
      EXPECT_LT(((slope - wanted.slope) / wanted.slope).abs().maxCoeff(), few_roundings);
    }
  });
}

TEST(BendWork, PullsScoresAsTheFormulaDoes) {
  at_every_level([&] {
    for_cases([](const Case& of) {
      const Frame::Matrix pulled = of.bend().pull(of.t, rows_of(of.score));
      const Width width(of.c, of.one.log_width, of.t.rows());
      const Values g = of.own(of.score), wide = width.log.exp();
      const Values by_width = width.inside * (1 + g * wide * of.own(of.t));
      EXPECT_LT(((of.own(pulled) - g * wide) / (1 + (g * wide).abs())).abs().maxCoeff(),
                few_roundings);
      for (std::size_t a = 0; a < of.c.size(); ++a) {
        const Values by_mean = g * slope_of(of.c, of.one.mean, a);
        const Values also = by_width * slope_of(of.c, of.one.log_width, a);
        const Values wanted =
            of.score.col(Eigen::Index(a)).array() + of.seen[a].slope * (by_mean + also);
        const Values off = (pulled.col(Eigen::Index(a)).array() - wanted) /
                           (1 + wanted.abs() + by_mean.abs() + also.abs());
        EXPECT_LT(off.abs().maxCoeff(), 10 * few_roundings);
      }
    });
  });
}

TEST(BendWork, HoldsWidthsWhereTheyAreWidest) {
  at_every_level([&] {
    Case of(1, 9, 7);
    of.one.log_width = Eigen::Vector3d(2 * widest, 0, 0);
    const Frame::Matrix pulled = of.bend().pull(of.t, rows_of(of.score));
    EXPECT_DOUBLE_EQ(of.bend().log_determinant(of.t)[0], widest);
    const Values mean_alone = of.score.col(0).array() +
                              of.seen[0].slope * of.own(of.score) * slope_of(of.c, of.one.mean, 0);
    EXPECT_LT((pulled.col(0).array() - mean_alone).abs().maxCoeff(), 1e-12); // the width stays
  });
}

TEST(FittedRows, CostAsTheFormulaDoes) {
  at_every_level([&] {
    for_cases([](const Case& of) {
      std::vector<Eigen::Ref<const Values>> c;
      for (const Bounded& bounded : of.seen)
        c.push_back(bounded.value);
      const Values z = of.own(of.t), g = of.own(of.score);
      const double wanted = cost(Residual(of.one, of.c, z, g).sum);
      EXPECT_NEAR(FittedRows(c, z, g).cost(of.one), wanted, few_roundings * (1 + wanted) * 100);
    });
  });
}

// Slow twin: the slopes of the residual by differences, and their products one by one.
TEST(FittedRows, HaveTheSlopesOfTheirResidual) {
  at_every_level([&] {
    const Case of(2, 13, 11);
    const Values z = of.own(of.t), g = of.own(of.score);
    const std::size_t rows = 16, means = 6, widths = 5, columns = 12;
    Eigen::MatrixXd features = Eigen::MatrixXd::Zero(rows, means + 2);
    const Values &c0 = of.seen[0].value, &c1 = of.seen[1].value;
    features.topRows(13) << Eigen::VectorXd::Ones(13), c0.matrix(), c1.matrix(),
        (c0.square() - 1).matrix(), (c1.square() - 1).matrix(), (c0 * c1).matrix(), z.matrix(),
        g.matrix();
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(rows, columns);
    const cpu::BendWork& work = cpu::bend_work_in_use();
    const double no_cap = 1e300;
    cpu::DependentRows given{.rows = rows,
                             .features = features.data(),
                             .mean = of.one.mean.data(),
                             .log_width = of.one.log_width.data(),
                             .means = means,
                             .widths = widths,
                             .z = features.col(means).data(),
                             .score = features.col(means + 1).data(),
                             .widest = widest,
                             .cap = no_cap};
    for (const double cap : {0.5, no_cap}) { // some rows reach the first
      given.cap = cap;
      EXPECT_EQ(work.slopes(given, means, widths, slopes.data()), work.cost(given));
    }
    // Differences over h lose what rounding leaves of r, some 1e-16 |r| / h.
    const double h = 1e-6;
    const Values r = Residual(of.one, of.c, z, g).sum;
    for (std::size_t n = 0; n < means + widths; ++n) {
      const auto moved = [&](double by) {
        Bend::Dependent one = of.one;
        (n < means ? one.mean[Eigen::Index(n)] : one.log_width[Eigen::Index(n - means)]) += by;
        return Residual(one, of.c, z, g).sum;
      };
      const Values wanted = (moved(h) - moved(-h)) / (2 * h);
      const Values off = (slopes.col(Eigen::Index(n)).head(13).array() - wanted) /
                         (1 + wanted.abs() + 1e-3 * r.abs());
      EXPECT_LT(off.abs().maxCoeff(), 1e-6) << n;
    }
    EXPECT_LT(((slopes.col(means + widths).head(13).array() - r) / (1 + r.abs())).abs().maxCoeff(),
              few_roundings);
    EXPECT_EQ(slopes.bottomRows(3).cwiseAbs().maxCoeff(), 0); // rows that fill the last vector

    std::vector<double> products(columns * columns);
    work.products(slopes.data(), rows, columns, products.data());
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = i; j < columns; ++j) {
        const double wanted = slopes.col(Eigen::Index(i)).dot(slopes.col(Eigen::Index(j)));
        EXPECT_NEAR(products[i * columns + j], wanted, 1e-12 * (1 + std::abs(wanted)));
      }
  });
}

// A conditional density that is normal, of a known mean and width: its residual falls to 0.
TEST(FittedRows, FindTheFunctionsThatMadeThem) {
  at_every_level([&] {
    const Case of(1, 200, 13);
    Bend::Dependent truth = of.one;
    truth.mean = Eigen::Vector3d(.3, -.5, .8);
    truth.log_width = Eigen::Vector3d(-.2, .6, .1);
    const Values wide = Width(of.c, truth.log_width, 200).log.exp();
    const Values t = of.own(normals(200, 2, 14));
    const Values z = quadratic(of.c, truth.mean, 200) + wide * t, g = -t / wide;
    const FittedRows rows({of.seen[0].value}, z, g);
    Bend::Dependent found = truth, linear = truth;
    found.mean.setZero();
    found.log_width.setZero();
    linear = found;
    rows.fit(found, Terms::all);
    EXPECT_LT((found.mean - truth.mean).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT((found.log_width - truth.log_width).cwiseAbs().maxCoeff(), 1e-4);
    rows.fit(linear, Terms::linear); // a mean that is linear and one width leave a residual
    EXPECT_EQ(linear.mean[2], 0);
    EXPECT_EQ(linear.log_width[1], 0);
    EXPECT_GT(rows.cost(linear), .1);
  });
}

} // namespace bend_level_tests
