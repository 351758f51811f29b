// Tests of NumPy's files: what is written reads back, what NumPy writes is read, the rest is
// refused.
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "scratch.hpp"

#include <cstring>
#include <limits>

namespace starling::io {
namespace {

using namespace std::string_literals;
using Numbers = std::vector<double>;
using Shape = std::vector<std::size_t>;

template <class Value>
std::string raw(std::initializer_list<Value> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(Value)};
}

/// An .npy as the format's description has it, with the header's length in 2 or 4 bytes.
std::string npy(int version, const std::string& dictionary, const std::string& data) {
  const std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  bytes += static_cast<char>(header.size());
  bytes += version == 1 ? "\0"s : "\0\0\0"s;
  return bytes + header + data;
}

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

TEST(Npy, ReadsBackWhatItWrote) {
  const Scratch scratch;
  const auto file = scratch.path("a.npy");
  const Array array{{2, 3}, {1, -2.5, 1e300, 5e-324, std::numeric_limits<double>::infinity(), 0.1}};
  write_npy(file, array);
  const Array back = read_npy(file);
  EXPECT_EQ(back.shape, array.shape);
  EXPECT_EQ(back.values, array.values);
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}}) {
    write_npy(file, {shape, {4}});
    EXPECT_EQ(read_npy(file).shape, shape);
  }
  write_npy(file, {{0, 3}, {}});
  EXPECT_EQ(read_npy(file).shape, (Shape{0, 3}));
}

TEST(Npy, StartsItsDataAtAMultipleOf64) {
  const Scratch scratch;
  for (std::size_t columns : {1U, 10U, 1000U, 100000U}) {
    write_npy(scratch.path("a.npy"), {{1, columns}, Numbers(columns, 1.0)});
    EXPECT_EQ((bytes_of_file(scratch.path("a.npy")).size() - 8 * columns) % 64, 0U);
  }
}

TEST(Npy, ReadsEveryVersionAndType) {
  const Scratch scratch;
  const auto values = [&](const std::string& bytes) {
    return read_npy(scratch.file("a.npy", bytes)).values;
  };
  for (const int version : {1, 2, 3})
    EXPECT_EQ(values(npy(version, dictionary("<f8", "(2,)"), raw({1.5, -2.0}))),
              (Numbers{1.5, -2}));
  EXPECT_EQ(values(npy(1, dictionary("<f4", "(2,)"), raw({1.5F, -2.0F}))), (Numbers{1.5, -2}));
  EXPECT_EQ(values(npy(1, dictionary("<i4", "(2, )"), raw({std::int32_t{7}, std::int32_t{-8}}))),
            (Numbers{7, -8}));
  EXPECT_EQ(
      values(npy(1, dictionary("<i8", "(1,2)"), raw({std::int64_t{1} << 40, std::int64_t{-3}}))),
      (Numbers{1099511627776.0, -3}));
  EXPECT_EQ(values(npy(1, "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<u8\"}",
                       raw({std::uint64_t{9}}))),
            (Numbers{9}));
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  const Scratch scratch;
  const Array array = read_npy(scratch.file(
      "a.npy", npy(1, dictionary("<f8", "(2, 3)", "True"), raw({1.0, 4.0, 2.0, 5.0, 3.0, 6.0}))));
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(array.values, (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ReadsThreeDimensionsInBothOrders) {
  const Scratch scratch;
  const std::string rows = raw({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0});
  // The value at [i,j,k] is 1 + 6i + 2j + k; in Fortran order i runs fastest, then j.
  const std::string columns = raw({1.0, 7.0, 3.0, 9.0, 5.0, 11.0, 2.0, 8.0, 4.0, 10.0, 6.0, 12.0});
  const Array by_rows =
      read_npy(scratch.file("a.npy", npy(1, dictionary("<f8", "(2, 3, 2)"), rows)));
  const Array by_columns =
      read_npy(scratch.file("b.npy", npy(1, dictionary("<f8", "(2, 3, 2)", "True"), columns)));
  EXPECT_EQ(by_rows.shape, (Shape{2, 3, 2}));
  EXPECT_EQ(by_columns.shape, by_rows.shape);
  EXPECT_EQ(by_rows.values, (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(by_columns.values, by_rows.values);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const Scratch scratch;
  const auto refusal = [&](const std::string& bytes) {
    const auto file = scratch.file("a.npy", bytes);
    return error_text<BadData>(file, [&] { read_npy(file); });
  };
  const std::string two = raw({1.0, 2.0});
  EXPECT_EQ(refusal("1,2,3\n"), "a.npy: npy: must start with NumPy's signature; got '1,2,3?'");
  EXPECT_EQ(refusal(npy(4, dictionary("<f8", "(2,)"), two)),
            "a.npy: npy: version: must be 1, 2 or 3; got 4");
  EXPECT_EQ(refusal(npy(1, dictionary(">f2", "(2,)"), two)),
            "a.npy: npy: type: must be f8, f4, i8, i4, u8 or u4, behind < or >; got '>f2'");
  EXPECT_EQ(
      refusal(npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", two)),
      "a.npy: npy: type: must be f8, f4, i8, i4, u8 or u4, behind < or >; got ''");
  EXPECT_EQ(refusal(npy(1, dictionary("<f8", "(-2,)"), two)),
            "a.npy: npy: must have a shape; got '(-2,)'");
  EXPECT_EQ(refusal(npy(1, dictionary("<f8", "(3,)"), two)),
            "a.npy: npy: is cut short: must have 3 values; got 2");
  EXPECT_EQ(refusal(npy(1, dictionary("<f8", "(4294967296, 4294967296)"), two)),
            "a.npy: npy: has a shape beyond this machine");
  EXPECT_EQ(refusal(npy(1, "{'descr': '<f8', 'shape': (2,)}", two)),
            "a.npy: npy: must name 'fortran_order' in its header");
  EXPECT_EQ(refusal(npy(1, dictionary("<f8", "(2,)"), two).substr(0, 30)),
            "a.npy: npy: is cut short");
  EXPECT_EQ(refusal("\x93NUMPY"), "a.npy: npy: is cut short");
}

TEST(Npy, RefusesAShapeThatDoesNotFit) {
  const Scratch scratch;
  EXPECT_THROW(write_npy(scratch.path("a.npy"), {{2, 2}, {1, 2, 3}}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("a.npy")));
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("no"),
                                    [&] {
                                      write_npy(scratch.path("no/a.npy"), {{1}, {1}});
                                    }),
            "no/a.npy: cannot write: no such folder");
}

class Npz : public testing::TestWithParam<NpzWriter::Packing> {
protected:
  void write(const std::filesystem::path& file) const {
    NpzWriter out(file, GetParam());
    out.add("draws", draws_, {500, 2});
    out.add("single", std::vector<float>{1.5F, -2.0F}, {2});
    out.add("seed", std::vector<std::uint64_t>{7}, {});
    out.add("names", std::vector<std::string>{"lp__", "theta.1",
                                              "gr\xc3\xb6\xc3\x9f"
                                              "e"});
    out.add("none", std::span<const double>(), {0, 2});
    out.close();
  }
  const Scratch scratch_;
  const Numbers draws_ = Numbers(1000, 0.25);
};

TEST_P(Npz, ReadsBackTheNumbersAndPassesOverStrings) {
  const auto file = scratch_.path("a.npz");
  write(file);
  const auto arrays = read_npz(file);
  EXPECT_EQ(arrays.size(), 4U);
  EXPECT_EQ(arrays.at("draws").shape, (Shape{500, 2}));
  EXPECT_EQ(arrays.at("draws").values, draws_);
  EXPECT_EQ(arrays.at("single").values, (Numbers{1.5, -2}));
  EXPECT_EQ(arrays.at("seed").values, (Numbers{7}));
  EXPECT_EQ(arrays.at("seed").shape, Shape{});
  EXPECT_EQ(arrays.at("none").shape, (Shape{0, 2}));
}

TEST_P(Npz, GivesTheStringsToWhoAsksForThem) {
  const auto file = scratch_.path("a.npz");
  write(file);
  std::map<std::string, Texts> texts;
  EXPECT_EQ(read_npz(file, &texts).size(), 4U);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts.at("names"), (Texts{"lp__", "theta.1",
                                      "gr\xc3\xb6\xc3\x9f"
                                      "e"}));
}

TEST_P(Npz, WritesTheSameBytesEveryTime) {
  write(scratch_.path("a.npz"));
  write(scratch_.path("b.npz"));
  EXPECT_EQ(bytes_of_file(scratch_.path("a.npz")), bytes_of_file(scratch_.path("b.npz")));
}

TEST_P(Npz, RefusesEveryCutAndEveryFlippedByteOfTheData) {
  const auto file = scratch_.path("a.npz");
  NpzWriter(file, GetParam()).add("x", Numbers{1, 2, 3}, {3});
  const std::string bytes = bytes_of_file(file);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    scratch_.file("a.npz", std::string_view(bytes).substr(0, size));
    EXPECT_THROW(read_npz(file), BadData) << size;
  }
  const std::size_t directory = bytes.find("PK\x01\x02");
  for (std::size_t i = 30 + std::strlen("x.npy"); i < directory; ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 0x10;
    scratch_.file("a.npz", damaged);
    EXPECT_THROW(read_npz(file), BadData) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Packing, Npz,
                         testing::Values(NpzWriter::Packing::stored, NpzWriter::Packing::deflated),
                         [](const auto& packing) {
                           return packing.param == NpzWriter::Packing::stored ? "Stored"
                                                                              : "Deflated";
                         });

TEST(NpzWriter, HoldsStringsAsCodePoints) {
  const Scratch scratch;
  NpzWriter(scratch.path("a.npz"))
      .add("names", std::vector<std::string>{"theta.1", "gr\xc3\xb6\xc3\x9f"
                                                        "e"});
  const std::string bytes = bytes_of_file(scratch.path("a.npz"));
  EXPECT_NE(bytes.find("'<U7'"), std::string::npos);
  EXPECT_NE(bytes.find("g\0\0\0r\0\0\0\xf6\0\0\0\xdf\0\0\0e\0\0\0\0\0\0\0\0\0\0\0"s),
            std::string::npos);
}

TEST(NpzWriter, DeflatesWhenAsked) {
  const Scratch scratch;
  const Numbers zeros(10000, 0.0);
  NpzWriter(scratch.path("a.npz")).add("x", zeros, {10000});
  NpzWriter(scratch.path("b.npz"), NpzWriter::Packing::deflated).add("x", zeros, {10000});
  EXPECT_GT(std::filesystem::file_size(scratch.path("a.npz")), 80000U);
  EXPECT_LT(std::filesystem::file_size(scratch.path("b.npz")), 1000U);
}

TEST(NpzWriter, RefusesANameTwiceAndAWrongShape) {
  const Scratch scratch;
  NpzWriter out(scratch.path("a.npz"));
  out.add("x", Numbers{1}, {1});
  EXPECT_THROW(out.add("x", Numbers{1}, {1}), std::invalid_argument);
  EXPECT_THROW(out.add("y", Numbers{1}, {2}), std::invalid_argument);
}

TEST(NpzReader, ReadsBackStringsOfEveryLengthInUtf8) {
  const Scratch scratch;
  const Texts texts = {"", "a", "\xc2\xb5", "\xe2\x82\xac", "\xf0\x9f\x90\xa6 flies"};
  NpzWriter(scratch.path("a.npz")).add("t", texts);
  std::map<std::string, Texts> back;
  read_npz(scratch.path("a.npz"), &back);
  EXPECT_EQ(back.at("t"), texts);
}

TEST(NpzReader, SaysWhenAFileIsNoArchive) {
  const Scratch scratch;
  const auto file = scratch.file("a.npz", "hello");
  EXPECT_EQ(error_text<BadData>(file, [&] { read_npz(file); }),
            "a.npz: npz: must be a zip archive");
  EXPECT_THROW(read_npz(scratch.path("b.npz")), InputMissing);
}

} // namespace
} // namespace starling::io
