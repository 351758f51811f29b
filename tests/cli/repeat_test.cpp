// A run can be repeated: from its config.toml, with any number of threads, bit for bit.
#include "results.hpp"

namespace starling::cli {
namespace {

/// Runs `sample LINE`, then once more from its config.toml, and expects the same draws.
void expect_repeats(const Place& place, const std::string& line) {
  succeed(place, "sample " + line + " --quiet --out out/first");
  succeed(place, "sample --config out/first/config.toml --quiet --out out/second");
  EXPECT_EQ(place.read("out/first/draws.npz"), place.read("out/second/draws.npz")) << line;
  EXPECT_EQ(draws_csv_of(place, "out/first"), draws_csv_of(place, "out/second")) << line;
  EXPECT_EQ(place.read("out/first/config.toml"), place.read("out/second/config.toml")) << line;
  fs::remove_all(place.path("out"));
}

TEST(Repeat, ConfigOfARunGivesTheSameDraws) {
  const Place place;
  place.write("d.csv", SmallData().text(60));
  expect_repeats(place, "mixture --particles 50 --batch 7 --steps 20 --seed 9223372036854775807 "
                        "--weights 0.1,0.2,0.7 --means -1;0;3 --sds 1,2,0.1 --start normal:-10,1");
  expect_repeats(place,
                 "mixture --particles 50 --steps 20 --kernel 0.3*imq+1e-5*polynomial:a=2,m=3 "
                 "--bandwidth median --advance adam --step-size 1e-5 --grow-batch double:4");
  expect_repeats(place, "normal --dim 3 --correlation 0.1 --particles 20 --batch all --steps 20 "
                        "--advance decay --decay-tau 1e15 --decay-power 0.7 --precision single");
  expect_repeats(place, "banana --curvature 0.3 --particles 20 --batch 2 --steps 20 --replace "
                        "--start uniform:-1,1 --domain torus:9");
  expect_repeats(place, "funnel --dim 4 --particles 20 --steps 20 --threads 2 --width 2");
  expect_repeats(place,
                 "logistic --data d.csv --label kind --positive 0 --scale standard --holdout 0.2 "
                 "--data-batch 13 --particles 20 --steps 20 --start prior");
}

TEST(Repeat, OptionsBesideAConfigWin) {
  const Place place;
  place.write("c.toml", "target = \"mixture\"\nparticles = 20\nsteps = 4\nseed = 3\nbatch = 4\n");
  succeed(place, "sample --config c.toml --quiet --out out/file");
  succeed(place, "sample --seed 4 --config c.toml --quiet --out out/besides");
  succeed(place,
          "sample mixture --particles 20 --steps 4 --batch 4 --seed 4 --quiet --out out/line");
  EXPECT_EQ(summary_of(place, "out/file").at("seed"), 3);
  EXPECT_EQ(summary_of(place, "out/file").at("particles"), 20);
  EXPECT_EQ(summary_of(place, "out/file").at("batch"), 4);
  EXPECT_EQ(summary_of(place, "out/besides").at("seed"), 4);
  EXPECT_NE(place.read("out/file/draws.npz"), place.read("out/besides/draws.npz"));
  EXPECT_EQ(place.read("out/besides/draws.npz"), place.read("out/line/draws.npz"));
  succeed(place, "sample banana --config c.toml --quiet --out out/target");
  EXPECT_EQ(summary_of(place, "out/target").at("target"), "banana");
}

TEST(Repeat, DumpConfigIsTheConfigOfTheRunAndRunsNothing) {
  const Place place;
  const std::string line = "sample funnel --dim 3 --particles 20 --steps 5 --quiet ";
  place.write("dumped.toml", succeed(place, line + "--dump-config --out out/m"));
  EXPECT_FALSE(place.has("out"));
  EXPECT_EQ(succeed(place, "sample --config dumped.toml --dump-config"), place.read("dumped.toml"));
  succeed(place, line + "--out out/m");
  EXPECT_EQ(place.read("out/m/config.toml"), place.read("dumped.toml"));
}

TEST(Repeat, ConfigTextsSurviveQuotesAndBackslashes) {
  const Place place;
  place.write("d\"\\.csv", SmallData().text(30));
  succeed(place, "sample logistic --data d\"\\.csv --particles 8 --steps 2 --quiet --out out/m");
  succeed(place, "sample --config out/m/config.toml --quiet --out out/n");
  EXPECT_EQ(place.read("out/m/draws.npz"), place.read("out/n/draws.npz"));
}

TEST(Repeat, ThreadsDoNotChangeTheDraws) {
  const Place place;
  place.write("d.csv", SmallData().text(200));
  const std::vector<std::string> runs = {
      "mixture --particles 501 --batch 8 --steps 40 --bandwidth median:100",
      "normal --dim 5 --particles 300 --batch all --steps 10 --advance rmsprop",
      "banana --particles 301 --batch 3 --steps 10 --replace --precision single",
      "logistic --data d.csv --holdout 0.2 --particles 101 --steps 20"};
  for (const std::string& run : runs) {
    for (const std::string threads : {"1", "2", "7"})
      succeed(place, "sample " + run + " --quiet --threads " + threads + " --out out/" + threads);
    EXPECT_EQ(place.read("out/1/draws.npz"), place.read("out/2/draws.npz")) << run;
    EXPECT_EQ(place.read("out/1/draws.npz"), place.read("out/7/draws.npz")) << run;
    EXPECT_EQ(summary_of(place, "out/7").at("threads"), 7);
    Json one = summary_of(place, "out/1"), seven = summary_of(place, "out/7");
    EXPECT_EQ(one.at("parameters"), seven.at("parameters")) << run;
    EXPECT_EQ(one.at("ksd"), seven.at("ksd")) << run;
    fs::remove_all(place.path("out"));
  }
}

TEST(Repeat, AnotherSeedGivesOtherDraws) {
  const Place place;
  for (const std::string target : {"mixture", "normal", "banana", "funnel"}) {
    const std::string line = "sample " + target + " --particles 20 --steps 2 --quiet --seed ";
    succeed(place, line + "1 --out out/" + target + "1");
    succeed(place, line + "2 --out out/" + target + "2");
    EXPECT_NE(draws_of(place, "out/" + target + "1").values,
              draws_of(place, "out/" + target + "2").values);
  }
}

} // namespace
} // namespace starling::cli
