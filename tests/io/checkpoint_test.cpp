// Checkpoints: what goes in comes out, and no damage passes unseen.
#include "io/checkpoint.hpp"

#include "io/errors.hpp"
#include "scratch.hpp"

#include <cmath>

namespace starling::io {
namespace {

Checkpoint small() {
  Checkpoint checkpoint;
  checkpoint.head = R"({"done":3})";
  const std::vector<double> position = {1, -0.0, 1e300};
  const std::vector<std::uint64_t> id = {2, 0, 1};
  checkpoint.add("position", std::span(position));
  checkpoint.add("id", std::span(id));
  return checkpoint;
}

TEST(Checkpoint, GivesBackWhatWasPutIn) {
  const Checkpoint back = unpack(pack(small()), "c");
  EXPECT_EQ(back.head, small().head);
  EXPECT_EQ(back.columns, small().columns);
  std::vector<double> position(3);
  ASSERT_TRUE(back.take("position", std::span(position)));
  EXPECT_EQ(position, (std::vector<double>{1, 0, 1e300}));
  EXPECT_TRUE(std::signbit(position[1]));
}

TEST(Checkpoint, HasNoColumnOfAnotherNameOrSize) {
  std::vector<double> three(3), four(4);
  EXPECT_FALSE(small().take("drift", std::span(three)));
  EXPECT_FALSE(small().take("position", std::span(four)));
}

TEST(Checkpoint, NoticesEveryWrongBit) {
  const std::string good = pack(small());
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_THROW(unpack(bad, "c"), BadData) << "byte " << at << ", bit " << bit;
    }
}

TEST(Checkpoint, NoticesEveryCutAndAnythingAdded) {
  const std::string good = pack(small());
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(unpack(good.substr(0, size), "c"), BadData) << size;
  EXPECT_THROW(unpack(good + '\0', "c"), BadData);
}

TEST(Checkpoint, IsNamedWhenItIsBroken) {
  const Scratch scratch;
  std::string bytes = pack(small());
  bytes[40] ^= 1;
  const auto file = scratch.file("c", bytes);
  EXPECT_EQ(error_text<BadData>(file, [&] { read_checkpoint(file); }),
            "c: is a damaged checkpoint: its checksum does not fit");
  const auto other = scratch.file("d", "hello");
  EXPECT_EQ(error_text<BadData>(other, [&] { read_checkpoint(other); }),
            "d: must be a checkpoint of starling; got something else");
  const auto none = scratch.path("e");
  EXPECT_EQ(error_text<InputMissing>(none, [&] { read_checkpoint(none); }), "e: no such file");
}

TEST(Checkpoint, NeedsNoFolderInItsName) {
  const Scratch scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directories(scratch.path("here"));
  std::filesystem::current_path(scratch.path("here"));
  write_checkpoint("c", small());
  EXPECT_EQ(read_checkpoint("c").columns, small().columns);
  std::filesystem::current_path(before);
}

TEST(Checkpoint, ReplacesAnOlderOneAndLeavesNothingElse) {
  const Scratch scratch;
  const auto file = scratch.path("folder/c");
  write_checkpoint(file, Checkpoint());
  write_checkpoint(file, small());
  EXPECT_EQ(read_checkpoint(file).columns, small().columns);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(file.parent_path()))
    ++files;
  EXPECT_EQ(files, 1u);
}

} // namespace
} // namespace starling::io
