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
  const Dataset data = load("a,Gr\xf6\xdf"
                            "e,a,,y\n1,2,3,4,0\n5,6,7,8,1\n",
                            {"", "",
                             "Gr\xf6\xdf"
                             "e"});
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
