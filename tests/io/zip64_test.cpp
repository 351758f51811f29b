// Tests of archives beyond the numbers of a plain zip: written with a small limit, and made by
// hand.
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <vector>

namespace starling::io {
namespace {

using namespace std::string_literals;
using Numbers = std::vector<double>;

constexpr std::uint64_t usual = 0xfffffffe;

void write_two(const std::filesystem::path& file, std::uint64_t plain_up_to,
               NpzWriter::Packing packing = NpzWriter::Packing::stored) {
  NpzWriter npz(file, packing, plain_up_to);
  npz.add("a", Numbers{1, 2, 3}, {3});
  npz.add("b", Numbers(1000, 7.0), {10, 100});
  npz.add("names", std::vector<std::string>{"x", "yz"});
  npz.close();
}

// 300: sizes are large from the second on, places from the second on; 9000: the directory's place.
TEST(Zip64, ReadsBackWhatItWroteWhereverTheLimitIs) {
  const Scratch scratch;
  for (const auto packing : {NpzWriter::Packing::stored, NpzWriter::Packing::deflated})
    for (const std::uint64_t limit :
         {std::uint64_t{0}, std::uint64_t{300}, std::uint64_t{9000}, usual}) {
      const auto file = scratch.path("a.npz");
      write_two(file, limit, packing);
      std::map<std::string, Texts> texts;
      const auto arrays = read_npz(file, &texts);
      ASSERT_EQ(arrays.size(), 2u) << limit;
      EXPECT_EQ(arrays.at("a").values, (Numbers{1, 2, 3})) << limit;
      EXPECT_EQ(arrays.at("b").values, Numbers(1000, 7.0)) << limit;
      EXPECT_EQ(texts.at("names"), (Texts{"x", "yz"})) << limit;
    }
}

TEST(Zip64, IsMarkedAsSuch) {
  const Scratch scratch;
  write_two(scratch.path("plain.npz"), usual);
  write_two(scratch.path("long.npz"), 0);
  const std::string plain = bytes_of_file(scratch.path("plain.npz")),
                    longer = bytes_of_file(scratch.path("long.npz"));
  for (const std::string& mark : {"PK\x06\x06"s, "PK\x06\x07"s}) {
    EXPECT_EQ(plain.find(mark), std::string::npos);
    EXPECT_NE(longer.find(mark), std::string::npos);
  }
  EXPECT_NE(longer.find("\x01\0\x10\0"s), std::string::npos) << "the extra field of a member";
}

TEST(Zip64, IsRefusedWhereItIsDamaged) {
  const Scratch scratch;
  write_two(scratch.path("long.npz"), 0);
  const std::string whole = bytes_of_file(scratch.path("long.npz"));
  for (std::size_t at = whole.size() - 400; at < whole.size(); ++at) { // the directory and the ends
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    const auto file = scratch.file("bad.npz", bytes);
    try {
      read_npz(file);
    } catch (const BadData&) { // or it was a byte that says nothing
    }
  }
  EXPECT_EQ(error_text<BadData>(scratch.path("cut.npz"),
                                [&] { read_npz(scratch.file("cut.npz", whole.substr(0, 600))); }),
            "cut.npz: npz: is cut short: the directory at the end is missing");
}

template <typename Number>
std::string turned(std::initializer_list<Number> values) {
  std::string bytes;
  for (const Number value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

std::string big_endian_npy(const std::string& type, const std::string& shape,
                           const std::string& data) {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header + data;
}

TEST(BigEndian, NumbersOfEveryTypeAreRead) {
  const Scratch scratch;
  const auto values = [&](const std::string& type, const std::string& data) {
    return read_npy(scratch.file("a.npy", big_endian_npy(type, "(2,)", data))).values;
  };
  EXPECT_EQ(values(">f8", turned({1.5, -1e300})), (Numbers{1.5, -1e300}));
  EXPECT_EQ(values(">f4", turned({1.5f, -2.f})), (Numbers{1.5, -2}));
  EXPECT_EQ(values(">i8", turned<std::int64_t>({-7, 9})), (Numbers{-7, 9}));
  EXPECT_EQ(values(">i4", turned<std::int32_t>({-7, 9})), (Numbers{-7, 9}));
  EXPECT_EQ(values(">u8", turned<std::uint64_t>({7, 9})), (Numbers{7, 9}));
  EXPECT_EQ(values(">u4", turned<std::uint32_t>({7, 9})), (Numbers{7, 9}));
}

} // namespace
} // namespace starling::io
