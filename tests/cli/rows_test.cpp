// Tables of many rows on the command line: few of them read in a step, from text and from a .npy
// file.
#include "results.hpp"

#include <starling/random/philox.hpp>

#include <cmath>
#include <string>

namespace starling::cli {
namespace {

// The same rows as text and as an array: the numbers of the text, read back.
void write_both(const Place& place, int rows) {
  const std::string text = SmallData().text(rows);
  place.write("d.csv", text);
  io::Array array{{static_cast<std::size_t>(rows), 3}, {}};
  for (const std::string& line : lines_of(text)) {
    double a = 0, b = 0, c = 0;
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf", &a, &b, &c) == 3)
      array.values.insert(array.values.end(), {a, b, c});
  }
  io::write_npy(place.path("d.npy"), array);
}

const std::string quick = " --particles 64 --certify 4 --exact none --quiet --out out/";

TEST(ManyRows, AreReadFewAtATimeFromTextAndFromAFileAlike) {
  const Place place;
  write_both(place, 21'000);
  succeed(place, "sample logistic --data d.csv" + quick + "text");
  succeed(place, "sample logistic --data d.npy" + quick + "file");
  const Json s = summary_of(place, "out/text");
  EXPECT_EQ(s.at("rows").at("data"), 21'000);
  EXPECT_EQ(s.at("rows").at("a_step"), 1000);
  EXPECT_EQ(s.at("rows").at("read").at("fly"), 200 * 1000 + 20'000); // and the guide's, at the end
  EXPECT_EQ(s.at("certificate").at("particles"), "all");
  const io::Array text = draws_of(place, "out/text"), file = draws_of(place, "out/file");
  ASSERT_EQ(text.values.size(), file.values.size());
  for (std::size_t i = 0; i < text.values.size();
       ++i) // the same run, but for how features were scaled to single precision
    EXPECT_NEAR(text.values[i], file.values[i], 1e-3 * (1 + std::abs(text.values[i])));
}

TEST(ManyRows, AreAllReadWhereThereAreFew) {
  const Place place;
  write_both(place, 300);
  succeed(place, "sample logistic --data d.csv" + quick + "all");
  EXPECT_FALSE(summary_of(place, "out/all").contains("rows"));
  succeed(place, "sample logistic --method auto --data-batch 50 --data d.csv" + quick + "some");
  EXPECT_EQ(summary_of(place, "out/some").at("rows").at("a_step"), 50);
  // What config.toml says repeats the run, also one that read all rows.
  for (const std::string which : {"all", "some"}) {
    succeed(place,
            "sample --config out/" + which + "/config.toml --quiet --out out/again-" + which);
    EXPECT_EQ(draws_csv_of(place, "out/" + which), draws_csv_of(place, "out/again-" + which));
  }
}

TEST(ManyRows, OtherRegressionsTakeATableToo) {
  const Place place;
  write_both(place, 400);
  for (const std::string target : {"linear", "poisson", "multinomial"}) {
    succeed(place,
            "sample " + target + " --data d.csv --particles 128 --quiet --out out/" + target);
    const Json s = summary_of(place, "out/" + target);
    EXPECT_EQ(s.at("verdict"), "converged") << target;
    EXPECT_EQ(s.at("dim"), target == "linear" ? 5 : 4) << target;
    succeed(place, "check " + target + " --data d.csv");
    succeed(place, "sample " + target +
                       " --data d.npy --method auto --data-batch 100 --particles 64 --certify 4 "
                       "--quiet --out out/n" +
                       target);
  }
  // Two classes: the multinomial regression is the logistic one, with the sign of the class that is
  // compared with.
  succeed(place, "sample logistic --data d.csv --particles 128 --quiet --out out/logistic");
  const Json one = summary_of(place, "out/logistic").at("parameters"),
             other = summary_of(place, "out/multinomial").at("parameters");
  for (std::size_t a = 0; a < 3; ++a) {
    const double sd = one.at(a).at("sd").get<double>();
    EXPECT_NEAR(one.at(a).at("mean").get<double>(), -other.at(a).at("mean").get<double>(), .1 * sd);
    EXPECT_NEAR(other.at(a).at("sd").get<double>() / sd, 1, .1);
  }
}

/// y = 500 + 20 x + N(0, 30) for x in 0 .. 100, as text.
std::string line_of(int rows) {
  std::string text = "x,y\n";
  const Philox philox(8);
  for (int r = 0; r < rows; ++r) {
    const double x = 100.0 * r / (rows - 1);
    const double y = 500 + 20 * x + 30 * normal_pair(philox(Stream::user, 0, std::uint64_t(r)))[0];
    text += std::to_string(x) + "," + std::to_string(y) + "\n";
  }
  return text;
}

// Labels far from 0: every way up from (-2, 2) ended where weights are 0 and sigma is that of the
// labels, 767 lower than least squares, and the run was converged there.
TEST(Regressions, FindTheMassWhereLabelsAreLarge) {
  const Place place;
  place.write("line.csv", line_of(200));
  for (const std::string how : {"", "--method auto --data-batch 50"}) {
    succeed(place,
            "sample linear --data line.csv --particles 256 --quiet --force --out out " + how);
    const Json s = summary_of(place, "out");
    EXPECT_EQ(s.at("verdict"), "converged") << how;
    const Json& p = s.at("parameters");
    EXPECT_NEAR(p.at(0).at("mean").get<double>(), 20, .3) << how;
    EXPECT_NEAR(p.at(1).at("mean").get<double>(), 500, 15) << how;
    EXPECT_NEAR(p.at(2).at("mean").get<double>(), std::log(30), .15) << how;
    EXPECT_NEAR(p.at(2).at("sd").get<double>(), 1 / std::sqrt(2 * 200.0), .01) << how;
  }
}

TEST(ManyRows, OfAnyRegressionCanBeHeldOut) {
  const Place place;
  place.write("d.csv", SmallData().text(1000));
  const std::string with =
      " --data d.csv --holdout 0.2 --particles 64 --certify none --exact none --quiet --out out/";
  for (const std::string target : {"linear", "poisson", "multinomial", "logistic"}) {
    succeed(place, "sample " + target + with + target);
    const Json s = summary_of(place, "out/" + target);
    EXPECT_EQ(s.contains("test_accuracy"), target == "multinomial" || target == "logistic")
        << target;
    // Labels of 0 and 1, about half each: a guess has log(1/2); a normal of sd 1/2 -.73, counts of
    // mean 1/2 -.85.
    EXPECT_GT(s.at("test_log_likelihood").get<double>(), target == "linear"    ? -.6
                                                         : target == "poisson" ? -.85
                                                                               : std::log(.5))
        << target;
  }
  const Json one = summary_of(place, "out/logistic"), other = summary_of(place, "out/multinomial");
  // The same rows held out, the same model.
  EXPECT_NEAR(one.at("test_log_likelihood").get<double>(),
              other.at("test_log_likelihood").get<double>(), .01);
  EXPECT_NEAR(one.at("test_accuracy").get<double>(), other.at("test_accuracy").get<double>(), .02);
}

TEST(ManyRows, BadTablesAreNamed) {
  const Place place;
  place.write("d.csv", "a,b,y\n1,2,0.5\n3,1,-1\n2,2,1\n");
  expect_refused(place, "sample poisson --data d.csv --out out/p", bad_data,
                 "d.csv: label y: must be a whole number from 0 in every row; got '0.5'");
  expect_refused(place, "sample linear --out out/p", usage,
                 "data: linear regression needs a table: --data FILE");
}

} // namespace
} // namespace starling::cli
