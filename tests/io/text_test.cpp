// Tests of reading whole files: plain, gzip, xz, and all that is neither.
#include "io/errors.hpp"
#include "io/text.hpp"
#include "scratch.hpp"

namespace starling::io {
namespace {

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50000; ++i)
    text += std::to_string(i * 7919 % 10007) + ",";
  return text;
}

TEST(ReadText, GivesTheSameForPlainGzipAndXzWhateverTheName) {
  const Scratch scratch;
  const std::string text = long_text();
  EXPECT_EQ(read_text(scratch.file("a.gz", text)), text);
  EXPECT_EQ(read_text(scratch.file("a.csv", gzipped(text))), text);
  EXPECT_EQ(read_text(scratch.file("a", xz_packed(text))), text);
}

TEST(ReadText, JoinsArchivesInARowAndIgnoresPadding) {
  const Scratch scratch;
  const std::string zeros(512, '\0');
  EXPECT_EQ(read_text(scratch.file("a", gzipped("one,") + gzipped("two") + zeros)), "one,two");
  EXPECT_EQ(read_text(scratch.file("b", xz_packed("one,") + xz_packed("two"))), "one,two");
}

TEST(ReadText, ReadsTheEmptyFileAndDropsAByteOrderMark) {
  const Scratch scratch;
  EXPECT_EQ(read_text(scratch.file("a", "")), "");
  EXPECT_EQ(read_text(scratch.file("b", "\xef\xbb\xbf"
                                        "x")),
            "x");
  EXPECT_EQ(read_text(scratch.file("c", gzipped(""))), "");
}

TEST(ReadText, RejectsArchivesCutAnywhere) {
  const Scratch scratch;
  const std::string gz = gzipped("some text, some text");
  const std::string xz = xz_packed("some text, some text");
  for (std::size_t size = 2; size < gz.size(); ++size)
    EXPECT_EQ(error_text<BadData>(scratch.path("a"),
                                  [&] { read_text(scratch.file("a", gz.substr(0, size))); }),
              "a: gzip: is cut short")
        << size;
  for (std::size_t size = 6; size < xz.size(); ++size)
    EXPECT_EQ(error_text<BadData>(scratch.path("a"),
                                  [&] { read_text(scratch.file("a", xz.substr(0, size))); }),
              "a: xz: is cut short")
        << size;
}

TEST(ReadText, RejectsDamagedArchives) {
  const Scratch scratch;
  std::string gz = gzipped(long_text());
  std::string xz = xz_packed(long_text());
  gz[gz.size() / 2] ^= 1;
  xz[xz.size() / 2] ^= 1;
  EXPECT_EQ(error_text<BadData>(scratch.path("a"), [&] { read_text(scratch.file("a", gz)); }),
            "a: gzip: is damaged");
  EXPECT_EQ(error_text<BadData>(scratch.path("a"), [&] { read_text(scratch.file("a", xz)); }),
            "a: xz: is damaged");
  EXPECT_EQ(error_text<BadData>(scratch.path("a"),
                                [&] { read_text(scratch.file("a", gzipped("x") + "tail")); }),
            "a: gzip: has other bytes after the archive");
}

TEST(ReadText, StopsAtAnArchiveMadeToFillTheMemory) {
  const Scratch scratch;
  // Zeros pack to a thousandth: 300 MiB of them in 300 KiB, once as gzip and once as xz.
  const std::string zeros(std::size_t{300} << 20, '0');
  for (const auto& [kind, packed] : {std::pair{"gzip", gzipped(zeros)}, {"xz", xz_packed(zeros)}}) {
    ASSERT_LT(packed.size(), std::size_t{1} << 20);
    const auto file = scratch.file("bomb", packed);
    EXPECT_EQ(error_text<BadData>(file, [&] { read_text(file); }),
              std::string("bomb: ") + kind +
                  ": unpacks to more than 256 MiB and more than 250 times its size, too much for a "
                  "table");
  }
}

TEST(ReadText, NamesAnArchiveOfAnotherKind) {
  const Scratch scratch;
  const auto file = scratch.file("a.csv", "BZh91AY");
  EXPECT_EQ(error_text<BadData>(file, [&] { read_text(file); }),
            "a.csv: must be plain text, gzip or xz; got bzip2");
}

TEST(ReadText, KnowsOtherTextsThanOurs) {
  const Scratch scratch;
  for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"}) {
    const auto file = scratch.file("a.csv", std::string(mark) + std::string("a\0,\0", 4));
    EXPECT_EQ(error_text<BadData>(file, [&] { read_text(file); }),
              "a.csv: must be UTF-8; got UTF-16, which iconv -f utf-16 -t utf-8 turns into it");
  }
  EXPECT_EQ(read_text(scratch.file("mac.csv", "a,y\r1,0\r")), "a,y\n1,0\n");
  EXPECT_EQ(read_text(scratch.file("dos.csv", "a,y\r\n1,0\r\n")), "a,y\r\n1,0\r\n");
}

TEST(ReadText, SaysWhyAnInputCannotBeRead) {
  const Scratch scratch;
  const auto missing = scratch.path("covtype.csv");
  EXPECT_EQ(error_text<InputMissing>(missing, [&] { read_text(missing); }),
            "covtype.csv: no such file");
  const auto folder = scratch.path("");
  EXPECT_EQ(error_text<InputMissing>("x/", [&] { read_text(folder); }),
            folder.string() + ": is a folder");
  try {
    read_text(missing);
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
  }
}

TEST(ReadText, ReadsWhatHasNoSize) {
  // Files of the kernel say their size is 0.
  if (!std::filesystem::exists("/proc/self/status"))
    GTEST_SKIP() << "no /proc/self/status here";
  EXPECT_NE(read_text("/proc/self/status").find("Pid:"), std::string::npos);
}

} // namespace
} // namespace starling::io
