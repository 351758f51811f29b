// Tests of reading the draws of one or more runs from whatever holds them.
#include "io/errors.hpp"
#include "io/runs.hpp"
#include "io/zarr.hpp"
#include "scratch.hpp"

#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
namespace fs = std::filesystem;

const std::vector<Draws> two = {{{"lp__", "m[1,1]", "m[2,1]"}, 2, {-1, 1, 2, -2, 3, 4}},
                                {{"lp__", "m[1,1]", "m[2,1]"}, 2, {-3, 5, 6, -4, 7, 8}}};

void write_npz(const fs::path& file, std::span<const Draws> runs) {
  NpzWriter npz(file);
  add_runs(npz, runs);
  npz.close();
}

void expect_same(const std::vector<Draws>& a, const std::vector<Draws>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].names, b[k].names);
    EXPECT_EQ(a[k].rows, b[k].rows);
    EXPECT_EQ(a[k].values, b[k].values);
  }
}

TEST(Runs, AreReadFromEveryKindOfFile) {
  const Scratch scratch;
  const std::vector<Draws> one(two.begin(), two.begin() + 1);
  write_stan_csv(scratch.path("d.csv"), two[0], {});
  scratch.file("d.csv.gz", gzipped(bytes_of_file(scratch.path("d.csv"))));
  scratch.file("d.csv.xz", xz_packed(bytes_of_file(scratch.path("d.csv"))));
  write_npz(scratch.path("d.npz"), one);
  write_zarr(scratch.path("d.zarr"), one, {});
  for (const char* name : {"d.csv", "d.csv.gz", "d.csv.xz", "d.npz", "d.zarr"})
    expect_same(read_runs(scratch.path(name)), one);
  write_npz(scratch.path("two.npz"), two);
  write_zarr(scratch.path("two.zarr"), two, {});
  for (const char* name : {"two.npz", "two.zarr"})
    expect_same(read_runs(scratch.path(name)), two);
}

TEST(Runs, AreReadFromTheFolderOfARun) {
  const Scratch scratch;
  const fs::path folder = scratch.path("run");
  fs::create_directories(folder);
  EXPECT_EQ(error_text<InputMissing>(folder, [&] { read_runs(folder); }),
            "run/draws.csv: no such file");
  write_zarr(folder / "draws.zarr", two, {});
  expect_same(read_runs(folder), two);
  fs::remove_all(folder / "draws.zarr");
  write_stan_csv(folder / "draws-1.csv", two[0], {});
  write_stan_csv(folder / "draws-2.csv", two[1], {});
  expect_same(read_runs(folder), two);
  write_npz(folder / "draws.npz", {two.data(), 1});
  expect_same(read_runs(folder), {two[0]});
  fs::remove(folder / "draws.npz");
  write_stan_csv(folder / "draws-2.csv", {{"lp__", "x"}, 1, {0, 1}}, {});
  EXPECT_EQ(error_text<BadData>(folder, [&] { read_runs(folder); }),
            "run/draws-2.csv: must have the same columns and as many draws as draws-1.csv");
}

TEST(Runs, HaveNoDensityWhereThereIsNone) {
  const Scratch scratch;
  const std::vector<Draws> bare = {{{"a", "b"}, 1, {1, 2}}};
  write_npz(scratch.path("d.npz"), bare);
  EXPECT_EQ(read_npz(scratch.path("d.npz")).count("log_density"), 0U);
  expect_same(read_runs(scratch.path("d.npz")), bare);
}

TEST(Runs, InAnNpzHaveTheShapeOfTheirNumber) {
  const Scratch scratch;
  write_npz(scratch.path("d.npz"), two);
  EXPECT_EQ(read_npz(scratch.path("d.npz")).at("draws").shape, (std::vector<std::size_t>{2, 2, 2}));
  EXPECT_EQ(read_npz(scratch.path("d.npz")).at("log_density").values, (Numbers{-1, -2, -3, -4}));
  write_npz(scratch.path("d.npz"), {two.data(), 1});
  EXPECT_EQ(read_npz(scratch.path("d.npz")).at("draws").shape, (std::vector<std::size_t>{2, 2}));
}

// More numbers than are handed over together, and the same bytes as all of them at once.
TEST(Runs, InAnNpzAreWrittenSomeAtATime) {
  const Scratch scratch;
  constexpr std::size_t rows = 50'000;
  std::vector<Draws> runs(2, {{"lp__", "a", "b", "c"}, rows, {}});
  Numbers draws, density;
  for (Draws& run : runs)
    for (std::size_t n = 0; n < 4 * rows; ++n) {
      run.values.push_back(std::sqrt(double(n)) + double(&run - runs.data()));
      (n % 4 == 0 ? density : draws).push_back(run.values.back());
    }
  write_npz(scratch.path("some.npz"), runs);
  NpzWriter at_once(scratch.path("all.npz"));
  at_once.add("draws", draws, {2, rows, 3});
  at_once.add("log_density", density, {2, rows});
  at_once.add("names", Names{"a", "b", "c"});
  at_once.close();
  EXPECT_EQ(bytes_of_file(scratch.path("some.npz")), bytes_of_file(scratch.path("all.npz")));
  expect_same(read_runs(scratch.path("some.npz")), runs);
}

TEST(Runs, InAnNpzMustFitTheirNames) {
  const Scratch scratch;
  const fs::path file = scratch.path("d.npz");
  using Sizes = NpzWriter::Shape;
  const auto refusal = [&](const Sizes& draws, const Sizes& density, const Names& names) {
    NpzWriter npz(file);
    npz.add("draws", Numbers(4, 1.0), draws);
    npz.add("log_density", Numbers(2, 1.0), density);
    if (!names.empty())
      npz.add("names", names);
    npz.close();
    return error_text<BadData>(file, [&] { read_runs(file); });
  };
  EXPECT_EQ(refusal({2, 2}, {2}, {"a", "b"}), "no error");
  EXPECT_EQ(refusal({1, 2, 2}, {1, 2}, {"a", "b"}), "no error");
  EXPECT_EQ(refusal({2, 2}, {2}, {}), "d.npz: must have the arrays draws and names");
  EXPECT_EQ(refusal({2, 2}, {2}, {"a"}),
            "d.npz: draws: must have shape [runs x] draws x 1 names; got 2 x 2");
  EXPECT_EQ(refusal({4}, {2}, {"a"}),
            "d.npz: draws: must have shape [runs x] draws x 1 names; got 4");
  EXPECT_EQ(refusal({4, 1}, {2}, {"a"}),
            "d.npz: log_density: must have a number for each draw; got 2");
}

} // namespace
} // namespace starling::io
