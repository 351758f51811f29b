// Data sets that are refused, each with its line and column.
#include "io/dataset.hpp"
#include "io/errors.hpp"
#include "scratch.hpp"

namespace starling::io {
namespace {

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
        Case{"y\n1\n0\n",
             {},
             "data.csv: must have at least one feature and the label; got one column"},
        Case{"a,b,y\n1,2,0\n1,1\n", {}, "data.csv:3: must have 3 columns as the first row; got 2"},
        Case{"a,b,y\n1,2,0\n\n1,1,1,1\n",
             {},
             "data.csv:4: must have 3 columns as the first row; got 4"},
        Case{"1 2 0\n1 1\n", {}, "data.csv:2: must have 3 columns as the first row; got 2"},
        Case{"a,Slope,y\n1,2,0\n1,abc,1\n",
             {},
             "data.csv:3: column 2 (Slope): must be a number; got 'abc'"},
        Case{"1,2,0\n1,2x,1\n", {}, "data.csv:2: column 2: must be a number; got '2x'"},
        Case{"1,2,0\n1,,1\n",
             {},
             "data.csv:2: column 2: 1 value is missing; add it, or drop its row: --missing drop"},
        Case{"1,2,0\n1,+-2,1\n", {}, "data.csv:2: column 2: must be a number; got '+-2'"},
        Case{"1,2,0\n1,nan,1\n",
             {},
             "data.csv:2: column 2: 1 value is missing; add it, or drop its row: --missing drop"},
        Case{"1,2,0\n-inf,1,1\n", {}, "data.csv:2: column 1: must be a finite number; got '-inf'"},
        Case{
            "1,2,0\n1,1e400,1\n", {}, "data.csv:2: column 2: must be a finite number; got '1e400'"},
        Case{"1;2,5;0\n", {}, "data.csv:1: column 2: must be a number; got '2,5'"},
        Case{"1,abc,0\n1,2,1\n", {}, "data.csv:1: column 2: must be a number; got 'abc'"},
        Case{"1,2,0\n1,2,\n",
             {},
             "data.csv:2: column 3: 1 value is missing; add it, or drop its row: --missing drop"},
        Case{"1,2,0\n1,2,NaN\n",
             {},
             "data.csv:2: column 3: 1 value is missing; add it, or drop its row: --missing drop"},
        Case{"1,2,0\n1,2,inf\n", {}, "data.csv:2: column 3: must be a label; got 'inf'"},
        Case{"1,\"2,0\n", {}, "data.csv:1: has an open quote at the end of the line"},
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
             "data.csv: column 1 (id): 3 of 3 values are texts, all different, the first 'r1' in "
             "line 2; column 2 (a): 1 of 3 values are not numbers, the first 'x' in line 3; column "
             "3 (b): 2 of 3 values are missing, the first in line 2; column 4 (y): 1 of 3 values "
             "are missing, the first in line 4. Fix the file, or drop columns: --drop 'id,a,b', or "
             "drop rows with missing values: --missing drop, or read columns as categories: "
             "--category 'id,a'"},
        Case{"1,?,0\n1,abc,1\n1,inf,1\n",
             {},
             "data.csv: column 2: 2 of 3 values are not numbers, the first 'abc' in line 2 and 1 "
             "of 3 values are missing, the first in line 1. Fix the file, or drop columns: --drop "
             "'1', or drop rows with missing values: --missing drop, or read columns as "
             "categories: --category '1'"},
        Case{"1,2,0\n1,2,\n1,2,nan\n",
             {},
             "data.csv: column 3: 2 of 3 values are missing, the first in line 2. Fix the file, or "
             "drop rows with missing values: --missing drop"},
        // What is dropped already stays dropped; dates, constant columns and all else come
        // together.
        Case{"id,day,c,k,b,y\nr1,2024-01-31,7,u,1,0\nr2,2024-02-01,7,u,,1\nr3,2024-02-02,7,,3,1\n",
             {"", "", "id", Response::binary, "", "", false, true},
             "data.csv: column 2 (day): 3 of 3 values are dates, the first '2024-01-31' in line 2; "
             "column 3 (c): is constant; column 4 (k): is constant and 1 of 3 values are missing, "
             "the first in line 4; column 5 (b): 1 of 3 values are missing, the first in line 3. "
             "Fix the file (turn dates into numbers, such as days or months), or drop columns: "
             "--drop 'id,day,c,k,b', or drop rows with missing values: --missing drop"},
        Case{"a,b,y\n1,,0\n2,NA,1\n",
             {"", "", "", Response::binary, "", "", true},
             "data.csv: column 2 (b): 2 of 2 values are missing, the first in line 2. Fix the "
             "file, or drop columns: --drop 'b'"},
        Case{"a,b,y\n,1,0\n2,,1\n",
             {"", "", "", Response::binary, "", "", true},
             "data.csv: has a missing value in every row; fix the file, or drop columns with "
             "--drop"},
        Case{"a,g,y\n1,u,0\n2,v,1\n3,v,0\n",
             {"", "", "", Response::binary, "", "g=w"},
             "data.csv: base: g has no level 'w'; did you mean 'u'?"},
        Case{"a,g,y\n1,u,0\n2,v,1\n3,v,0\n",
             {"", "", "", Response::binary, "", "a=1"},
             "data.csv: base: a is not a column of categories; --category makes it one"},
        Case{"a,g,y\n1,u,0\n2,v,1\n3,v,0\n",
             {"", "", "", Response::binary, "", "g"},
             "data.csv: base: must be COLUMN=LEVEL; got 'g'"},
        Case{"a,g,y\n1,u,0\n2,v,1\n3,v,0\n",
             {"", "", "", Response::binary, "h"},
             "data.csv: category 'h': is not a column; did you mean 'a'?"},
        Case{"PAR1\x15\x04",
             {},
             "data.csv: is a Parquet or Arrow file, which Python reads: starling.builtin(..., "
             "data=FILE); or write it as csv"},
        Case{"a,b,y\n1,2,0\n", {"", "", "y"}, "data.csv: drop: cannot drop the label"},
        Case{"a,b,y\n1,2,0\n",
             {"", "", "a,b"},
             "data.csv: drop: must leave at least one feature; got all of them"},
        Case{"Slope,b,y\n1,2,0\n",
             {"", "", "slope"},
             "data.csv: drop 'slope': is not a column; did you mean 'Slope'?"},
        Case{
            "1 1:2\n0 1:1\n",
            {"", "", "x1"},
            "data.csv: drop: LIBSVM has no names of columns; remove their indices from the file"}));

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
        Case{
            "1 1:2\n0 99999999:1\n", // 19 bytes that would take a gigabyte and more
            {},
            "data.csv: is too sparse for a dense table: 2 rows, largest index 99999999, and only 2 "
            "values; at most 4096 cells for a value"},
        Case{"1 1:2\n0 1:1\n",
             {"3", ""},
             "data.csv: label: LIBSVM has the label first, so remove --label or give 0; got '3'"}));

} // namespace
} // namespace starling::io
