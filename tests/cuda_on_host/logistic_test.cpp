// Logistic regression on a device: its sweeps against LogisticRegression, with the mini-batches
// that the host takes.
#include "cuda/logistic.hpp"
#include "cuda_on_host/machines.hpp"

#include <starling/target/logistic_regression.hpp>

#include <cmath>

namespace {

using namespace cuda_tests;

template <typename Real>
std::shared_ptr<const LabelledData<Real>> table(Eigen::Index rows, Eigen::Index weights) {
  auto data = std::make_shared<LabelledData<Real>>();
  data->features.resize(rows, weights);
  data->labels.resize(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    for (Eigen::Index a = 0; a + 1 < weights; ++a)
      data->features(r, a) = static_cast<Real>(std::sin(double(7 * r + 3 * a + 1)));
    data->features(r, weights - 1) = 1;
    data->labels[r] = static_cast<Real>(r % 3 == 0);
  }
  return data;
}

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
on_card(const std::shared_ptr<const LabelledData<Real>>& data, std::size_t batch,
        std::uint64_t seed) {
  return cuda::logistic_on_card<Real>({data->features.data(), data->labels.data(),
                                       std::size_t(data->features.rows()),
                                       std::size_t(data->features.cols()), data},
                                      batch, seed);
}

class Logistic : public OnMachine {
protected:
  /// The largest error of a score, beside the sum of the sizes of what is added up in it.
  template <typename Real>
  double apart(std::size_t particles, std::size_t weights, std::size_t rows, std::size_t batch,
               Step k, Real wrong = 1) {
    const auto data = table<Real>(Eigen::Index(rows), Eigen::Index(weights));
    LogisticRegression<Real> slow(data, batch, 11);
    Ensemble<Real> here = start<Real>(particles, weights + 1);
    slow(k, here.position(), here.score());
    const auto score = on_card<Real>(data, batch, 11)->on(machine);
    const cuda::DeviceBuffer<Real> x(*machine, here.position().size()),
        s(*machine, here.score().size());
    machine->upload(x.data(), here.position().data, x.bytes());
    score(k, x.data(), s.data(), nullptr, particles, weights + 1);
    std::vector<Real> there(s.size());
    s.download(there.data(), there.size());
    double worst = 0;
    for (std::size_t n = 0; n < there.size(); ++n) {
      const Real* own = here.position().data + n / (weights + 1) * (weights + 1);
      double most =
          double(rows) + std::exp(double(own[weights])) *
                             double(weights); // each row adds at most n/B, features are below 1
      const double gap = std::abs(double(wrong * there[n]) - double(here.score().data[n])) / most;
      worst = gap <= worst ? worst : gap;
    }
    return worst;
  }
  template <typename Real>
  void expect_twins(std::size_t particles, std::size_t weights, std::size_t rows, std::size_t batch,
                    Step k) {
    // Sums of `weights` products inside a sigmoid, of `batch` outside it.
    const double bound = 4 * std::numeric_limits<Real>::epsilon() * double(weights + batch + 8);
    EXPECT_LT(apart<Real>(particles, weights, rows, batch, k), bound)
        << particles << " particles, " << weights << " weights, " << batch << " of " << rows
        << " rows, step " << k;
  }
};

TEST_P(Logistic, ScoresAreThoseOfTheHostForTheSameMiniBatch) {
  for (const std::size_t weights : {1u, 2u, 3u, 31u, 32u, 55u, 64u, 131u})
    for (const std::size_t particles : {1u, 3u, 4u, 5u, 67u})
      for (const std::size_t batch :
           {1u, 7u, 100u, 129u, 300u, 301u}) { // the last of a pass is smaller
        expect_twins<float>(particles, weights, 301, batch, 0);
        expect_twins<double>(particles, weights, 301, batch, 301 / batch);
        expect_twins<double>(particles, weights, 301, batch, 1000); // another pass
      }
}

TEST_P(Logistic, ScoresOfACrowdAreThoseOfTheHost) {
  const std::size_t crowd = cuda::layout::crowd;
  for (const std::size_t weights : {1u, 3u, 55u}) {
    expect_twins<float>(crowd, weights, 140, 100, 3);
    expect_twins<double>(crowd + 5, weights, 140, 140, 3);
  }
}

TEST_P(
    Logistic,
    ScoresOfVeryManyFeaturesAreThoseOfTheHost) { // a row of them does not fit beside the particles
  expect_twins<float>(5, 3000, 40, 13, 2);
  expect_twins<double>(3, 1500, 40, 40, 2);
  expect_twins<float>(5, 1000, 40, 13, 2); // in pieces of few rows
}

TEST_P(Logistic, ScoresThatAreWrongAreFound) {
  EXPECT_GT(apart<float>(67, 55, 301, 100, 0, 1.3F), 1e-3);
  EXPECT_GT(apart<double>(67, 55, 301, 301, 0, 1.3), 1e-3);
}

TEST_P(Logistic, AnotherSeedTakesOtherRows) {
  const auto data = table<double>(301, 4);
  Ensemble<double> here = start<double>(3, 5);
  const cuda::DeviceBuffer<double> x(*machine, 15), s(*machine, 15);
  machine->upload(x.data(), here.position().data, x.bytes());
  std::vector<double> of[2];
  for (const std::uint64_t seed : {0u, 1u}) {
    on_card<double>(data, 10, seed)->on(machine)(0, x.data(), s.data(), nullptr, 3, 5);
    of[seed].resize(15);
    s.download(of[seed].data(), 15);
  }
  EXPECT_NE(of[0], of[1]);
}

STARLING_ON_MACHINES(Logistic);

} // namespace
