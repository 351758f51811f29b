// Code that a file names: loaded only if the user names it too, or trusts the file.
#include "foreign/libraries.hpp"

#include "cli/results.hpp"

#include <starling/run/checkpoint.hpp>

namespace starling::foreign {
namespace {

using namespace cli;

TEST(Trust, LoadsNothingThatOnlyAFileNames) {
  const Place place;
  const std::string so = library("plugin_threads");
  succeed(place, "sample plugin " + so + " --particles 20 --steps 5 --quiet --out first");
  const std::string refused =
      " names " + so + ", which is code; give --model " + so + ", or --trust to load what it names";
  expect_refused(place, "sample --config first/config.toml --quiet --out second", usage,
                 "--model: first/config.toml" + refused);
  succeed(place, "sample --config first/config.toml --model " + so + " --quiet --out second");
  succeed(place, "sample --config first/config.toml --trust --quiet --out third");
  EXPECT_EQ(place.read("first/draws.npz"), place.read("second/draws.npz"));
  EXPECT_EQ(place.read("first/draws.npz"), place.read("third/draws.npz"));
  {
    Running running =
        place.start("sample plugin " + so +
                    " --particles 20 --steps 100000000 --checkpoint-every 50 --quiet --out m");
    running.until("a checkpoint", [&] { return place.has("m-state/run-1.checkpoint"); });
    running.signal(SIGKILL);
    running.wait();
  }
  expect_refused(place, "sample --resume m", usage, "--model: m" + refused);
  expect_refused(place, "sample --resume m --model none.so --quiet", input_missing,
                 "none.so: no such file");
  const Step done =
      run::saved(run::read_checkpoint(place.path("m-state/run-1.checkpoint")), "m").done;
  succeed(place,
          "sample --resume m --quiet --model " + so + " --steps " + std::to_string(done + 3));
  EXPECT_TRUE(place.has("m/draws.npz"));
}

} // namespace
} // namespace starling::foreign
