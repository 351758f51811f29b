// Logistic regression from every data format: the same rows give the same draws, bit for bit.
#include "io/scratch.hpp"
#include "results.hpp"

namespace starling::cli {
namespace {

constexpr int rows = 120;

std::string draws_from(const Place& place, const std::string& file, const std::string& given = "") {
  succeed(place, "sample logistic --data " + file +
                     " --particles 24 --steps 10 --holdout 0.25 "
                     "--quiet --force --out out/m " +
                     given);
  return place.read("out/m/draws.npz");
}

TEST(Formats, PlainPackedAndOtherwisePartedFilesAreTheSame) {
  const Place place;
  const std::string text = SmallData().text(rows);
  place.write("d.csv", text);
  place.write("d.csv.gz", io::gzipped(text));
  place.write("d.csv.xz", io::xz_packed(text));
  place.write("d.tsv", SmallData{"size\tweight\tkind\n", "\t"}.text(rows));
  place.write("d.txt", SmallData{"size;weight;kind\n", ";"}.text(rows));
  place.write("words.csv", SmallData{"size,weight,kind\n", ",", "no", "yes"}.text(rows));
  const std::string draws = draws_from(place, "d.csv");
  for (const std::string file : {"d.csv.gz", "d.csv.xz", "d.tsv", "d.txt", "words.csv"})
    EXPECT_EQ(draws_from(place, file), draws) << file;
  EXPECT_EQ(draws_from(place, "d.csv", "--label kind --positive 1"), draws);
  EXPECT_EQ(draws_from(place, "d.csv", "--label 2"), draws);
  EXPECT_EQ(draws_from(place, "d.csv", "--label -1"), draws);
  EXPECT_EQ(draws_from(place, "words.csv", "--positive yes"), draws);
  EXPECT_NE(draws_from(place, "d.csv", "--positive 0"), draws);
  EXPECT_NE(draws_from(place, "d.csv", "--scale standard"), draws);
  EXPECT_NE(draws_from(place, "d.csv", "--scale none"), draws);
  EXPECT_NE(draws_from(place, "d.csv", "--data-batch 10"), draws);
}

TEST(Formats, HeaderlessFilesInTheFormOfCovtypeDataNeedOnlyThePositiveClass) {
  const Place place;
  // Three classes, the last column, as in UCI's file: class 2 against the rest.
  std::string three = SmallData{"", ",", "1", "2"}.text(rows);
  for (std::size_t line = 0, at = 0; (at = three.find(",1\n", at)) != three.npos; ++at, ++line)
    if (line % 2 == 0)
      three[at + 1] = '7';
  place.write("covtype.data", three);
  place.write("covtype.data.gz", io::gzipped(three));
  place.write("d.csv", SmallData{"", ",", "0", "1"}.text(rows)); // no header: the same names
  const std::string draws = draws_from(place, "d.csv");
  EXPECT_EQ(draws_from(place, "covtype.data", "--positive 2"), draws);
  EXPECT_EQ(draws_from(place, "covtype.data.gz", "--positive 2"), draws);
  EXPECT_NE(draws_from(place, "covtype.data", "--positive 7"), draws);
}

TEST(Formats, LibsvmFilesGiveTheSameDraws) {
  const Place place;
  std::string svm;
  const auto lines = lines_of(SmallData{"", " ", "-1", "+1"}.text(rows));
  for (const std::string& line : lines) {
    const auto fields = words(line);
    svm += fields[2] + " 1:" + fields[0] + " 2:" + fields[1] + "\n";
  }
  place.write("d.svm", svm);
  place.write("d.svm.gz", io::gzipped(svm));
  place.write("d.csv", SmallData{"", ",", "0", "1"}.text(rows)); // no header: the same names
  const std::string draws = draws_from(place, "d.csv");
  EXPECT_EQ(draws_from(place, "d.svm"), draws);
  EXPECT_EQ(draws_from(place, "d.svm.gz"), draws);
}

TEST(Formats, HeldOutRowsGiveAnAccuracy) {
  const Place place;
  place.write("d.csv", SmallData().text(1000));
  succeed(place, "sample logistic --data d.csv --holdout 0.2 --particles 64 --steps 300 "
                 "--step-size 0.05 --quiet --out out/m");
  const Json s = summary_of(place, "out/m");
  // The noise in the labels is uniform on [-1/2, 1/2] against a signal of up to 3: the best rule
  // errs on about one row in twelve, a guess on half.
  EXPECT_GT(s.at("test_accuracy").get<double>(), 0.8);
  EXPECT_LE(s.at("test_accuracy").get<double>(), 1);
  EXPECT_LT(s.at("test_log_likelihood").get<double>(), 0);
  EXPECT_GT(s.at("test_log_likelihood").get<double>(), std::log(0.5)); // better than a guess
}

} // namespace
} // namespace starling::cli
