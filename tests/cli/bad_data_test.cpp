// Data and start files that cannot be used: the file, line and column named, exit code 65 or 66.
#include "command.hpp"

#include "io/npy.hpp"

#include <cmath>

namespace starling::cli {
namespace {

/// Writes a data file and runs `sample logistic --data d.csv OPTIONS --out out/m`.
void expect_refused_data(const std::string& content, const std::string& given, int code,
                         const std::string& message) {
  const Place place;
  place.write("d.csv", content);
  expect_refused(place, "sample logistic --data d.csv " + given + " --out out/m", code, message);
}

/// A table, the options with it, and the line that refuses them.
struct Table {
  const char *content, *given, *message;
};
void expect_refused_tables(int code, std::initializer_list<Table> tables) {
  for (const Table& table : tables)
    expect_refused_data(table.content, table.given, code, table.message);
}

const char* const three_rows = "a,b,y\n1,2,0\n2,1,1\n3,5,0\n";

TEST(BadData, SaysThatAFileIsNotThereOrNoFile) {
  const Place place;
  expect_refused(place, "sample logistic --data d.csv --out out/m", input_missing,
                 "d.csv: no such file");
  place.write("folder/x", "");
  expect_refused(place, "sample logistic --data folder --out out/m", input_missing,
                 "folder: is a folder");
  expect_refused(place, "sample logistic --out out/m", usage,
                 "data: logistic regression needs a table: --data FILE");
}

TEST(BadData, RefusesFilesWithoutRows) {
  expect_refused_tables(
      bad_data,
      {{"", "", "d.csv: is empty"},
       {" \n\n", "", "d.csv: is empty"},
       {"a,b,y\n", "", "d.csv: must have rows; got a header only"},
       {"y\n1\n0\n", "", "d.csv: must have at least one feature and the label; got one column"}});
}

TEST(BadData, NamesTheLineOfARaggedRow) {
  expect_refused_tables(
      bad_data,
      {{"a,b,y\n1,2,0\n2,1\n", "", "d.csv:3: must have 3 columns as the first row; got 2"},
       {"a,b,y\n1,2,0\n\n2,1,1,9\n", "", "d.csv:4: must have 3 columns as the first row; got 4"}});
}

TEST(BadData, NamesTheLineAndColumnOfWhatIsNoNumber) {
  expect_refused_tables(
      bad_data,
      {{"a,b,y\n1,2,0\n2,zz,1\n", "", "d.csv:3: column 2 (b): must be a number; got 'zz'"},
       {"a,b,y\n1,2,0\n2,inf,1\n", "", "d.csv:3: column 2 (b): must be a finite number; got 'inf'"},
       {"a,b,y\n1,2,0\n2,nan,1\n", "",
        "d.csv:3: column 2 (b): 1 value is missing; add it, or drop its row: --missing drop"},
       {"1,2,0\n2,,1\n", "",
        "d.csv:2: column 2: 1 value is missing; add it, or drop its row: --missing drop"},
       {"1 1:2\n0 1:x\n", "", "d.csv:2: index 1: must be a finite number; got 'x'"}});
}

TEST(BadData, RefusesOneClassAndMoreThanTwoWithoutAChoice) {
  expect_refused_tables(
      bad_data,
      {{"a,b,y\n1,2,0\n2,3,0\n", "", "d.csv: label y: must have two classes; got only 0"},
       {"a,b,y\n1,2,0\n2,1,1\n3,4,2\n", "",
        "d.csv: label y: has 3 classes (0, 1, 2); give --positive VALUE to choose one"},
       {three_rows, "--positive 3", "d.csv: label y: positive must be one of 0, 1; got '3'"}});
}

TEST(BadData, RefusesAConstantColumnByName) {
  const char* const constant = "a,b,y\n1,2,0\n2,2,1\n";
  expect_refused_tables(
      bad_data, {{constant, "", "d.csv: column b: is constant; drop it or use --scale none"},
                 {constant, "--scale standard",
                  "d.csv: column b: is constant; drop it or use --scale none"}});
  const Place place;
  place.write("d.csv", constant);
  succeed(place, "sample logistic --data d.csv --scale none --particles 8 --steps 2 --out out/m");
}

TEST(BadData, NamesAllThatIsInTheWayAndKeepsWhatIsDroppedAlready) {
  expect_refused_data("id,day,c,y\n7,2024-01-31,1,0\n8,2024-02-01,1,1\n", "--drop id", bad_data,
                      "d.csv: column 2 (day): 2 of 2 values are dates, the first '2024-01-31' in "
                      "line 2; column 3 (c): is constant. Fix the file (turn dates into numbers, "
                      "such as days or months), or drop columns: --drop 'id,day,c'");
}

TEST(BadData, RefusesALabelThatIsNotThere) {
  expect_refused_tables(
      bad_data, {{three_rows, "--label target", "d.csv: label 'target': is not a column"},
                 {three_rows, "--label 3", "d.csv: label: must be an index from -3 to 2; got 3"}});
}

TEST(BadData, RefusesSharesAndBatchesOfRowsThatCannotBe) {
  expect_refused_tables(
      usage,
      {{three_rows, "--holdout 1", "holdout: must be at least 0 and below 1; got 1"},
       {three_rows, "--holdout -0.1", "holdout: must be at least 0 and below 1; got -0.1"},
       {three_rows, "--holdout 0.9",
        "holdout: must be small enough to leave a row for training; got 0.9"},
       {three_rows, "--data-batch 7", "data-batch: must be at most the 3 rows for training; got 7"},
       {three_rows, "--scale minmix",
        "scale: must be one of minmax, standard, none; got 'minmix'; did you mean "
        "'minmax'?"},
       {three_rows, "--domain torus:1",
        "domain: the target logistic is not periodic; remove --domain"},
       {three_rows, "--start prior:2", "start: prior takes no settings; got 'prior:2'"}});
}

TEST(BadStart, RefusesAStartFileThatIsMissingOrNotNpy) {
  const Place place;
  expect_refused(place, "sample mixture --start s.npy --out out/m", input_missing,
                 "s.npy: no such file");
  place.write("s.npy", "1,2,3\n");
  const auto before = place.everything();
  const Ended ended = place.run("sample mixture --start s.npy --out out/m");
  EXPECT_EQ(ended.code, bad_data);
  EXPECT_TRUE(ended.err.starts_with("starling: s.npy: ")) << ended.err;
  EXPECT_EQ(lines_of(ended.err).size(), 1u) << ended.err;
  EXPECT_EQ(place.everything(), before);
}

TEST(BadStart, RefusesAStartFileOfTheWrongShape) {
  const Place place;
  io::write_npy(place.path("s.npy"), {{3, 2}, {1, 2, 3, 4, 5, 6}});
  expect_refused(place, "sample mixture --particles 3 --batch all --start s.npy --out out/m",
                 bad_data, "s.npy: must have shape 3 x 1 (particles x parameters); got 3 x 2");
  expect_refused(place, "sample banana --particles 4 --batch all --start s.npy --out out/m",
                 bad_data, "s.npy: must have shape 4 x 2 (particles x parameters); got 3 x 2");
  io::write_npy(place.path("s.npy"), {{6}, {1, 2, 3, 4, 5, 6}});
  expect_refused(place, "sample banana --particles 3 --batch all --start s.npy --out out/m",
                 bad_data, "s.npy: must have shape 3 x 2 (particles x parameters); got 6");
}

TEST(BadStart, NamesTheParticleThatIsNoNumber) {
  const Place place;
  io::write_npy(place.path("s.npy"), {{3, 2}, {1, 2, 3, 4, 5, NAN}});
  expect_refused(place, "sample banana --particles 3 --batch all --start s.npy --out out/m",
                 bad_data, "s.npy: particle 2, parameter 1: must be a finite number");
}

} // namespace
} // namespace starling::cli
