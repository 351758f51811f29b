// Drifts by matrix products in single precision, against the formula in double, within what their
// few bits allow.
#include "cuda/sizes.hpp"
#include "cuda_on_host/machines.hpp"

#include <bit>
#include <cmath>

namespace {

using namespace cuda_tests;

/// One cloud, and how to spoil it.
struct Case {
  std::size_t n = 300, dim = 56, p = 0; ///< 0: everyone
  double bandwidth = 0;                 ///< 0: the dimension
  float shift = 0, stray = 0;           ///< everyone's, the last one's alone
  float pole = 0; ///< if not 0: close to so far out on either side, in every coordinate
  double wrong = 1;
};

class ByProducts : public OnMachine {
protected:
  /// The largest error in units of its bound. Both factors of a product are rounded to 11 bits, so
  /// a term is good to 2^-10; a product of positions drops 3 2^-18 |v_i||v_j| and is summed in
  /// single precision, hence r2 good to 2^-15 (|v_i|^2 + |v_j|^2), v from the mean of the first
  /// rows.
  double apart(const Case& c) {
    auto asked = spec<float>(c.n, c.dim, c.p ? By::moebius : By::everyone, c.p ? c.p : c.n);
    asked.bandwidth = c.bandwidth > 0 ? c.bandwidth : double(c.dim);
    cuda::Cloud<float> cloud(machine, asked);
    Ensemble<float> begin = start<float>(c.n, c.dim);
    for (std::size_t i = 0; i < c.n; ++i)
      for (float& v : begin.position()[i])
        v = c.pole != 0 ? (i % 2 ? -c.pole : c.pole) + 1e-4F * v
                        : v + c.shift + (i + 1 == c.n ? c.stray : 0);
    cloud.particles().upload(begin);
    std::unique_ptr<Ensemble<float>> seen;
    Batches batches;
    cloud.flow(3, c.n, seen, batches);
    return worst(kernel::Gaussian<double>(asked.bandwidth), *seen, batches, center(begin), c.wrong);
  }

private:
  static std::vector<double> center(const Ensemble<float>& cloud) {
    std::vector<double> mean(cloud.dim());
    const std::size_t many = std::min<std::size_t>(cloud.count(), 128);
    for (std::size_t i = 0; i < many; ++i)
      for (std::size_t a = 0; a < cloud.dim(); ++a)
        mean[a] += double(cloud.position()[i][a]) / double(many);
    return mean;
  }

  static double worst(const kernel::Gaussian<double>& kernel, const Ensemble<float>& seen,
                      const Batches& batches, const std::vector<double>& center, double wrong) {
    const std::size_t dim = seen.dim();
    const auto x = [&](std::uint32_t i, std::size_t a) { return double(seen.position()[i][a]); };
    const auto norm = [&](std::uint32_t i) {
      double sum = 0;
      for (std::size_t a = 0; a < dim; ++a)
        sum += (x(i, a) - center[a]) * (x(i, a) - center[a]);
      return sum;
    };
    double most = 0;
    for (std::size_t b = 0; b < batches.count(); ++b) {
      const auto members = batches[b];
      for (const std::uint32_t i : members) {
        std::vector<double> drift(dim), bound(dim);
        for (const std::uint32_t j : members) {
          double r2 = 0;
          for (std::size_t a = 0; a < dim; ++a)
            r2 += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
          const double c = i == j ? batches.self_weight() : batches.pair_weight(members.size());
          const double off = i == j ? 0 : std::ldexp(norm(i) + norm(j), -15);
          const auto w = kernel.at_distance(r2), far = kernel.at_distance(r2 + off),
                     near = kernel.at_distance(std::max(0.0, r2 - off));
          for (std::size_t a = 0; a < dim; ++a) {
            const double s = double(seen.score()[j][a]), away = x(i, a) - x(j, a);
            drift[a] += c * (w.weight * s + w.repulsion * away);
            bound[a] +=
                c * (std::abs(near.weight - far.weight) * std::abs(s) +
                     std::abs(near.repulsion - far.repulsion) * std::abs(away) +
                     std::ldexp(w.weight * std::abs(s) +
                                    w.repulsion * (std::abs(away) + std::abs(x(j, a) - center[a])),
                                -10));
          }
        }
        for (std::size_t a = 0; a < dim; ++a) {
          const double error = std::abs(wrong * double(seen.drift()[i][a]) - drift[a]);
          most = error <= most * bound[a] ? most : error / bound[a]; // NaN counts
        }
      }
    }
    return most;
  }
};

TEST_P(ByProducts, AreTheFormulasWithinTheirBits) {
  for (const std::size_t dim :
       {cuda::layout::few + 1, 31u, 32u, 33u, 56u, cuda::layout::product_dim})
    for (const std::size_t n :
         {cuda::layout::large_batch, cuda::layout::product_rows, cuda::layout::product_rows + 1})
      EXPECT_LT(apart({.n = n, .dim = dim}), 1) << n << " in " << dim << " dimensions";
}

TEST_P(ByProducts, AreTakenInSharesAndInBatches) {
  const std::size_t many = 2 * cuda::layout::product_others + 3;
  EXPECT_EQ(cuda::product_shares(20, cuda::Pairs<float>(), Order(many)), 2u);
  EXPECT_LT(apart({.n = many, .dim = 20}), 1);
  EXPECT_LT(apart({.n = 303, .dim = 20, .p = 100}), 1);
}

/// Numbers that 8 bits round the same way everywhere: what their low parts lack does not average
/// out.
TEST_P(ByProducts, NeedTheLowPartsOfPositions) {
  EXPECT_LT(apart({.n = 100, .bandwidth = 4, .pole = 1 + 0.9F / 512}), 1);
}

TEST_P(ByProducts, DoNotMindWhereTheCloudIs) { EXPECT_LT(apart({.n = 100, .shift = 1000}), 1); }

/// Too far out for products: differences take their place, which are better by far.
TEST_P(ByProducts, LeaveToDifferencesWhatIsFarAgainstTheBandwidth) {
  EXPECT_LT(apart({.n = 100, .stray = 1e6F}), 0.1);
  EXPECT_LT(apart({.n = 100, .bandwidth = 0.5}), 0.1);
}

/// Also those that a card makes itself, whose bits are not the host's.
TEST_P(ByProducts, LetNothingThatIsNoNumberPass) {
  for (const std::uint32_t bits : {0x7fc00000u, 0x7fffffffu, 0xffffffffu, 0x7f800001u})
    EXPECT_TRUE(std::isnan(cuda::eleven_bits(std::bit_cast<float>(bits)))) << bits;
  EXPECT_EQ(cuda::eleven_bits(1.0F), 1.0F);
  EXPECT_NE(cuda::eleven_bits(1.0001F), 1.0001F);
}

TEST_P(ByProducts, ThatAreWrongAreFound) {
  EXPECT_GT(apart({.n = 100, .wrong = 1.3}), 10);
  EXPECT_GT(apart({.n = 303, .dim = 20, .p = 100, .wrong = 1.3}), 10);
  EXPECT_GT(apart({.n = 100, .wrong = 1.02}),
            1); // the bound is not so wide that it would hide what matters
}

STARLING_ON_MACHINES(ByProducts);

} // namespace
