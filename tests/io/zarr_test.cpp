// Tests of Zarr folders: names become arrays, every bit comes back, and damage is named.
#include "io/errors.hpp"
#include "io/text.hpp"
#include "io/zarr.hpp"
#include "io/zarr_layout.hpp"
#include "scratch.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;
using Shape = std::vector<std::size_t>;
namespace fs = std::filesystem;

/// Values that differ everywhere: run * 1000 + row * 100 + column.
std::vector<Draws> runs_of(const Names& names, std::size_t runs, std::size_t rows) {
  std::vector<Draws> all;
  for (std::size_t k = 0; k < runs; ++k) {
    Draws draws{names, rows, {}};
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < names.size(); ++column)
        draws.values.push_back(static_cast<double>(1000 * k + 100 * row + column));
    all.push_back(std::move(draws));
  }
  return all;
}

std::vector<double> numbers_in(const fs::path& file) {
  const std::string bytes = bytes_of_file(file);
  std::vector<double> numbers(bytes.size() / 8);
  std::memcpy(numbers.data(), bytes.data(), 8 * numbers.size());
  return numbers;
}

std::map<std::string, std::string> everything_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = bytes_of_file(entry.path());
  return files;
}

void expect_same_bits(const std::vector<Draws>& a, const std::vector<Draws>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].names, b[k].names);
    EXPECT_EQ(a[k].rows, b[k].rows);
    ASSERT_EQ(a[k].values.size(), b[k].values.size());
    EXPECT_EQ(std::memcmp(a[k].values.data(), b[k].values.data(), 8 * a[k].values.size()), 0);
  }
}

TEST(Zarr, ReadsBackEveryBitAndEveryName) {
  const Scratch scratch;
  const Names names = {"lp__", "theta[1,1]",   "theta[2,1]", "theta[1,2]",   "theta[2,2]",
                       "mu",   "w[Soil type]", "odd[2]",     "accept_stat__"};
  auto runs = runs_of(names, 2, 3);
  const double infinity = std::numeric_limits<double>::infinity();
  runs[1].values = {-0.0,  5e-324, 0.1, -infinity, infinity, std::nan("7"),
                    1e300, 1,      2,   3,         4,        5,
                    6,     7,      8,   9,         1,        2,
                    3,     4,      5,   6,         7,        8,
                    9,     1,      2};
  write_zarr(scratch.path("d.zarr"), runs, Json::object());
  expect_same_bits(read_zarr(scratch.path("d.zarr")), runs);
}

TEST(Zarr, WritesTheSameBytesEveryTime) {
  const Scratch scratch;
  const auto runs = runs_of({"lp__", "x[1]", "x[2]"}, 2, 3);
  write_zarr(scratch.path("a.zarr"), runs, {{"num_particles", 3}});
  write_zarr(scratch.path("b.zarr"), runs, {{"num_particles", 3}});
  EXPECT_EQ(everything_in(scratch.path("a.zarr")), everything_in(scratch.path("b.zarr")));
}

TEST(Zarr, PutsStansColumnsIntoRowsOfAnArray) {
  const Scratch scratch;
  // Stan's order: the first index runs fastest.
  write_zarr(scratch.path("d"),
             runs_of({"lp__", "m[1,1]", "m[2,1]", "m[1,2]", "m[2,2]", "m[1,3]", "m[2,3]"}, 1, 2),
             {});
  EXPECT_EQ(numbers_in(scratch.path("d/posterior/m/0.0.0.0")),
            (std::vector<double>{1, 3, 5, 2, 4, 6, 101, 103, 105, 102, 104, 106}));
  EXPECT_EQ(numbers_in(scratch.path("d/sample_stats/lp/0.0")), (std::vector<double>{0, 100}));
}

TEST(Zarr, DescribesEveryArrayAsArvizDoes) {
  const Scratch scratch;
  write_zarr(scratch.path("d"), runs_of({"lp__", "x[1]", "x[2]"}, 3, 5), {{"num_particles", 5}});
  const Json all = Json::parse(read_text(scratch.path("d/.zmetadata")));
  EXPECT_EQ(all.at("zarr_consolidated_format"), 1);
  const Json& metadata = all.at("metadata");
  for (const auto& [name, text] : everything_in(scratch.path("d"))) {
    if (name != ".zmetadata" && name.find(".z") != name.npos) {
      EXPECT_EQ(metadata.at(name), Json::parse(text)) << name;
    }
  }
  const Json& x = metadata.at("posterior/x/.zarray");
  EXPECT_EQ(x.at("shape"), Json({3, 5, 2}));
  EXPECT_EQ(x.at("chunks"), Json({1, 5, 2}));
  EXPECT_EQ(x.at("dtype"), "<f8");
  EXPECT_EQ(x.at("compressor"), nullptr);
  EXPECT_EQ(metadata.at("posterior/x/.zattrs").at("_ARRAY_DIMENSIONS"),
            Json({"chain", "draw", "x_dim_0"}));
  EXPECT_EQ(metadata.at("posterior/chain/.zarray").at("shape"), Json({3}));
  EXPECT_EQ(metadata.at("posterior/x_dim_0/.zattrs").at("_ARRAY_DIMENSIONS"), Json({"x_dim_0"}));
  EXPECT_EQ(bytes_of_file(scratch.path("d/posterior/x_dim_0/0")),
            std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16)); // the names' own indices
  for (const char* group : {".zattrs", "posterior/.zattrs", "sample_stats/.zattrs"}) {
    EXPECT_EQ(metadata.at(group).at("inference_library"), "starling");
    EXPECT_EQ(metadata.at(group).at("num_particles"), 5);
  }
}

std::string shown(const Names& names) {
  std::string text;
  for (const ZarrVariable& v : zarr_layout(names)) {
    text += v.path();
    for (const std::size_t extent : v.shape)
      text += " " + std::to_string(extent);
    text += ";";
  }
  return text;
}

TEST(ZarrLayout, MakesOneArrayOfNamesThatFillABox) {
  EXPECT_EQ(shown({"a"}), "posterior/a;");
  EXPECT_EQ(shown({"lp__", "a[1]"}), "sample_stats/lp;posterior/a 1;");
  EXPECT_EQ(shown({"a[1,1]", "a[2,1]", "b"}), "posterior/a 2 1;posterior/b;");
  EXPECT_EQ(shown({"a[1]", "b", "a[2]"}), "posterior/a 2;posterior/b;");
  EXPECT_EQ(shown({"a[2]", "a[1]"}), "posterior/a 2;");
  EXPECT_EQ(zarr_layout({"a[2]", "a[1]"})[0].columns, (Shape{1, 0}));
}

TEST(ZarrLayout, LeavesOthersApart) {
  EXPECT_EQ(shown({"a[1]", "a[3]"}), "posterior/a[1];posterior/a[3];");
  EXPECT_EQ(shown({"a.1", "a.2"}),
            "posterior/a.1;posterior/a.2;"); // Stan's spelling is no index here
  EXPECT_EQ(shown({"a[2]"}), "posterior/a[2];");
  EXPECT_EQ(shown({"a", "a[1]"}), "posterior/a;posterior/a[1];");
  EXPECT_EQ(shown({"a[1]", "a[1,1]"}), "posterior/a[1];posterior/a[1,1];");
  EXPECT_EQ(shown({"a[1,1]", "a[2,2]"}), "posterior/a[1,1];posterior/a[2,2];");
  EXPECT_EQ(shown({"a[99999999999999999999]"}), "posterior/a[99999999999999999999];");
  EXPECT_EQ(shown({"a[4294967297,4294967297]"}), "posterior/a[4294967297,4294967297];");
  EXPECT_EQ(shown({"w[Soil type]", "../up"}), "posterior/w[Soil type];posterior/x.._up;");
}

TEST(ZarrLayout, CountsFromWhereTheNamesDo) {
  EXPECT_EQ(shown({"b[0]", "b[1]", "b[2]"}), "posterior/b 3;");
  EXPECT_EQ(zarr_layout({"b[0]", "b[1]", "b[2]"})[0].first, Shape{0});
  EXPECT_EQ(zarr_layout({"b[0,1]", "b[0,2]"})[0].first, (Shape{0, 1}));
  EXPECT_EQ(shown({"b[0]", "b[2]"}), "posterior/b[0];posterior/b[2];");
  EXPECT_EQ(shown({"b[01]", "b[1]"}), "posterior/b[01];posterior/b 1;");
}

TEST(Zarr, LabelsADimensionWithTheIndicesOfItsNames) {
  const Scratch scratch;
  write_zarr(scratch.path("d"), runs_of({"b[0]", "b[1]", "c[1]"}, 1, 2), {});
  EXPECT_EQ(bytes_of_file(scratch.path("d/posterior/b_dim_0/0"))[0], '\0');
  EXPECT_EQ(bytes_of_file(scratch.path("d/posterior/b_dim_0/0"))[8], '\1');
  EXPECT_EQ(bytes_of_file(scratch.path("d/posterior/c_dim_0/0"))[0], '\1');
}

TEST(Zarr, TakesTextsThatAreNotUtf8) {
  const Scratch scratch;
  Json attributes;
  attributes["data"] = std::string("gr\xfc\xdf"
                                   "e.csv");
  write_zarr(scratch.path("d"),
             runs_of({"w[Gr\xf6\xdf"
                      "e]",
                      "a/b"},
                     1, 2),
             attributes);
  EXPECT_EQ(read_zarr(scratch.path("d"))[0].names, (Names{"w[Größe]", "a/b"}));
  EXPECT_EQ(Json::parse(read_text(scratch.path("d/.zattrs"))).at("data"), "grüße.csv");
  EXPECT_TRUE(fs::exists(scratch.path("d/posterior/a_b/0.0")));
}

TEST(ZarrLayout, KeepsVariablesOffTheNamesOfDimensions) {
  EXPECT_EQ(
      shown({"chain", "draw[1]", "a_dim_0", "a[1]", "chain_"}),
      "posterior/chain_;posterior/draw_ 1;posterior/a_dim_0_;posterior/a 1;posterior/chain__;");
  EXPECT_EQ(shown({"dim_0", "a_dim_"}), "posterior/dim_0;posterior/a_dim_;");
}

TEST(Zarr, RefusesDrawsThatDoNotFit) {
  const Scratch scratch;
  const auto refused = [&](std::vector<Draws> runs) {
    EXPECT_THROW(write_zarr(scratch.path("d"), runs, {}), std::invalid_argument);
    EXPECT_FALSE(fs::exists(scratch.path("d")));
  };
  refused({});
  refused({{{}, 1, {}}});
  refused({{{"a"}, 0, {}}});
  refused({{{"a"}, 2, {1}}});
  refused({{{"a[1]", "a[1]"}, 1, {1, 2}}});
  refused({{{"a"}, 1, {1}}, {{"b"}, 1, {1}}});
  refused({{{"a"}, 1, {1}}, {{"a"}, 2, {1, 2}}});
  EXPECT_THROW(write_zarr("/proc/no/d.zarr", runs_of({"a"}, 1, 1), {}), CannotWrite);
}

TEST(Zarr, NamesTheFileThatIsWrong) {
  const Scratch scratch;
  const fs::path folder = scratch.path("d");
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    fs::remove_all(folder);
    write_zarr(folder, runs_of({"lp__", "x[1]", "x[2]"}, 2, 3), {});
    scratch.file("d/" + name, bytes);
    return error_text<BadData>(folder, [&] { read_zarr(folder); });
  };
  EXPECT_EQ(refusal(".zattrs", "{"), "d/.zattrs: must be JSON");
  EXPECT_EQ(refusal(".zattrs", "{}"),
            "d: zarr: was not written by starling: there is no column_names");
  EXPECT_EQ(refusal(".zattrs", R"({"column_names": []})"),
            "d: zarr: must name its columns; got no column_names");
  EXPECT_EQ(refusal(".zattrs", R"({"column_names": ["a", "a"]})"),
            "d: draws: must be named differently in each column; got a twice");
  EXPECT_EQ(refusal("zarr.json", "{}"), "d: zarr: format: must be 2, as starling writes it; got 3");
  EXPECT_EQ(refusal("sample_stats/lp/.zarray", R"({"shape": [0, 3]})"),
            "d/sample_stats/lp/.zarray: zarr: must have a shape of chains and draws");
  EXPECT_EQ(refusal("posterior/x/.zarray", "[]"),
            "d/posterior/x/.zarray: zarr: must have the array as starling writes it: <f8, not "
            "compressed, one chunk for each chain");
  EXPECT_EQ(refusal("posterior/x/1.0.0", std::string(40, 'x')),
            "d/posterior/x/1.0.0: zarr: must have 3 x 2 numbers; got 40 bytes");
  fs::remove(folder / "posterior/x/1.0.0");
  EXPECT_EQ(error_text<InputMissing>(folder, [&] { read_zarr(folder); }),
            "d/posterior/x/1.0.0: no such file");
  EXPECT_EQ(error_text<InputMissing>(folder, [&] { read_zarr(scratch.path("none")); }),
            "none: no such file");
}

} // namespace
} // namespace starling::io
