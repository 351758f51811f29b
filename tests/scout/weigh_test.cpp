// Weights of groups: right within their errors, and errors that are right.
#include <starling/scout/weigh.hpp>

#include "scout/blobs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace starling;
using namespace starling::scout;

std::vector<Fit> fits_of(const std::vector<blobs::Blob>& blobs, double wrong = 1) {
  std::vector<Fit> fits;
  for (std::size_t g = 0; g < blobs.size(); ++g) {
    const auto d = Eigen::Index(blobs[g].mean.size());
    fits.push_back({Frame::diagonal(Eigen::Map<const Eigen::VectorXd>(blobs[g].mean.data(), d),
                                    Eigen::VectorXd::Constant(d, wrong * blobs[g].sd)),
                    g});
  }
  return fits;
}

std::vector<Share> weighed(const std::vector<blobs::Blob>& blobs, std::vector<Fit> fits,
                           std::uint64_t seed) {
  CountedDensity density(blobs::density(blobs));
  Weighing weighing(std::move(fits), blobs.size(), seed, 0);
  for (int round = 0; round < 2; ++round)
    weighing.round(density);
  return weighing.shares();
}

const std::vector<double> truth{.1, .2, .3, .4};

// Squares of errors over standard errors average 1: within 4 of their own errors, sqrt(2/n), over
// 150 seeds and three free shares: an error 1.3 times too large or small fails. Equal shares, the
// negative control, are told from these by far.
TEST(Weighing, IsRightWithinErrorsThatAreRight) {
  for (const double wrong : {1.0, 1.4, .8}) { // fits too wide and too narrow as well
    double squares = 0, control = 0;
    constexpr int seeds = 150;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::vector<Share> shares =
          weighed(blobs::four(4), fits_of(blobs::four(4), wrong), seed);
      for (std::size_t g = 0; g < 4; ++g) {
        squares += std::pow((shares[g].share - truth[g]) / shares[g].se, 2) / (4 * seeds);
        control += std::pow((.25 - shares[g].share) / shares[g].se, 2) / (4 * seeds);
        EXPECT_NEAR(shares[g].share, truth[g], 5 * shares[g].se);
        EXPECT_LT(shares[g].se, .02);
      }
    }
    EXPECT_NEAR(squares, 1, 4 * std::sqrt(2.0 / (3 * seeds)));
    EXPECT_GT(control, 10);
  }
}

TEST(Weighing, HoldsInManyDimensionsAndForUnequalWidths) {
  std::vector<blobs::Blob> three{{std::vector<double>(20, 0), .5, .3},
                                 {std::vector<double>(20, 0), 1, .5},
                                 {std::vector<double>(20, 0), 2, .2}};
  three[0].mean[0] = 12;
  three[2].mean[1] = 20;
  const std::vector<Share> shares = weighed(three, fits_of(three), 3);
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_NEAR(shares[g].share, three[g].weight, 4 * shares[g].se);
    EXPECT_LT(shares[g].se, .03);
    EXPECT_GT(shares[g].effective, 50);
  }
}

// A fit that covers half of its group: neither error nor effective draws show it, the group's own
// particles do.
TEST(Weighing, SaysWhenFitsMissAPartOfAGroup) {
  const std::vector<blobs::Blob> truth_of_two{
      {{-30, 0}, 1, .5}, {{30, 0}, 1, .25}, {{60, 0}, 1, .25}};
  CountedDensity density(blobs::density(truth_of_two));
  std::vector<Fit> fits = fits_of({truth_of_two[0], truth_of_two[1]});
  Weighing weighing(fits, 2, 1, 0);
  weighing.round(density);
  for (const bool whole : {true, false}) {
    const Frame::Matrix x = blobs::draws(whole ? std::vector{truth_of_two[1]}
                                               : std::vector{truth_of_two[1], truth_of_two[2]},
                                         200, 7);
    Frame::Matrix score(x.rows(), x.cols());
    std::vector<double> height(200);
    density(rows_of(x), rows_of(score), height);
    const double missed = weighing.missed(rows_of(x), height, 1);
    if (whole)
      EXPECT_LT(missed, .01);
    else
      EXPECT_GT(missed, .3);
  }
}

TEST(Weighing, GoesOnFromItsNumbers) {
  CountedDensity density(blobs::density(blobs::four(4)));
  Weighing whole(fits_of(blobs::four(4)), 4, 1, 0), again = whole;
  whole.round(density);
  again.resume(whole.numbers());
  whole.round(density);
  again.round(density);
  EXPECT_EQ(whole.numbers(), again.numbers());
  EXPECT_THROW(again.resume({1.0}), std::invalid_argument);
}

TEST(Apportioned, GivesEveryParticleToLargestRemainders) {
  EXPECT_EQ(apportion(truth, 1000), (std::vector<std::size_t>{100, 200, 300, 400}));
  EXPECT_EQ(apportion(std::vector{.334, .333, .333}, 10), (std::vector<std::size_t>{4, 3, 3}));
  EXPECT_EQ(apportion(std::vector{1.0, 1.0}, 3), (std::vector<std::size_t>{2, 1}));
}

} // namespace
