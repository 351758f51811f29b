// Writes and calls about files that fail, wherever it is; clocks that jump.
#include "fault.hpp"

namespace starling::faults {
namespace {

const std::string line = "sample normal --dim 2 --particles 24 --batch 4 --bandwidth 1 --steps 6 "
                         "--threads 1 --quiet --format csv,npz,zarr --out m";

/// The command at each of these places, over a result that is there: it stays, or is replaced by
/// the whole new one.
void try_all(const char* what, long last, long tried, const std::string& more) {
  const Place place;
  succeed(place, line + " --seed 2");
  const auto before = place.everything();
  succeed(place, line + " --force");
  const std::string whole = place.read("m/draws.npz");
  std::size_t refused = 0;
  for (const long at : places(0, last, tried)) {
    const std::string when = std::string(what) + "=" + std::to_string(at) + more;
    std::error_code ignored;
    fs::remove_all(place.path("m"), ignored);
    fs::remove_all(place.path("m-state"), ignored);
    for (const auto& [name, content] : before)
      if (content != "(a folder)")
        place.write(name, content);
    const Ended ended = place.run(line + " --force" + more, failing(what, at));
    expect_calm(ended, when);
    if (place.read("m/draws.npz") == whole) {
      EXPECT_EQ(ended.code, ok) << when << ": " << ended.err;
    } else {
      ++refused;
      EXPECT_TRUE(ended.code == cannot_write || ended.code == input_missing)
          << when << ": " << ended.err;
      expect_as_before(place, before, when);
    }
    if (place.has("m-state/run-1.checkpoint")) { // what is saved is whole, and it is told
      EXPECT_EQ(ended.err.find("is lost"), std::string::npos) << when << ": " << ended.err;
      if (ended.code != ok) {
        EXPECT_NE(ended.err.find("m-state"), std::string::npos) << when << ": " << ended.err;
      }
      EXPECT_EQ(place.run("sample --resume m-state --quiet --force --out m").code, ok) << when;
      EXPECT_EQ(place.read("m/draws.npz"), whole) << when;
    }
  }
  EXPECT_GT(refused, 3u);
}

Counts usual() {
  const Place place;
  return count(place, line);
}

TEST(Files, AFullDiskAfterAnyNumberOfBytes) {
  SKIP_UNDER_SANITIZERS();
  const long last = usual().bytes;
  ASSERT_GT(last, 1000);
  try_all("FAIL_WRITE", last - 1, 100, "");
  try_all("FAIL_WRITE", last - 1, 40, " --checkpoint-every 2");
}

TEST(Files, AnyCallFails) {
  SKIP_UNDER_SANITIZERS();
  const long last = usual().calls;
  ASSERT_GT(last, 10);
  try_all("FAIL_CALL", last, 50, "");
  try_all("FAIL_CALL", last + 20, 30, " --checkpoint-every 2");
}

TEST(Clock, JumpsChangeNothing) {
  SKIP_UNDER_SANITIZERS();
  const Place place;
  succeed(place, line);
  const std::string draws = place.read("m/draws.npz");
  for (const std::string more : {"", " --time-limit 100000", " --progress plain"}) {
    const Ended ended = place.run(line + " --force" + more, failing("JUMP_CLOCK", 1));
    EXPECT_EQ(ended.code, ok) << ended.err;
    EXPECT_EQ(place.read("m/draws.npz"), draws);
  }
}

} // namespace
} // namespace starling::faults
