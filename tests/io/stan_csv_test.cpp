// Tests of Stan CSV: what the readers of the Stan world need is there, and it reads back the same.
#include "io/errors.hpp"
#include "io/stan_csv.hpp"
#include "scratch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace starling::io {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

const Draws two_draws{{"lp__", "theta[1]", "theta[2]", "sigma"}, 2, {-1.5, 1, 2, 3, -2.5, 4, 5, 6}};

std::string written(const Draws& draws, const StanHeader& header = {}) {
  std::ostringstream out;
  write_stan_csv(out, draws, header);
  return out.str();
}

TEST(StanCsv, ReadsBackEveryNumberTheSame) {
  const Scratch scratch;
  Draws draws{{"lp__", "a"}, 4, {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.125, 1e22, -1e-7}};
  write_stan_csv(scratch.path("draws.csv"), draws, {});
  const Draws back = read_stan_csv(scratch.path("draws.csv"));
  EXPECT_EQ(back.names, draws.names);
  EXPECT_EQ(back.rows, 4U);
  EXPECT_EQ(back.values, draws.values);
  EXPECT_TRUE(std::signbit(back.values[4]));
}

TEST(StanCsv, WritesNumbersThatLieElsewhereAsItsOwn) {
  const Numbers first{-1.5, -2.5}, rest{1, 2, 3, 4, 5, 6};
  Draws elsewhere{two_draws.names, 2, {}, first, rest};
  EXPECT_EQ(written(elsewhere), written(two_draws));
  elsewhere.elsewhere_rest = std::span(rest).first(5);
  EXPECT_THROW(written(elsewhere), std::invalid_argument);
}

TEST(StanCsv, IsTheSameFileOnAnyNumberOfThreads) {
  Threads three(3);
  for (const std::size_t rows :
       {csv_numbers_together / 3, csv_numbers_together, 70 * csv_numbers_together / 3 + 5}) {
    Draws draws{{"lp__", "a"}, rows, {}};
    std::string lines;
    for (std::size_t n = 0; n < 2 * rows; ++n) {
      draws.values.push_back(static_cast<double>(n) / 8);
      lines += fmt::format("{}{}", n / 8.0, n % 2 == 0 ? ',' : '\n');
    }
    std::ostringstream out;
    write_stan_csv(out, draws, {}, three);
    EXPECT_TRUE(out.str() == written(draws)) << rows;
    EXPECT_NE(out.str().find("\nlp__,a\n" + lines + "#"), std::string::npos) << rows;
  }
}

TEST(StanCsv, WritesNumbersAsShortAsTheyReadBack) {
  EXPECT_NE(written({{"lp__"}, 1, {0.1}}).find("\nlp__\n0.1\n#"), std::string::npos);
}

TEST(StanCsv, KeepsWhatIsNotFinite) {
  const Scratch scratch;
  const double infinity = std::numeric_limits<double>::infinity();
  const Draws draws{{"lp__", "a", "b"}, 1, {-infinity, infinity, std::copysign(NAN, -1.0)}};
  write_stan_csv(scratch.path("draws.csv"), draws, {});
  EXPECT_NE(bytes_of_file(scratch.path("draws.csv")).find("\n-inf,inf,nan\n"), std::string::npos);
  const Draws back = read_stan_csv(scratch.path("draws.csv"));
  EXPECT_EQ(back.values[0], -infinity);
  EXPECT_EQ(back.values[1], infinity);
  EXPECT_TRUE(std::isnan(back.values[2]));
}

TEST(StanCsv, HasTheCommentsThatTheReadersLookFor) {
  StanHeader header;
  header.model = "logistic";
  header.steps = 500;
  header.seed = 18446744073709551615U;
  header.data_file = "data.csv";
  header.seconds = 1.25;
  header.settings = {{"batch", "8"}};
  const std::string text = written(two_draws, header);
  EXPECT_TRUE(text.starts_with("# stan_version_major = 2\n"));
  for (const char* line :
       {"# model = logistic_model", "# method = sample (Default)", "#     num_samples = 2",
        "#     num_warmup = 500", "#     save_warmup = 0 (Default)", "#     thin = 1 (Default)",
        "#     algorithm = rbm_svgd", "#         metric = unit_e", "#         batch = 8",
        "# id = 1 (Default)", "# data\n#   file = data.csv", "#   seed = 18446744073709551615",
        "#                1.250 seconds (Sampling)"})
    EXPECT_NE(text.find(std::string(1, '\n').append(line).append(1, '\n')), std::string::npos)
        << line;
  EXPECT_NE(text.find("\nlp__,theta.1,theta.2,sigma\n-1.5,1,2,3\n-2.5,4,5,6\n# \n"),
            std::string::npos);
}

TEST(StanCsv, NeverSaysThatThereWasNoWarmUp) {
  // cmdstanpy refuses a file with num_warmup = 0.
  EXPECT_NE(written(two_draws).find("\n#     num_warmup = 1\n"), std::string::npos);
}

TEST(StanCsv, AddsTheColumnOfTheDensityWhenThereIsNone) {
  EXPECT_NE(written({{"x", "y"}, 1, {1, 2}}).find("\nlp__,x,y\n0,1,2\n"), std::string::npos);
}

TEST(StanName, IsOneThatTheReadersCanParse) {
  EXPECT_EQ(stan_name("sigma"), "sigma");
  EXPECT_EQ(stan_name("lp__"), "lp__");
  EXPECT_EQ(stan_name("theta[1]"), "theta.1");
  EXPECT_EQ(stan_name("theta[12,3]"), "theta.12.3");
  EXPECT_EQ(stan_name("theta.12.3"), "theta.12.3");
  EXPECT_EQ(stan_name("w[Soil type]"), "w_Soil_type");
  EXPECT_EQ(stan_name("w.Slope"), "w_Slope");
  EXPECT_EQ(stan_name("a.1."), "a_1_");
  EXPECT_EQ(stan_name("a..1"), "a__1");
  EXPECT_EQ(stan_name("a.0"), "a_0");
  EXPECT_EQ(stan_name("a,b"), "a_b");
  EXPECT_EQ(stan_name("2nd"), "x2nd");
  EXPECT_EQ(stan_name(""), "x");
}

TEST(StanName, ComesBackWithItsBrackets) {
  for (const char* name : {"sigma", "lp__", "theta[1]", "theta[12,3]", "w_Soil_type"})
    EXPECT_EQ(bracketed(stan_name(name)), name);
  for (const char* name : {"a.0", "a.", "a.1.", ".1", "a.b", "a..1"}) // no indices
    EXPECT_EQ(bracketed(name), name);
}

TEST(StanColumns, AreAnArrayOnlyWhereTheReadersCountTheSame) {
  EXPECT_EQ(stan_columns({"b[1]", "b[2]"}).names, (Names{"b.1", "b.2"}));
  // b.1 would be shown as the first of an array, b[0].
  EXPECT_EQ(stan_columns({"b[0]", "b[1]", "b[2]"}).names, (Names{"b_0", "b_1", "b_2"}));
  EXPECT_EQ(stan_columns({"a[1]", "a[3]"}).names, (Names{"a_1", "a_3"}));
  EXPECT_EQ(stan_columns({"a", "a[1]"}).names, (Names{"a", "a_1"}));
  EXPECT_EQ(stan_columns({"a b", "a_b", "a,b"}).names, (Names{"a_b_2", "a_b", "a_b_3"}));
  EXPECT_EQ(stan_columns({"w[x__]", "lp__"}).names,
            (Names{"w_x__x", "lp__"})); // no figure of a sampler
}

TEST(StanColumns, StandInStansOrder) {
  // Readers fill an array by the first index fastest, whatever the names say.
  const StanColumns columns = stan_columns({"m[1,1]", "m[1,2]", "s", "m[2,1]", "m[2,2]"});
  EXPECT_EQ(columns.names, (Names{"m.1.1", "m.2.1", "m.1.2", "m.2.2", "s"}));
  EXPECT_EQ(columns.from, (std::vector<std::size_t>{0, 3, 1, 4, 2}));
  EXPECT_NE(written({{"m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]"}, 1, {11, 12, 21, 22}})
                .find("\nlp__,m.1.1,m.2.1,m.1.2,m.2.2\n0,11,21,12,22\n"),
            std::string::npos);
}

TEST(StanCsv, ReadsBackEveryNameAsItWasGiven) {
  const Scratch scratch;
  const Names names = {"lp__",     "b[0]",     "b[1]",  "w[Soil type]",    "w[Soil_type]",
                       "theta[1]", "theta[2]", "odd.1", "w[a, \"b\" = c]", "back\\slash\n",
                       "2nd"};
  Draws draws{names, 1, Numbers(names.size())};
  for (std::size_t i = 0; i < names.size(); ++i)
    draws.values[i] = static_cast<double>(i);
  write_stan_csv(scratch.path("draws.csv"), draws, {});
  const Draws back = read_stan_csv(scratch.path("draws.csv"));
  EXPECT_EQ(back.names, names);
  EXPECT_EQ(back.values, draws.values);
}

TEST(StanCsv, KeepsBlanksAtTheEndsOfNames) {
  const Scratch scratch;
  const Names names = {"lp__", "A ", " A", "A", "\tB ", "a b", "\\s", " ", "C = D "};
  const Draws draws{names, 1, Numbers(names.size(), 1.0)};
  write_stan_csv(scratch.path("draws.csv"), draws, {});
  EXPECT_EQ(read_stan_csv(scratch.path("draws.csv")).names, names);
}

TEST(StanCsv, SaysWhichRunItIs) {
  StanHeader header;
  header.run = 3;
  EXPECT_NE(written(two_draws, header).find("\n# id = 3\n"), std::string::npos);
}

TEST(StanCsv, RefusesWhatWouldMakeABrokenFile) {
  EXPECT_THROW(written({{"a", "b"}, 2, {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(written({{"a[1]", "a[1]"}, 1, {1, 2}}), std::invalid_argument);
  EXPECT_THROW(written({{"a", "lp__"}, 1, {1, 2}}), std::invalid_argument);
  EXPECT_EQ(error_text<CannotWrite>(
                "", [] { write_stan_csv("/proc/no/draws.csv", two_draws, StanHeader{}); }),
            "/proc/no/draws.csv: cannot write: no such folder");
}

TEST(StanCsv, KeepsACommentInOneLine) {
  StanHeader header;
  header.data_file = "two\nlines.csv";
  EXPECT_NE(written(two_draws, header).find("two\\nlines.csv\n"), std::string::npos);
}

TEST(StanCsv, ReadsAFileOfCmdStan) {
  const Scratch scratch;
  const Draws draws = read_stan_csv(scratch.file(
      "output.csv", gzipped("# model = bernoulli_model\nlp__,accept_stat__,theta\n"
                            "# Adaptation terminated\n# Step size = 0.9\n\n"
                            "-7.0, 0.98, +0.25\r\n-6.5,1,0.3\n# \n#  Elapsed Time: 1 seconds\n")));
  EXPECT_EQ(draws.names, (Names{"lp__", "accept_stat__", "theta"}));
  EXPECT_EQ(draws.values, (Numbers{-7, 0.98, 0.25, -6.5, 1, 0.3}));
}

TEST(StanCsv, NamesLineAndColumnOfWhatIsWrong) {
  const Scratch scratch;
  const auto refusal = [&](const char* text) {
    const auto file = scratch.file("draws.csv", text);
    return error_text<BadData>(file, [&] { read_stan_csv(file); });
  };
  EXPECT_EQ(refusal("# c\nlp__,a\n0,1\n\n0,abc\n"),
            "draws.csv:5: column 2 (a): must be a number; got 'abc'");
  EXPECT_EQ(refusal("lp__,a\n0,\n"), "draws.csv:2: column 2 (a): must be a number; got ''");
  EXPECT_EQ(refusal("lp__,a\n0\n"), "draws.csv:2: must have 2 columns as the header; got 1");
  EXPECT_EQ(refusal("# only\n"), "draws.csv: must have a row of column names; got none");
  EXPECT_EQ(refusal("lp__,a\n# end\n"), "draws.csv: must have draws; got column names only");
  EXPECT_EQ(refusal("0,1\n0,1\n"), "draws.csv:1: column 1: must be a name; got '0'");
  EXPECT_THROW(read_stan_csv(scratch.path("none.csv")), InputMissing);
}

} // namespace
} // namespace starling::io
