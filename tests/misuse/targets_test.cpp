// Targets that cannot be: covariances, mixtures, shapes, data.
#include "misuse/rejects.hpp"

#include <starling/target/logistic_regression.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/normal.hpp>
#include <starling/target/shapes.hpp>

#include <limits>

namespace {

using namespace starling;
using namespace misuse_tests;

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinite = std::numeric_limits<double>::infinity();

Eigen::MatrixXd square(double a, double b, double c, double d) {
  Eigen::MatrixXd m(2, 2);
  m << a, b, c, d;
  return m;
}

TEST(Normal, RefusesACovarianceOfTheWrongShape) {
  const Eigen::VectorXd mean = Eigen::VectorXd::Zero(3);
  EXPECT_EQ(refusal([&] { Normal<double>(mean, Eigen::MatrixXd::Identity(2, 2)); }),
            "covariance: must be 3 x 3; got 2 x 2");
  EXPECT_EQ(refusal([&] { Normal<float>(mean, Eigen::MatrixXd::Identity(3, 4)); }),
            "covariance: must be 3 x 3; got 3 x 4");
}

TEST(Normal, RefusesACovarianceThatIsNone) {
  const Eigen::VectorXd mean = Eigen::VectorXd::Zero(2);
  for (const Eigen::MatrixXd& bad :
       {square(1, 2, 2, 1), square(-1, 0, 0, 1), square(0, 0, 0, 0), square(1, 0.5, 0.2, 1),
        square(1, nan_value, nan_value, 1), square(infinite, 0, 0, 1)})
    expect_refused("covariance", [&] { Normal<double>(mean, bad); });
  EXPECT_NO_THROW(Normal<double>(mean, square(1, 0.5, 0.5, 1)));
}

TEST(Mixture, RefusesNoComponents) {
  EXPECT_EQ(refusal([] { Mixture<double>({}); }),
            "mixture: must be at least one component; got none");
}

std::vector<MixtureComponent> two(double weight, Eigen::Index dim,
                                  const Eigen::MatrixXd& covariance) {
  std::vector<MixtureComponent> components;
  components.push_back({1.0, Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2)});
  components.push_back({weight, Eigen::VectorXd::Zero(dim), covariance});
  return components;
}

TEST(Mixture, RefusesComponentsThatCannotBe) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(2, 2);
  for (const double weight : {0.0, -1.0, nan_value, infinite})
    expect_refused("mixture weight", [&] { Mixture<double>(two(weight, 2, one)); });
  expect_refused("mixture mean",
                 [&] { Mixture<double>(two(1, 3, Eigen::MatrixXd::Identity(3, 3))); });
  expect_refused("mixture covariance",
                 [&] { Mixture<double>(two(1, 2, Eigen::MatrixXd::Identity(2, 3))); });
  for (const Eigen::MatrixXd& bad :
       {square(1, 2, 2, 1), square(0, 0, 0, 0), square(1, 0, 0, nan_value)})
    expect_refused("mixture covariance", [&] { Mixture<double>(two(1, 2, bad)); });
  EXPECT_NO_THROW(Mixture<double>(two(1, 2, one)));
}

TEST(Shapes, RefuseWidthsAndDimensionsThatCannotBe) {
  for (const double width : {0.0, -1.0, nan_value, infinite}) {
    expect_refused("width", [&] { Banana<double>(0.1, width); });
    expect_refused("width", [&] { Funnel<double>(3, width); });
  }
  expect_refused("curvature", [] { Banana<double>(nan_value, 1.0); });
  for (const std::size_t dim : {0u, 1u})
    expect_refused("dim", [&] { Funnel<double>(dim, 3.0); });
}

std::shared_ptr<LabelledData<double>> data(Eigen::Index rows, Eigen::Index labels) {
  auto made = std::make_shared<LabelledData<double>>();
  made->features = Eigen::MatrixXd::Ones(rows, 2);
  made->labels = Eigen::VectorXd::Ones(labels);
  return made;
}

TEST(LogisticRegression, RefusesAMiniBatchThatCannotBe) {
  EXPECT_EQ(refusal([] { LogisticRegression<double>(data(5, 5), 0, 1); }),
            "data_batch: must be between 1 and the number of rows, 5; got 0");
  EXPECT_EQ(refusal([] { LogisticRegression<double>(data(5, 5), 6, 1); }),
            "data_batch: must be between 1 and the number of rows, 5; got 6");
}

TEST(LogisticRegression, RefusesDataWithoutRowsOrWithLabelsMissing) {
  expect_refused("data", [] { LogisticRegression<double>(data(0, 0), 1, 1); });
  EXPECT_EQ(refusal([] { LogisticRegression<double>(data(5, 4), 2, 1); }),
            "labels: must be one for each of 5 rows; got 4");
}

TEST(DataBatches, RefuseASizeThatCannotBe) {
  expect_refused("data", [] { DataBatches(1, 0, 1); });
  expect_refused("data_batch", [] { DataBatches(1, 5, 0); });
  expect_refused("data_batch", [] { DataBatches(1, 5, 6); });
}

} // namespace
