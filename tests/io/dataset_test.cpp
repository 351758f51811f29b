// Tests of loading data sets: formats, labels, scaling.
#include "io/dataset.hpp"
#include "io/errors.hpp"
#include "scratch.hpp"

#include <cmath>
#include <numeric>

namespace starling::io {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

Dataset load(std::string_view text, const LabelChoice& choice = {}) {
  const Scratch scratch;
  return load_dataset(scratch.file("data.csv", text), choice);
}

TEST(Delimited, ReadsAHeaderAndTakesTheLastColumnAsLabel) {
  const Dataset data = load("a,b,y\n1,2.5,0\n-3,4e-2,1\n");
  EXPECT_EQ(data.rows, 2U);
  EXPECT_EQ(data.columns, 2U);
  EXPECT_EQ(data.features, (Numbers{1, 2.5, -3, 0.04}));
  EXPECT_EQ(data.labels, (Numbers{0, 1}));
  EXPECT_EQ(data.names, (Names{"a", "b"}));
  EXPECT_EQ(data.label_name, "y");
}

TEST(Delimited, NamesColumnsByPositionWhenThereIsNoHeader) {
  const Dataset data = load("1,7,2\n3,8,4\n", {"1", ""});
  EXPECT_EQ(data.features, (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(data.names, (Names{"x1", "x3"}));
  EXPECT_EQ(data.label_name, "x2");
}

TEST(Delimited, GivesTheSameForEverySeparatorLineEndAndPadding) {
  const Dataset expected = load("a,b,y\n1,2.5,0\n-3,+4,1\n");
  for (const char* text : {
           "a;b;y\n1;2.5;0\n-3;+4;1",
           "a\tb\ty\n1\t2.5\t0\n-3\t+4\t1\n",
           "a b  y\n  1 2.5 0 \n-3\t+4 1\n",
           "a,b,y\r\n1,2.5,0\r\n-3,+4,1\r\n\r\n",
           "\n a , b , y \n\n 1 , 2.5 , 0 \n-3,+4,\t1\n \n\n",
           "\"a\",\"b\",\"y\"\n\"1\",2.5,\"0\"\n-3,\"+4\" ,1\n",
       }) {
    SCOPED_TRACE(text);
    const Dataset data = load(text);
    EXPECT_EQ(data.features, expected.features);
    EXPECT_EQ(data.labels, expected.labels);
    EXPECT_EQ(data.names, expected.names);
  }
}

TEST(Delimited, KeepsSeparatorsAndQuotesInsideQuotes) {
  const Dataset data = load(
      "\"a,b\",\"say \"\"x\"\"\",\"the y\"\n\"1\",2,\"no, never\"\n3,\"4\" ,yes\n", {"the y", ""});
  EXPECT_EQ(data.names, (Names{"a,b", "say \"x\""}));
  EXPECT_EQ(data.features, (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(data.labels, (Numbers{0, 1}));
}

TEST(Delimited, ReadsNumbersAsTheNearestDouble) {
  const Dataset data =
      load("0.1,123456789012345,1234567890123456789,-0.30000000000000004,1e-400,.5,0\n"
           "1,1,1,1,1,1,1\n");
  EXPECT_EQ(Numbers(data.features.begin(), data.features.begin() + 6),
            (Numbers{0.1, 123456789012345.0, 1234567890123456789.0, -0.30000000000000004, 0, 0.5}));
}

TEST(Delimited, FindsTheLabelByNameOrByIndexFromEitherEnd) {
  const std::string text = "a,b,c\n0,5,7\n1,6,8\n";
  for (const char* label : {"a", "0", "-3"})
    EXPECT_EQ(load(text, {label, ""}).label_name, "a") << label;
  for (const char* label : {"", "c", "2", "-1"})
    EXPECT_EQ(load(text, {label, ""}).label_name, "c") << label;
}

TEST(Delimited, ReadsGzipAndXz) {
  const Scratch scratch;
  const std::string text = "1,0\n2,1\n";
  EXPECT_EQ(load_dataset(scratch.file("covtype.data.gz", gzipped(text))).rows, 2U);
  EXPECT_EQ(load_dataset(scratch.file("data.csv.xz", xz_packed(text))).rows, 2U);
}

TEST(Delimited, LeavesOutWhatIsDropped) {
  const std::string text = "id,a,\"b,c\",y\nr1,1,x,0\nr2,2,y,1\n";
  const Dataset data = load(text, {"", "", "id,\"b,c\""});
  EXPECT_EQ(data.names, (Names{"a"}));
  EXPECT_EQ(data.features, (Numbers{1, 2}));
  EXPECT_EQ(data.dropped, (Names{"id", "b,c"}));
  EXPECT_EQ(load(text, {"", "", " 0 , -2 "}).names, (Names{"a"})); // by index from either end
}

TEST(Delimited, GivesEveryColumnANameOfItsOwnInUtf8) {
  const Dataset data = load("a,Gr\xf6\xdf" "e,a,,y\n1,2,3,4,0\n5,6,7,8,1\n", {"", "", "Gr\xf6\xdf" "e"});
  EXPECT_EQ(data.names, (Names{"a", "a (column 3)", "x4"}));
  EXPECT_EQ(data.dropped, (Names{"Größe"}));
}

TEST(Delimited, AsksForNoRoomForBlankLines) {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "1,";
  text += "0\n" + std::string(1000000, '\n'); // as rows they would be 800 GB
  std::string second = text.substr(0, text.find('\n'));
  second.back() = '1';
  EXPECT_EQ(load(text + second).rows, 2U);
}

TEST(Labels, AreToldByWhatTheyStandFor) {
  const Dataset two = load("a,y\n1,no\n2,yes\n3,no\n");
  EXPECT_EQ(two.positive, "yes");
  EXPECT_EQ(two.negative, "no");
  EXPECT_EQ(two.positives, 1U);
  EXPECT_EQ(two.label_column, 1U);
  const Dataset three = load("y,a\n1,3\n2.0,3\n3,4\n2,1\n", {"y", "2"});
  EXPECT_EQ(three.positive, "2.0"); // as it first stands there
  EXPECT_EQ(three.negative, "");
  EXPECT_EQ(three.positives, 2U);
  EXPECT_EQ(three.label_column, 0U);
  EXPECT_EQ(load("a,y\n1,1\n2,2\n", {"", "1"}).negative, "2");
}

TEST(Labels, TakeTheLargerOfTwoNumbersAsPositive) {
  EXPECT_EQ(load("1,2\n1,1\n1,2.0\n").labels, (Numbers{1, 0, 1}));
  EXPECT_EQ(load("1,-1\n1,+1\n").labels, (Numbers{0, 1}));
  EXPECT_EQ(load("1,9\n1,10\n").labels, (Numbers{0, 1})); // as strings 9 would be larger
}

TEST(Labels, TakeTheLaterOfTwoStringsAsPositive) {
  EXPECT_EQ(load("1,yes\n1,no\n1,yes\n").labels, (Numbers{1, 0, 1}));
  EXPECT_EQ(load("1,10\n1,9b\n").labels, (Numbers{0, 1}));
}

TEST(Labels, TakeThePositiveValueAgainstTheRest) {
  EXPECT_EQ(load("1,1\n1,2\n1,3\n1,2.00\n", {"", "2"}).labels, (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(load("1,1\n1,2\n1,3\n", {"", "2.0"}).labels, (Numbers{0, 1, 0}));
  EXPECT_EQ(load("1,a\n1,b\n1,c\n", {"", "a"}).labels, (Numbers{1, 0, 0}));
}

TEST(Libsvm, FillsAbsentValuesWithZero) {
  const Dataset data = load("# made by hand\n+1 1:0.5 3:2 # first\n-1\n-1 2:-1e1 \r\n\n");
  EXPECT_EQ(data.rows, 3U);
  EXPECT_EQ(data.columns, 3U);
  EXPECT_EQ(data.features, (Numbers{0.5, 0, 2, 0, 0, 0, 0, -10, 0}));
  EXPECT_EQ(data.labels, (Numbers{1, 0, 0}));
  EXPECT_EQ(data.names, (Names{"x1", "x2", "x3"}));
  EXPECT_EQ(load("-1\n1 2:1\n").columns, 2U); // told by the second line
}

struct Case {
  const char* text;
  LabelChoice choice;
  const char* error;
};

void PrintTo(const Case& bad, std::ostream* out) { *out << testing::PrintToString(bad.text); }

class BadFile : public testing::TestWithParam<Case> {};

TEST_P(BadFile, IsNamedWithLineAndColumnInOneLine) {
  const Scratch scratch;
  const auto file = scratch.file("data.csv", GetParam().text);
  EXPECT_EQ(error_text<BadData>(file, [&] { load_dataset(file, GetParam().choice); }),
            GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Delimited, BadFile,
    testing::Values(
        Case{"", {}, "data.csv: is empty"}, Case{"\n \r\n\n", {}, "data.csv: is empty"},
        Case{"a,b,c\n", {}, "data.csv: must have rows; got a header only"},
        Case{"y\n1\n0\n", {}, "data.csv: must have a feature beside the label; got one column"},
        Case{"a,b,y\n1,2,0\n1,1\n", {}, "data.csv:3: must have 3 columns as the first row; got 2"},
        Case{"a,b,y\n1,2,0\n\n1,1,1,1\n",
             {},
             "data.csv:4: must have 3 columns as the first row; got 4"},
        Case{"1 2 0\n1 1\n", {}, "data.csv:2: must have 3 columns as the first row; got 2"},
        Case{"a,Slope,y\n1,2,0\n1,abc,1\n",
             {},
             "data.csv:3: column 2 (Slope): must be a number; got 'abc'"},
        Case{"1,2,0\n1,2x,1\n", {}, "data.csv:2: column 2: must be a number; got '2x'"},
        Case{"1,2,0\n1,,1\n", {}, "data.csv:2: column 2: must be a number; got ''"},
        Case{"1,2,0\n1,+-2,1\n", {}, "data.csv:2: column 2: must be a number; got '+-2'"},
        Case{"1,2,0\n1,nan,1\n", {}, "data.csv:2: column 2: must be a finite number; got 'nan'"},
        Case{"1,2,0\n-inf,1,1\n", {}, "data.csv:2: column 1: must be a finite number; got '-inf'"},
        Case{
            "1,2,0\n1,1e400,1\n", {}, "data.csv:2: column 2: must be a finite number; got '1e400'"},
        Case{"1;2,5;0\n", {}, "data.csv:1: column 2: must be a number; got '2,5'"},
        Case{"1,abc,0\n1,2,1\n", {}, "data.csv:1: column 2: must be a number; got 'abc'"},
        Case{"1,2,0\n1,2,\n", {}, "data.csv:2: column 3: must be a label; got ''"},
        Case{"1,2,0\n1,2,NaN\n", {}, "data.csv:2: column 3: must be a label; got 'NaN'"},
        Case{"1,\"2,0\n", {}, "data.csv:1: must close every quote on its line"},
        Case{"1,2,0\n\"1\"2,2,0\n",
             {},
             "data.csv:2: must have a separator after a closing quote; got '2'"},
        Case{"1,2,0\n1,\x01\x02"
             "0123456789012345678901234567890123456789,1\n",
             {},
             "data.csv:2: column 2: must be a number; got "
             "'\?\?01234567890123456789012345678901234567...'"}));

INSTANTIATE_TEST_SUITE_P(
    Obstacles, BadFile,
    testing::Values(
        Case{"id,a,b,y\nr1,1,,0\nr2,x,NA,1\nr3,2,3,\n",
             {},
             "data.csv: column 1 (id): 3 of 3 values are no numbers, the first 'r1' in line 2; column "
             "2 (a): 1 of 3 values are no numbers, the first 'x' in line 3; column 3 (b): 2 of 3 "
             "values are missing, the first in line 2; column 4 (y): 1 of 3 values are missing, the "
             "first in line 4. Mend the file, or leave columns out: --drop 'id,a,b'"},
        Case{"1,?,0\n1,abc,1\n1,inf,1\n",
             {},
             "data.csv: column 2: 2 of 3 values are no numbers, the first 'abc' in line 2 and 1 of 3 "
             "values are missing, the first in line 1. Mend the file, or leave columns out: --drop "
             "'1'"},
        Case{"1,2,0\n1,2,\n1,2,nan\n",
             {},
             "data.csv: column 3: 2 of 3 values are missing, the first in line 2"},
        Case{"a,b,y\n1,2,0\n", {"", "", "y"}, "data.csv: drop: the label is among the columns to leave out"},
        Case{"a,b,y\n1,2,0\n",
             {"", "", "a,b"},
             "data.csv: drop: must leave a feature beside the label; got all of them"},
        Case{"Slope,b,y\n1,2,0\n",
             {"", "", "slope"},
             "data.csv: drop 'slope': is not a column; did you mean 'Slope'?"},
        Case{"1 1:2\n0 1:1\n",
             {"", "", "x1"},
             "data.csv: drop: LIBSVM has no names of columns; leave out their indices in the file"}));

INSTANTIATE_TEST_SUITE_P(
    Labels, BadFile,
    testing::Values(
        Case{"Slope,Cover_Type\n1,2\n",
             {"Cover_Typ", ""},
             "data.csv: label 'Cover_Typ': is not a column; did you mean 'Cover_Type'?"},
        Case{"Slope,Cover_Type\n1,2\n",
             {"slope", ""},
             "data.csv: label 'slope': is not a column; did you mean 'Slope'?"},
        Case{"1,2\n", {"y", ""}, "data.csv: label 'y': must be an index, as there is no header"},
        Case{"1,2\n", {"2", ""}, "data.csv: label: must be an index from -2 to 1; got 2"},
        Case{"1,2\n", {"-3", ""}, "data.csv: label: must be an index from -2 to 1; got -3"},
        Case{"a,a\n1,2\n", {"a", ""}, "data.csv: label 'a': must name one column; got several"},
        Case{"a,y\n1,2\n3,2.0\n", {}, "data.csv: label y: must have two classes; got only 2"},
        Case{"a,y\n1,2\n3,2\n", {"", "2"}, "data.csv: label y: must have two classes; got only 2"},
        Case{"a,y\n1,3\n3,1\n2,2\n",
             {},
             "data.csv: label y: has 3 classes (1, 2, 3); give --positive VALUE to choose one"},
        Case{"a,y\n1,1\n3,2\n",
             {"", "3"},
             "data.csv: label y: positive must be one of 1, 2; got '3'"},
        Case{"a,y\n1,1\n3,2\n",
             {"", "two"},
             "data.csv: label y: positive must be one of 1, 2; got 'two'"},
        Case{"a,y\n1,no\n3,yes\n",
             {"", "Yes"},
             "data.csv: label y: positive must be one of no, yes; got 'Yes'"},
        Case{"0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n0,10\n0,11\n",
             {},
             "data.csv: label x2: has 11 classes (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...); give "
             "--positive VALUE to choose one"}));

INSTANTIATE_TEST_SUITE_P(
    Libsvm, BadFile,
    testing::Values(
        Case{"1 1:2\n0 0:2\n", {}, "data.csv:2: index: must be at least 1; got 0"},
        Case{"1 1:2\n0 2:1 2:3\n",
             {},
             "data.csv:2: index: must be larger than the one before, 2; got 2"},
        Case{"1 1:2\n0 1:x\n", {}, "data.csv:2: index 1: must be a finite number; got 'x'"},
        Case{"1 1:2\n0 1:inf\n", {}, "data.csv:2: index 1: must be a finite number; got 'inf'"},
        Case{"1 1:2\n0 qid:3 1:1\n",
             {},
             "data.csv:2: must be index:value after the label; got 'qid:3'"},
        Case{"1 1:2\n2:1 3:1\n", {}, "data.csv:2: must start with a label; got '2:1'"},
        Case{"1 1:2\n0 99999999999:1\n",
             {},
             "data.csv: is too large as a dense table: 2 rows, largest index 99999999999"},
        Case{"1 1:2\n0 99999999:1\n", // 19 bytes that would take a gigabyte and more
             {},
             "data.csv: is too sparse for a dense table: 2 rows, largest index 99999999, and only 2 "
             "values; at most 4096 cells for a value"},
        Case{"1 1:2\n0 1:1\n",
             {"3", ""},
             "data.csv: label: must be 0 or left out, as LIBSVM has the label first; got '3'"}));

TEST(Scale, MapsEachFeatureToTheUnitInterval) {
  Dataset data = load("1,-10,0\n3,30,1\n2,0,1\n");
  scale(data, Scaling::minmax);
  EXPECT_EQ(data.features, (Numbers{0, 0, 1, 1, 0.5, 0.25}));
}

TEST(Scale, GivesMeanZeroAndVarianceOne) {
  Dataset data = load("1,1e300,0\n3,-1e300,1\n2,5e299,1\n7,1e299,0\n");
  scale(data, Scaling::standard);
  for (std::size_t column = 0; column < 2; ++column) {
    double sum = 0;
    double squares = 0;
    for (std::size_t row = 0; row < 4; ++row) {
      sum += data.features[2 * row + column];
      squares += std::pow(data.features[2 * row + column], 2);
    }
    EXPECT_NEAR(sum, 0, 1e-14);
    EXPECT_NEAR(squares / 4, 1, 1e-14);
  }
}

TEST(Scale, LeavesTheFeaturesAloneWhenAskedForNone) {
  Dataset data = load("1,5,0\n3,5,1\n");
  const Numbers before = data.features;
  scale(data, Scaling::none);
  EXPECT_EQ(data.features, before);
}

TEST(Scale, NamesAConstantColumnAndChangesNothing) {
  for (const Scaling scaling : {Scaling::minmax, Scaling::standard}) {
    Dataset data = load("Aspect,Slope,y\n1,5,0\n3,5,1\n");
    const Numbers before = data.features;
    EXPECT_EQ(error_text<BadData>("", [&] { scale(data, scaling); }),
              "column Slope: is constant; drop it or use --scale none");
    EXPECT_EQ(data.features, before);
  }
}

TEST(Scale, NamesAllConstantColumnsAtOnce) {
  Dataset data = load("a,b,c,y\n1,5,2,0\n1,6,2,1\n");
  EXPECT_EQ(error_text<BadData>("", [&] { scale(data, Scaling::minmax); }),
            "columns a, c: are constant; drop them or use --scale none");
}

TEST(Covertype, HasItsKnownNumberOfRowsAndOfClassTwo) {
  const std::filesystem::path file = std::filesystem::path(STARLING_SHARED_DATA) / "covtype.csv.xz";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "covtype.csv.xz is not in the folder of shared data";
  const Dataset data = load_dataset(file, {"Cover_Type", "2"});
  EXPECT_EQ(data.rows, 581012U);
  EXPECT_EQ(data.columns, 54U);
  EXPECT_EQ(data.features.size(), 581012U * 54U);
  EXPECT_EQ(data.names.front(), "Elevation");
  EXPECT_EQ(data.label_name, "Cover_Type");
  EXPECT_EQ(std::accumulate(data.labels.begin(), data.labels.end(), 0.0), 283301.0);
}

} // namespace
} // namespace starling::io
