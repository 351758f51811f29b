// Checkpoints: what goes in comes out, and no damage passes unseen.
#include <starling/run/checkpoint.hpp>

#include "io/scratch.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

namespace starling::run {
namespace {

using io::BadData;
using io::error_text;
using io::InputMissing;
using io::Scratch;

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

/// A right checksum under any bytes: what is read then is not damaged, but made.
std::string with_checksum(std::string bytes) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

TEST(Checkpoint, TakesNoLengthOnTrustUnderARightChecksum) {
  const std::string good = pack(small()), body = good.substr(0, good.size() - 4);
  EXPECT_EQ(with_checksum(body), good);
  EXPECT_EQ(error_text<BadData>("c", [&] { unpack(with_checksum(body + "x"), "c"); }),
            "c: is a damaged checkpoint: it is too long");
  const std::string short_one = "c: is a damaged checkpoint: it is cut short";
  for (std::size_t size = 22; size < body.size(); ++size) // after the mark at its beginning
    EXPECT_EQ(error_text<BadData>("c", [&] { unpack(with_checksum(body.substr(0, size)), "c"); }),
              short_one)
        << size;
  std::string long_head = body;
  long_head[22 + 7] = '\x7f'; // the highest byte of the head's length
  EXPECT_EQ(error_text<BadData>("c", [&] { unpack(with_checksum(long_head), "c"); }), short_one);
}

TEST(Checkpoint, IsNamedWhenItIsBroken) {
  const Scratch scratch;
  std::string bytes = pack(small());
  bytes[40] ^= 1;
  const auto file = scratch.file("c", bytes);
  EXPECT_EQ(error_text<BadData>(file, [&] { read_checkpoint(file); }),
            "c: is a damaged checkpoint: its checksum is wrong");
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

/// A state of three particles in two dimensions, rows travelled, with a text that is no UTF-8.
Checkpoint state() {
  Checkpoint checkpoint;
  checkpoint.head =
      R"({"version":"0","particles":3,"dim":2,"single":false,"seed":7,"run":1,"done":5,)"
      R"("settled":false,"memories":1,"seconds":[1,0,0,0,0],"trace":[]})";
  const std::vector<double> position = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> moves = {5, 5, 5};
  const std::vector<std::uint64_t> id = {2, 0, 1};
  checkpoint.add_text("identity", "data = '\xff\xfe.csv'");
  checkpoint.add_text("note", "out-\xff");
  checkpoint.add("position", std::span(position));
  checkpoint.add("memory 0", std::span(position));
  checkpoint.add("moves", std::span(moves));
  checkpoint.add("id", std::span(id));
  return checkpoint;
}

std::string& column(Checkpoint& checkpoint, const std::string& name) {
  return std::ranges::find(checkpoint.columns, name, &std::pair<std::string, std::string>::first)
      ->second;
}

void put(std::string& text, const std::string& from, const std::string& to) {
  ASSERT_NE(text.find(from), std::string::npos);
  text.replace(text.find(from), from.size(), to);
}

TEST(Saved, SaysWhatIsThereAndKeepsTextsOfAnyBytes) {
  const Saved s = saved(unpack(pack(state()), "c"), "c");
  EXPECT_EQ(s.particles, 3u);
  EXPECT_EQ(s.dim, 2u);
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(s.run, 1u);
  EXPECT_EQ(s.done, 5u);
  EXPECT_EQ(s.identity, "data = '\xff\xfe.csv'");
  EXPECT_EQ(s.note, "out-\xff");
  EXPECT_EQ(positions_in(state(), "c"), (std::vector<double>{3, 4, 5, 6, 1, 2}));
}

TEST(Saved, RefusesIdsThatAreNotThoseOfTheParticles) {
  for (const auto& [ids, why] : std::vector<std::pair<std::vector<std::uint64_t>, std::string>>{
           {{2, 0, 3}, "got 3"},
           {{2, 0, 0}, "got 0 twice"},
           {{std::uint64_t(-1), 0, 1}, "got 18446744073709551615"}}) {
    Checkpoint bad = state();
    column(bad, "id").assign(reinterpret_cast<const char*>(ids.data()), 24);
    const std::string text = "c: must hold each of the ids 0 to 2 once; " + why;
    EXPECT_EQ(error_text<BadData>("c", [&] { saved(bad, "c"); }), text);
    EXPECT_EQ(error_text<BadData>("c", [&] { positions_in(bad, "c"); }), text);
  }
}

// Sizes that the columns do not bear out: refused before anything of that size is asked for.
TEST(Saved, RefusesSizesThatAreNotThoseOfItsColumns) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"("particles":3)", R"("particles":0)"},
           {R"("particles":3)", R"("particles":4)"},
           {R"("particles":3)", R"("particles":1)"},
           {R"("particles":3)", R"("particles":4611686018427387904)"},
           {R"("dim":2)", R"("dim":0)"},
           {R"("dim":2)", R"("dim":1)"},
           {R"("dim":2)", R"("dim":4611686018427387906)"},
           {R"("single":false)", R"("single":true)"},
           {R"("memories":1)", R"("memories":2)"},
           {R"("memories":1)", R"("memories":4611686018427387904)"},
           {R"("memories":1)", R"("memories":1e30)"},
           {R"("particles":3)", R"("particles":1e30)"},
           {R"("done":5)", R"("done":-1)"},
           {R"("dim":2,)", ""}}) {
    Checkpoint bad = state();
    put(bad.head, from, to);
    EXPECT_THROW(saved(bad, "c"), BadData) << to;
  }
  for (const char* name : {"position", "memory 0", "moves", "id"}) {
    Checkpoint bad = state();
    column(bad, name).pop_back();
    EXPECT_THROW(saved(bad, "c"), BadData) << name;
    column(bad, name) += "ab"; // one byte too many
    EXPECT_THROW(saved(bad, "c"), BadData) << name;
  }
  for (const char* name : {"identity", "note", "position", "memory 0", "moves", "id"}) {
    Checkpoint none = state(), twice = state();
    std::erase_if(none.columns, [&](const auto& one) { return one.first == name; });
    EXPECT_THROW(saved(none, "c"), BadData) << name;
    twice.columns.emplace_back(name, column(twice, name));
    EXPECT_EQ(error_text<BadData>("c", [&] { saved(twice, "c"); }),
              std::string("c: has two columns '") + name + "'");
  }
}

} // namespace
} // namespace starling::run
