// Mass around a cloud's own middle: a narrow part inside a wide one, and a wide one around it.
#include <starling/scout/look.hpp>

#include "scout/blobs.hpp"
#include "scout/looked.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace {

using namespace starling;
using namespace starling::scout;
using blobs::looked;

/// Two round normals in one place, of these sds, each with half of the mass.
std::vector<blobs::Blob> nested(std::size_t dim, double narrow) {
  const std::vector<double> here(dim, 1);
  return {{here, 1, .5}, {here, narrow, .5}};
}

// Draws of one of the two: the search says that half is missing, and how wide that half is. Draws
// of both, the control, miss nothing.
TEST(Shells, FindTheHalfThatIsMissing) {
  for (const std::size_t dim : {2, 5, 10})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<blobs::Blob> both = nested(dim, .1);
      const DensityOfRows density = blobs::density(both);
      for (const std::size_t part : {0, 1}) {
        const Looked found = looked(density, blobs::draws({both[part]}, 512, seed), seed);
        ASSERT_EQ(found.modes.size(), 2u) << dim << " " << seed << " " << part;
        EXPECT_NEAR(found.missed, .5, .25) << dim << " " << seed << " " << part;
        const double other = part == 0 ? .1 : 1;
        const double wide = found.modes[1].frame.spreads().mean();
        EXPECT_NEAR(wide / other, 1, .3) << dim << " " << seed << " " << part;
      }
      EXPECT_EQ(looked(density, blobs::draws(both, 512, seed), seed).missed, 0)
          << dim << " " << seed;
    }
}

/// Student's t, of so many degrees of freedom, in the first coordinates; and its draws.
DensityOfRows student(double freedom) {
  return [freedom](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    const double d = double(x.dim);
    for (std::size_t i = 0; i < x.count; ++i) {
      double square = 0;
      for (std::size_t a = 0; a < x.dim; ++a)
        square += x[i][a] * x[i][a];
      log_density[i] = -(freedom + d) / 2 * std::log1p(square / freedom);
      for (std::size_t a = 0; a < x.dim; ++a)
        score[i][a] = -(freedom + d) * x[i][a] / (freedom + square);
    }
  };
}
Frame::Matrix student_draws(std::size_t freedom, std::size_t dim, std::uint64_t seed) {
  Frame::Matrix x = blobs::draws({{std::vector<double>(dim, 0)}}, 512, seed);
  const Frame::Matrix chi = blobs::draws({{std::vector<double>(freedom, 0)}}, 512, seed + 100);
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    x.row(i) *= std::sqrt(double(freedom)) / chi.row(i).norm();
  return x;
}

// Exact draws of heavy tails, whose top is high and whose tails are far.
TEST(Shells, MissNothingOfHeavyTails) {
  for (const std::size_t freedom : {1, 3, 5})
    for (const std::size_t dim : {2, 5, 10})
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        EXPECT_EQ(looked(student(double(freedom)), student_draws(freedom, dim, seed), seed).missed,
                  0)
            << freedom << " " << dim << " " << seed;
}

// The share is that of the draws: too few of the narrow half are seen, and a tenth less is not.
TEST(Shells, MeasureHowMuchIsMissing) {
  const std::vector<blobs::Blob> both = nested(5, .1);
  const auto missed_with = [&](double narrow) {
    std::vector<blobs::Blob> drawn = both;
    drawn[0].weight = 1 - narrow, drawn[1].weight = narrow;
    return looked(blobs::density(both), blobs::draws(drawn, 512, 3), 3).missed;
  };
  EXPECT_GT(missed_with(.1), .2);
  EXPECT_GT(missed_with(.01), missed_with(.1));
  EXPECT_EQ(missed_with(.45), 0);
}

} // namespace
