// Tests of what is read: only regular files, and only what there is memory for.
#include "io/errors.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/text.hpp"
#include "io/written_here.hpp"
#include "scratch.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace starling::io {
namespace {

using testing::HasSubstr;

TEST(Memory, IsToldInWords) {
  EXPECT_EQ(in_bytes(3 << 10), "3 kB");
  EXPECT_EQ(in_bytes(200 << 20), "200 MiB");
  EXPECT_EQ(in_bytes(std::uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(in_bytes(std::uint64_t{1} << 41), "2.0 TiB");
  EXPECT_GT(memory_left().bytes, 1u << 20);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// A limit as --memory-limit sets it, so far beyond what this process has, while this lives.
struct Limited {
  explicit Limited(rlim_t more) {
    ::getrlimit(RLIMIT_DATA, &before);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    for (int field = 0; field <= 5; ++field) // the sixth is data
      statm >> pages;
    const rlimit narrow{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more,
                        before.rlim_max};
    ::setrlimit(RLIMIT_DATA, &narrow);
  }
  ~Limited() { ::setrlimit(RLIMIT_DATA, &before); }
  rlimit before{};
};

TEST(Memory, BoundsWhatIsUnpackedAndTheMessageNamesTheOption) {
  const Scratch scratch;
  std::string text; // 600 MiB that pack to a hundredth: no bomb, but too much for 1 GiB
  for (int i = 0; text.size() < std::size_t{600} << 20; ++i)
    text += std::to_string(i * 7919 % 1000003) +
            ",0000000000000000000000000000000000000000"
            "000000000000000000000000000000000000000000000000000000000000000000000000\n";
  const auto gz = scratch.file("a.csv.gz", gzipped(text));
  text.clear();
  text.shrink_to_fit();
  const Limited limited(rlim_t{1} << 30);
  const std::string said = error_text<BadData>(gz, [&] { read_text(gz); });
  EXPECT_THAT(said, HasSubstr("a.csv.gz: gzip: unpacks to at least "));
  EXPECT_THAT(said, HasSubstr(", more than half of the "));
  EXPECT_THAT(said, HasSubstr(" that --memory-limit leaves"));
}

TEST(Memory, BoundsAFileThatIsOnlyLarge) {
  const Scratch scratch;
  const auto file = scratch.file("a.csv", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40); // a terabyte of nothing
  EXPECT_THAT(error_text<BadData>(file, [&] { read_text(file); }),
              HasSubstr("a.csv: has 1.0 TiB, more than half of the "));
}

TEST(Memory, BoundsAnArrayThatIsUnpacked) {
  const Scratch scratch;
  const auto file = scratch.path("a.npz");
  {
    NpzWriter npz(file, NpzWriter::Packing::deflated);
    npz.add("a", std::vector<double>(std::size_t{40} << 20), {std::size_t{40} << 20});
    npz.close();
  }
  const Limited limited(rlim_t{600} << 20);
  EXPECT_THAT(error_text<BadData>(file, [&] { read_npz(file); }),
              HasSubstr("a.npz: a: npz: unpacks to 320 MiB, more than half of the "));
}
#endif

TEST(Read, TakesOnlyRegularFiles) {
  const std::string only = ": only regular files can be read, and stdin with -";
  EXPECT_EQ(error_text<InputMissing>("", [] { read_text("/dev/zero"); }),
            "/dev/zero: is a device" + only);
  const Scratch scratch;
  const auto pipe = scratch.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& read : {std::function<void()>([&] { read_text(pipe); }),
                           std::function<void()>([&] { read_npy(pipe); })})
    EXPECT_EQ(error_text<InputMissing>(pipe, read), "pipe: is a pipe" + only);
}

TEST(WrittenHere, IsWhatAMarkListsOrBeginsAsOurs) {
  const Scratch scratch;
  EXPECT_FALSE(written_by_starling(scratch.path("none")));
  EXPECT_FALSE(written_by_starling(scratch.file("a.csv", "lp__,a\n1,2\n")));
  EXPECT_FALSE(written_by_starling(scratch.file("a.npz", "PK\x03\x04 and more")));
  NpzWriter npz(scratch.path("b.npz"));
  npz.add("draws", std::vector<double>{1}, {1});
  npz.close();
  EXPECT_TRUE(written_by_starling(scratch.path("b.npz")));
  std::filesystem::create_symlink(scratch.path("b.npz"), scratch.path("link.npz"));
  EXPECT_FALSE(written_by_starling(scratch.path("link.npz")));
  scratch.file(".starling", "# of a run\na.csv\n");
  EXPECT_TRUE(written_by_starling(scratch.path("a.csv")));
}

} // namespace
} // namespace starling::io
