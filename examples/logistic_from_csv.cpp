// Bayesian logistic regression on a CSV file: reads it, scales it, samples, predicts.
// run: ${EXAMPLES}/data/exam.csv
#include <starling/starling.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

using namespace starling;

/// Numbers after a header line; the last column is the label, 0 or 1.
std::vector<std::vector<double>> read_csv(const char* file) {
  std::ifstream in(file);
  std::vector<std::vector<double>> rows;
  std::string line, field;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    while (std::getline(fields, field, ','))
      rows.back().push_back(std::stod(field));
  }
  return rows;
}

/// Every fourth row is kept for the test. Features to mean 0 and variance 1, then a constant 1.
std::shared_ptr<LabelledData<double>> take(std::vector<std::vector<double>> rows, bool test) {
  const std::size_t columns = rows[0].size() - 1;
  const auto n = double(rows.size());
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0, square = 0;
    for (const auto& row : rows)
      mean += row[c] / n, square += row[c] * row[c] / n;
    for (auto& row : rows)
      row[c] = (row[c] - mean) / std::sqrt(square - mean * mean);
  }
  auto data = std::make_shared<LabelledData<double>>();
  data->features.setOnes(Eigen::Index(rows.size()), Eigen::Index(columns) + 1);
  data->labels.resize(Eigen::Index(rows.size()));
  Eigen::Index taken = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if ((r % 4 == 0) == test) {
      for (std::size_t c = 0; c < columns; ++c)
        data->features(taken, Eigen::Index(c)) = rows[r][c];
      data->labels[taken++] = rows[r][columns];
    }
  data->features.conservativeResize(taken, Eigen::NoChange);
  data->labels.conservativeResize(taken);
  return data;
}

int main(int argc, char** argv) {
  const auto rows = argc > 1 ? read_csv(argv[1]) : std::vector<std::vector<double>>{};
  if (rows.empty()) {
    std::puts("data: must be a CSV file with a header; got none");
    return 2;
  }
  const auto train = take(rows, false), test = take(rows, true);

  LogisticRegression<double> target(train, 50, 1); // mini-batches of 50 data rows
  Ensemble<double> particles(200, target.dim());   // (w, log alpha)
  start_normal(particles.position(), 1, 0, 1);
  Moments moments;
  rbm_svgd(particles, Span{0, 2000}, Shuffle(1, 8), score_of<double>(target),
           PairwiseDrift<double, kernel::Gaussian<double>>(kernel::Gaussian<double>(0.5)),
           ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(0.02)), moments);
  const Prediction seen = predict<double>(*test, particles.position(), Threads::alone());
  for (std::size_t a = 0; a + 1 < target.dim(); ++a)
    std::printf("w[%zu] %6.3f +- %.3f\n", a + 1, moments.mean()[a],
                std::sqrt(moments.variance()[a]));
  std::printf("test accuracy %.3f on %d rows\n", seen.accuracy, int(test->labels.size()));
  return seen.accuracy > 0.8 && moments.mean()[0] > 1.5 && moments.mean()[1] > 0.3 ? 0 : 1;
}
