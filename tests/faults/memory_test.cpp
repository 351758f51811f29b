// An allocation that fails, whichever it is: a sentence, an exit code, nothing half-written,
// nothing older lost.
#include "fault.hpp"

namespace starling::faults {
namespace {

const std::string raw = "sample normal --dim 2 --particles 24 --batch 4 --bandwidth 1 --steps 4 "
                        "--threads 1 --quiet --out m";
const std::string staged = "sample normal --dim 2 --particles 24 --threads 1 --quiet --out m";

void try_all(const std::string& line, const char* what, long tried) {
  const Place place;
  const Counts counts = count(place, line);
  ASSERT_GT(counts.allocations, 100);
  const auto whole = place.everything();
  std::size_t refused = 0;
  for (const bool over_an_older : {false, true})
    for (const long k : places(1, counts.allocations, tried)) {
      const std::string when =
          line + (over_an_older ? " --force" : "") + ", " + what + "=" + std::to_string(k);
      std::error_code ignored;
      fs::remove_all(place.path("m-state"), ignored);
      if (!over_an_older)
        fs::remove_all(place.path("m"), ignored);
      else if (!place.has("m"))
        succeed(place, line);
      const Ended ended = place.run(line + (over_an_older ? " --force" : ""), failing(what, k));
      // The C library ends the process itself where it cannot note down what a thread is to destroy
      // at its end.
      const bool by_c_library =
          ended.err.find("failed to register TLS destructor") != std::string::npos;
      if (!by_c_library)
        expect_calm(ended, when);
      if (ended.code == ok) { // it did without, or asked again
        EXPECT_EQ(place.read("m/draws.npz"), whole.at("m/draws.npz")) << when;
        continue;
      }
      ++refused;
      const std::string draws = over_an_older ? place.read("m/draws.npz") : "";
      EXPECT_EQ(draws, over_an_older ? whole.at("m/draws.npz") : "") << when;
      if (!over_an_older && place.has("m")) { // it failed when all was written
        EXPECT_EQ(place.read("m/draws.npz"), whole.at("m/draws.npz")) << when;
      } else {
        EXPECT_EQ(place.has("m"), over_an_older) << when;
      }
      // Where a library takes memory in a place that no exception may leave, the process ends at
      // once, and its hidden folder stays. Everywhere else nothing stays.
      const bool at_once = by_c_library || ended.err.find("out of memory") != std::string::npos;
      for (const auto& [name, content] : place.everything())
        if (name.starts_with(".")) {
          EXPECT_TRUE(at_once || what == std::string("FAIL_ALLOC_ON")) << when << " left " << name;
          std::error_code gone_with_its_folder;
          fs::remove_all(place.path(name), gone_with_its_folder);
        }
    }
  EXPECT_GT(refused, 10u); // else nothing was tried
}

TEST(Memory, OneAllocationOfARawRunFails) {
  SKIP_UNDER_SANITIZERS();
  try_all(raw, "FAIL_ALLOC", 120);
}
TEST(Memory, AllAllocationsOfARawRunFailFromOneOn) {
  SKIP_UNDER_SANITIZERS();
  try_all(raw, "FAIL_ALLOC_ON", 60);
}
TEST(Memory, OneAllocationOfARunInStagesFails) {
  SKIP_UNDER_SANITIZERS();
  try_all(staged, "FAIL_ALLOC", 120);
}

} // namespace
} // namespace starling::faults
