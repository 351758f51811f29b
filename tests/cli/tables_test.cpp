// Regressions from a table as users read them: weights in the table's units, categories, missing
// values, predictions for new rows.
#include "results.hpp"

#include <starling/random/philox.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <string>
#include <vector>

namespace starling::cli {
namespace {

/// Rows of a year, an age and a city, with labels by a rule; and the same as a matrix with the
/// constant last, Bern being the base.
struct People {
  std::string text = "year,age,city,y\n";
  Eigen::MatrixXd features;
  Eigen::VectorXd labels;

  template <typename Label>
  People(int rows, const Label& label) : features(rows, 5), labels(rows) {
    const Philox philox(21);
    const char* const cities[] = {"Bern", "Oslo", "Rome"};
    for (int r = 0; r < rows; ++r) {
      const auto bits = philox(Stream::user, 1, std::uint64_t(r));
      const int year = 1990 + int(bits[0] % 31), age = 20 + int(bits[1] % 60);
      const int city = int(bits[2] % 3);
      features.row(r) << year, age, city == 1, city == 2, 1;
      labels[r] = label(features.row(r), philox(Stream::user, 2, std::uint64_t(r)));
      text += std::to_string(year) + "," + std::to_string(age) + "," + cities[city] + "," +
              std::to_string(labels[r]) + "\n";
    }
  }
};

/// Means and sds of the first parameters of a list of summary.json.
struct Figures {
  Eigen::VectorXd mean, sd;
  std::vector<std::string> names;

  explicit Figures(const Json& list) : mean(5), sd(5) {
    for (int a = 0; a < 5; ++a) {
      names.push_back(list.at(std::size_t(a)).at("name"));
      mean[a] = list.at(std::size_t(a)).at("mean").get<double>();
      sd[a] = list.at(std::size_t(a)).at("sd").get<double>();
    }
  }
};

const std::vector<std::string> weights = {"w[year]", "w[age]", "w[city=Oslo]", "w[city=Rome]",
                                          "intercept"};

/// Within a tenth of a standard error of the known optimum, sds within a tenth of the standard
/// errors: 1000 particles tell a mean to .03. The weights of scaled columns must not pass.
void expect_optimum(const Json& s, const Eigen::VectorXd& optimum, const Eigen::VectorXd& se) {
  EXPECT_EQ(s.at("verdict"), "converged");
  const Figures found(s.at("parameters")), scaled(s.at("unconstrained"));
  EXPECT_EQ(found.names, weights);
  for (int a = 0; a < 5; ++a) {
    EXPECT_NEAR((found.mean[a] - optimum[a]) / se[a], 0, .1) << weights[std::size_t(a)];
    EXPECT_NEAR(found.sd[a] / se[a], 1, .1) << weights[std::size_t(a)];
    EXPECT_EQ(scaled.names[std::size_t(a)], weights[std::size_t(a)] + " (scaled)");
    if (a < 2 || a == 4) // categories are 0 and 1 already
      EXPECT_GT(std::abs(scaled.mean[a] - optimum[a]) / se[a], 5) << weights[std::size_t(a)];
  }
}

TEST(UserUnits, LinearWeightsAreThoseOfLeastSquares) {
  const People people(400, [](const auto& f, const auto& bits) {
    return 3000 - 1.2 * f[0] + .5 * f[1] + 4 * f[2] - 3 * f[3] + 5 * normal_pair(bits)[0];
  });
  const Place place;
  place.write("d.csv", people.text);
  for (const std::string how : {"minmax", "standard"}) {
    succeed(place, "sample linear --data d.csv --quiet --force --out out --scale " + how);
    const Eigen::MatrixXd inverse = (people.features.transpose() * people.features).inverse();
    const Eigen::VectorXd best = inverse * (people.features.transpose() * people.labels);
    const double variance = (people.labels - people.features * best).squaredNorm() / (400 - 5);
    expect_optimum(summary_of(place, "out"), best,
                   (variance * inverse.diagonal()).array().sqrt().matrix());
  }
}

TEST(UserUnits, LogisticWeightsAreThoseOfTheMode) {
  const People people(2000, [](const auto& f, const auto& bits) {
    const double eta = -.1 * (f[0] - 2005) + .04 * (f[1] - 50) + f[2] - .5 * f[3];
    return double(uniform(bits) < 1 / (1 + std::exp(-eta)));
  });
  const Place place;
  place.write("d.csv", people.text);
  succeed(place, "sample logistic --data d.csv --quiet --out out");
  // The prior, w ~ N(0, I / alpha) of scaled columns, moves it by up to .3 standard errors: it is
  // part of what is maximised, with the alpha that the run found.
  const Json s = summary_of(place, "out");
  const double alpha = std::exp(s.at("parameters").at(5).at("mean").get<double>());
  Eigen::MatrixXd scaled = Eigen::MatrixXd::Identity(5, 5); // from weights to those of [0, 1]
  for (int a = 0; a < 2; ++a) {
    const double low = people.features.col(a).minCoeff();
    scaled(a, a) = people.features.col(a).maxCoeff() - low;
    scaled(4, a) = low;
  }
  const Eigen::MatrixXd prior = alpha * scaled.transpose() * scaled;
  Eigen::VectorXd best = Eigen::VectorXd::Zero(5);
  Eigen::MatrixXd inverse;
  for (int newton = 0; newton < 20; ++newton) {
    const Eigen::VectorXd p = 1 / (1 + (-(people.features * best)).array().exp());
    const Eigen::VectorXd spread = p.array() * (1 - p.array());
    inverse =
        (people.features.transpose() * spread.asDiagonal() * people.features + prior).inverse();
    best += inverse * (people.features.transpose() * (people.labels - p) - prior * best);
  }
  expect_optimum(s, best, inverse.diagonal().array().sqrt().matrix());
}

TEST(UserUnits, AreThoseOfColumnsThatNobodyScaled) {
  const Place place;
  place.write("d.csv", SmallData().text(300));
  succeed(place, "sample logistic --data d.csv --scale none --particles 64 --quiet --out out");
  const Json s = summary_of(place, "out");
  EXPECT_FALSE(s.contains("unconstrained")) << "positions are in the table's units already";
  EXPECT_EQ(s.at("parameters").at(0).at("name"), "w[size]");
}

const char* const few_people = "age,city,y\n20,Oslo,1\n30,Bern,2.5\n40,Rome,2\n50,Bern,4\n60,Oslo,"
                               "3\n70,Rome,5\n25,Bern,2\n35,Oslo,1.5\n45,,3\n";
const std::string quick_run = " --particles 64 --certify 4 --quiet --out out/";

TEST(Missing, RowsAreCountedRefusedOrLeftOut) {
  const Place place;
  place.write("d.csv", few_people);
  expect_refused(
      place, "sample linear --data d.csv --out out/m", bad_data,
      "d.csv:10: column 2 (city): 1 value is missing; add it, or drop its row: --missing drop");
  const Ended ended =
      place.run("sample linear --data d.csv --missing drop --particles 64 --certify 4 --out out/m");
  EXPECT_EQ(ended.code, ok) << ended.err;
  EXPECT_NE(ended.err.find("1 of 9 rows have missing values and were left out"), ended.err.npos);
  const Json table = summary_of(place, "out/m").at("table");
  EXPECT_EQ(table.at("rows"), 8);
  EXPECT_EQ(table.at("left_out"), 1);
  EXPECT_EQ(table.at("columns").at(1).at("base"), "Bern");
  succeed(place, "sample --config out/m/config.toml --quiet --out out/again");
  EXPECT_EQ(draws_csv_of(place, "out/m"), draws_csv_of(place, "out/again"));
}

/// The lines of predictions as numbers.
std::vector<std::vector<double>> numbers_of(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  for (const std::string& line : lines_of(csv)) {
    std::istringstream in(line);
    std::vector<double> row;
    for (std::string field; std::getline(in, field, ',');)
      row.push_back(std::strtod(field.c_str(), nullptr)); // a word is 0
    rows.push_back(row);
  }
  rows.erase(rows.begin());
  return rows;
}

TEST(Predict, GivesTheDrawsOfEachRowInFigures) {
  const Place place;
  place.write("d.csv", few_people);
  place.write("n.csv", "city,age\nRome,40\nBern,50\n");
  for (const std::string base : {"Bern", "Rome"})
    succeed(place,
            "sample linear --data d.csv --missing drop --base city=" + base + quick_run + base);
  const std::string csv = succeed(place, "predict out/Bern --data n.csv");
  EXPECT_TRUE(csv.starts_with("row,mean,sd,q05,q50,q95\n")) << csv;
  const auto found = numbers_of(csv);
  ASSERT_EQ(found.size(), 2u);
  const io::Array draws = draws_of(place, "out/Bern"); // age, Oslo, Rome, intercept, sigma, alpha
  double sums[2] = {}, squares[2] = {}, noise = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double* const w = draws.values.data() + i * 6;
    const double mu[2] = {40 * w[0] + w[2] + w[3], 50 * w[0] + w[3]};
    for (int r = 0; r < 2; ++r) {
      sums[r] += mu[r] / 64;
      squares[r] += mu[r] * mu[r] / 64;
    }
    noise += std::exp(2 * w[4]) / 64;
  }
  const auto observed = numbers_of(succeed(place, "predict out/Bern --observation --data n.csv"));
  for (std::size_t r = 0; r < 2; ++r) {
    const double variance = squares[r] - sums[r] * sums[r];
    EXPECT_NEAR(found[r][1], sums[r], 1e-9);
    EXPECT_NEAR(found[r][2], std::sqrt(variance), 1e-6);
    EXPECT_TRUE(found[r][3] < found[r][4] && found[r][4] < found[r][5]);
    EXPECT_NEAR(observed[r][1], sums[r], 1e-9);
    EXPECT_NEAR(observed[r][2], std::sqrt(variance + noise), 1e-6);
    EXPECT_GT(observed[r][5] - observed[r][3], found[r][5] - found[r][3]);
  }
  // Another base is the same model but for its prior: the same predictions, and not those of
  // another row.
  const auto other = numbers_of(succeed(place, "predict out/Rome --data n.csv"));
  EXPECT_NEAR(other[0][1], found[0][1], found[0][2]);
  EXPECT_GT(std::abs(found[1][1] - found[0][1]), found[0][2]);
}

TEST(Predict, SaysProbabilitiesAndCounts) {
  const Place place;
  place.write("d.csv", SmallData().text(300));
  for (const std::string target : {"logistic", "poisson", "multinomial"})
    succeed(place, "sample " + target + " --data d.csv" + quick_run + target);
  place.write("n.csv", "weight,size\n0.1,0.9\n0.9,0.1\n");
  const auto classes = numbers_of(succeed(place, "predict out/multinomial --data n.csv"));
  const auto chances = numbers_of(succeed(place, "predict out/logistic --data n.csv"));
  ASSERT_EQ(classes.size(), 4u); // a line for each class
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_NEAR(classes[2 * r][2] + classes[2 * r + 1][2], 1, 1e-12);
    EXPECT_NEAR(classes[2 * r + 1][2], chances[r][1], .05);
  }
  EXPECT_GT(chances[0][1], .9);
  EXPECT_LT(chances[1][1], .1);
  const auto counts = numbers_of(succeed(place, "predict out/poisson --observation --data n.csv"));
  for (const auto& row : counts)
    for (std::size_t q = 3; q < 6; ++q)
      EXPECT_EQ(row[q], std::floor(row[q])) << "quantiles of counts are counts";
  expect_refused(place, "predict out/logistic --observation --data n.csv", usage,
                 "observation: logistic predicts the probability of a class, which describes an "
                 "observation fully; remove it");
}

TEST(Predict, RefusesWhatItCannotRead) {
  const Place place;
  place.write("d.csv", few_people);
  succeed(place, "sample linear --data d.csv --missing drop" + quick_run + "m");
  place.write("n.csv", "age,city\n1,Paris\n");
  expect_refused(place, "predict out/m --data n.csv", bad_data,
                 "n.csv: column 2 (city): 1 of 1 values are not a level of the run (Bern, Oslo, "
                 "Rome), the first 'Paris' in line 2");
  place.write("n.csv", "age,town\n1,Bern\n");
  expect_refused(place, "predict out/m --data n.csv", bad_data,
                 "n.csv: has no column city; the run learned from it");
  expect_refused(place, "predict out/m", usage,
                 "--data: must be given; see starling predict --help");
  expect_refused(place, "predict out/none --data n.csv", input_missing, "out/none: no such file");
  place.write("n.csv", "age,city\n1,Bern\n");
  succeed(place, "predict out/m --data n.csv --out p.csv");
  EXPECT_TRUE(place.read("p.csv").starts_with("row,mean"));
  expect_refused(place, "predict out/m --data n.csv --out p.csv", cannot_write,
                 "p.csv: exists; choose another name or add --force");
  expect_refused(place, "predict out/m --data n.csv --out n.csv --force", cannot_write,
                 "n.csv: exists, and starling predict did not write it; choose another name");
  succeed(place, "predict out/m --data n.csv --out p.csv --force --json");
  EXPECT_EQ(Json::parse(place.read("p.csv")).at(0).at("row"), 1);
  succeed(place, "sample banana --particles 16 --steps 2 --quiet --out out/banana");
  expect_refused(place, "predict out/banana --data n.csv", bad_data,
                 "out/banana/summary.json: is not a regression on a table, so it cannot predict");
}

} // namespace
} // namespace starling::cli
