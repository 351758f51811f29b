// starling convert: draws from one kind of file to another and back, nothing lost, nothing
// overwritten.
#include "io/scratch.hpp"
#include "results.hpp"

namespace starling::cli {
namespace {

/// The lines of a Stan CSV that hold names and numbers.
std::string table_of(const std::string& csv) {
  std::string kept;
  for (const std::string& line : lines_of(csv))
    if (!line.starts_with("#"))
      kept += line + "\n";
  return kept;
}

const std::string csv = "# a comment\nlp__,m.1.1,m.2.1,m.1.2,m.2.2,sigma,odd.1\n"
                        "-1.5,0.1,-0,1e-300,5e-324,inf,0.30000000000000004\n"
                        "-inf,nan,1,2,3,4,5\n";
const std::string other = "lp__,m.1.1,m.2.1,m.1.2,m.2.2,sigma,odd.1\n"
                          "1,2,3,4,5,6,7\n8,9,10,11,12,13,14\n";

TEST(Convert, GoesRoundAllKindsAndLosesNothing) {
  const Place place;
  place.write("a.csv", csv);
  EXPECT_EQ(succeed(place, "convert a.csv b.npz"), "");
  succeed(place, "convert b.npz c.zarr");
  succeed(place, "convert c.zarr d.csv");
  EXPECT_EQ(table_of(place.read("d.csv")), table_of(csv));
  succeed(place, "convert c.zarr e.npz");
  EXPECT_EQ(place.read("e.npz"), place.read("b.npz"));
  succeed(place, "convert a.csv f.zarr");
  for (const char* file : {".zmetadata", ".zattrs", "posterior/m/0.0.0.0", "sample_stats/lp/0.0"})
    EXPECT_EQ(place.read(std::string("f.zarr/") + file), place.read(std::string("c.zarr/") + file));
}

TEST(Convert, ReadsPackedFilesAndFoldersOfRuns) {
  const Place place;
  place.write("a.csv.gz", io::gzipped(csv));
  place.write("a.csv.xz", io::xz_packed(csv));
  succeed(place, "convert a.csv.gz gz.npz");
  succeed(place, "convert a.csv.xz deep/er/xz.npz");
  EXPECT_EQ(place.read("gz.npz"), place.read("deep/er/xz.npz"));
  succeed(place, "sample normal --dim 3 --particles 20 --steps 5 --quiet --out out/m");
  succeed(place, "convert out/m again.npz");
  EXPECT_EQ(place.read("again.npz"), place.read("out/m/draws.npz"));
  succeed(place, "convert out/m/draws.csv from-csv.npz");
  EXPECT_EQ(place.read("from-csv.npz"), place.read("out/m/draws.npz"));
  succeed(place, "convert out/m z.zarr/");
  succeed(place, "convert z.zarr/ again.csv");
  EXPECT_EQ(table_of(place.read("again.csv")), table_of(place.read("out/m/draws.csv")));
}

TEST(Convert, KeepsSeveralRunsApart) {
  const Place place;
  place.write("runs/draws-1.csv", csv);
  place.write("runs/draws-2.csv", other);
  succeed(place, "convert runs a.npz");
  succeed(place, "convert a.npz b.zarr");
  succeed(place, "convert b.zarr out/c.csv");
  EXPECT_FALSE(place.has("out/c.csv"));
  EXPECT_FALSE(place.has("out/c-3.csv"));
  EXPECT_EQ(table_of(place.read("out/c-1.csv")), table_of(csv));
  EXPECT_EQ(table_of(place.read("out/c-2.csv")), table_of(other));
  EXPECT_NE(place.read("out/c-2.csv").find("\n# id = 2\n"), std::string::npos);
}

TEST(Convert, OverwritesOnlyByForce) {
  const Place place;
  place.write("a.csv", csv);
  place.write("runs/draws-1.csv", csv);
  place.write("runs/draws-2.csv", other);
  place.write("t.csv", "mine");
  place.write("t-2.csv", "mine");
  place.write("t.npz", "mine");
  place.write("t.zarr/mine", "mine");
  place.write("file.zarr", "mine");
  place.write("folder.npz/mine", "mine");
  const std::string choose = ": exists; choose another name or add --force";
  for (const char* to : {"t.csv", "t.npz", "t.zarr"})
    expect_refused(place, std::string("convert a.csv ") + to, 73, to + choose);
  expect_refused(place, "convert runs t.csv", 73, "t-2.csv" + choose);
  expect_refused(place, "convert a.csv t.zarr --force", 73,
                 "t.zarr: exists and is not a Zarr folder; choose another name");
  expect_refused(place, "convert a.csv file.zarr --force", 73,
                 "file.zarr: exists and is not a folder; choose another name");
  expect_refused(place, "convert a.csv folder.npz --force", 73,
                 "folder.npz: exists and is a folder; choose another name");
  const std::string stranger =
      ": exists, and starling did not write it; move it away or choose another name";
  for (const char* to : {"t.csv", "t.npz", "a.csv"})
    expect_refused(place, std::string("convert a.csv --force ") + to, 73, to + stranger);
  expect_refused(place, "convert runs t.csv --force", 73, "t-2.csv" + stranger);
  succeed(place, "convert a.csv own.csv");
  succeed(place, "convert runs/draws-2.csv own.csv --force");
  EXPECT_EQ(table_of(place.read("own.csv")), table_of(other));
  succeed(place, "convert runs own.csv");
  succeed(place, "convert runs own.csv --force");
  EXPECT_EQ(table_of(place.read("own-2.csv")), table_of(other));
  succeed(place, "convert a.csv own.npz");
  succeed(place, "convert runs own.npz --force");
  fs::create_symlink(place.path("own.csv"), place.path("link.csv"));
  expect_refused(place, "convert a.csv link.csv --force", 73,
                 "link.csv: is a link, which --force does not follow; choose another name");
  succeed(place, "convert a.csv new.zarr");
  succeed(place, "convert runs new.zarr --force");
  EXPECT_TRUE(place.has("new.zarr/posterior/m/1.0.0.0"));
  succeed(place, "convert new.zarr new.zarr --force"); // read whole before it is replaced
  EXPECT_TRUE(place.has("new.zarr/posterior/m/1.0.0.0"));
}

// SECURITY.md: nothing is replaced without --force, and with it only what a run wrote.
TEST(Convert, ReplacesFilesOfARunByTheMarkOfTheirFolder) {
  const Place place;
  succeed(place, "sample normal --particles 8 --steps 3 --quiet --out m");
  place.write("m/notes.csv", csv);
  expect_refused(place, "convert m m/notes.csv --force", 73,
                 "m/notes.csv: exists, and starling did not write it; move it away or choose "
                 "another name");
  succeed(place, "convert m m/draws.csv --force");
}

TEST(Convert, RefusesInOneLineAndLeavesNothing) {
  const Place place;
  place.write("a.csv", csv);
  place.write("bad.csv", "lp__,a\n1,x\n");
  place.write("bad.npz", "hello");
  place.write("same.csv", "lp__,a.1,a.1\n1,2,3\n");
  place.write("other.zarr/.zgroup", "{}");
  place.write("other.zarr/.zattrs", "{}");
  place.write("empty/x", "");
  place.write("file", "");
  expect_refused(place, "convert", 64, "FROM: must be given; see starling convert --help");
  expect_refused(place, "convert a.csv", 64, "TO: must be given; see starling convert --help");
  expect_refused(place, "convert a.csv b.txt", 64,
                 "TO: must be a name that ends in .csv, .npz or .zarr; got 'b.txt'");
  expect_refused(place, "convert a.csv b.csv.gz", 64,
                 "TO: must be a name that ends in .csv, .npz or .zarr; got 'b.csv.gz'");
  expect_refused(place, "convert none.csv b.npz", 66, "none.csv: no such file");
  expect_refused(place, "convert empty b.npz", 66, "empty/draws.csv: no such file");
  expect_refused(place, "convert bad.csv b.npz", 65,
                 "bad.csv:2: column 2 (a): must be a number; got 'x'");
  expect_refused(place, "convert bad.npz b.csv", 65, "bad.npz: npz: must be a zip archive");
  expect_refused(place, "convert other.zarr b.csv", 65,
                 "other.zarr: zarr: was not written by starling: there is no column_names");
  expect_refused(place, "convert same.csv b.zarr", 65,
                 "same.csv: draws: must be named differently in each column; got a[1] twice");
  expect_refused(place, "convert a.csv file/b.npz", 73,
                 "file: cannot write: a part of the path is not a folder");
}

} // namespace
} // namespace starling::cli
