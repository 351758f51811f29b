// Config files that cannot be: file, line and key named, exit code 78.
#include "command.hpp"

namespace starling::cli {
namespace {

void expect_refused_config(const std::string& content, const std::string& message) {
  const Place place;
  place.write("c.toml", content);
  expect_refused(place, "sample mixture --config c.toml --out out/m", bad_config, message);
}

/// What the file holds, and the line that refuses it.
struct BadFile {
  const char *content, *message;
};
void expect_refused_configs(std::initializer_list<BadFile> files) {
  for (const BadFile& file : files)
    expect_refused_config(file.content, file.message);
}

TEST(BadConfig, SaysThatTheFileIsNotThere) {
  const Place place;
  expect_refused(place, "sample mixture --config c.toml --out out/m", input_missing,
                 "c.toml: no such file");
}

TEST(BadConfig, RefusesWhatIsNotToml) {
  const Place place;
  for (const std::string content : {"particles = ", "particles 3", "particles = 3\nparticles = 4",
                                    "kernel = \"gaussian", "\x01\x02"}) {
    place.write("c.toml", content);
    const auto before = place.everything();
    const Ended ended = place.run("sample mixture --config c.toml --out out/m");
    EXPECT_EQ(ended.code, bad_config) << content;
    EXPECT_EQ(lines_of(ended.err).size(), 1u) << ended.err;
    const int line = content.find('\n') == content.npos ? 1 : 2;
    EXPECT_TRUE(ended.err.starts_with("starling: c.toml:" + std::to_string(line) + ": "))
        << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(place.everything(), before);
  }
}

TEST(BadConfig, SuggestsTheNearestKey) {
  expect_refused_configs(
      {{"steps = 3\nparticels = 10\n",
        "c.toml:2: particels: is not a setting of a run; did you mean 'particles'?"},
       {"step_size = 1\n",
        "c.toml:1: step_size: is not a setting of a run; did you mean 'step-size'?"},
       {"[table]\nkernel = \"imq\"\n", "c.toml:1: table: is not a setting of a run"}});
}

TEST(BadConfig, RefusesWhatTheParserTakesForGranted) {
  expect_refused_configs(
      {{"seed = 1\n[[[",
        "c.toml:2: must be the name of a table after its brackets; got a byte of 0x5b"},
       {"seed = 1\nb = {a = [}",
        "c.toml:2: must be the bracket that closes the open one; got a byte of 0x7d"},
       {"seed = 1\n\xcc\xbe = 2\n",
        "c.toml:2: must be ASCII outside of quotes and comments; got a byte of 0xcc"},
       {"kernel = \"\"\"\\\n \xc3\xa9\"\"\"\n",
        "c.toml:2: must be ASCII after a backslash in three quotes; got a byte of 0xc3"},
       {"seed = 1\nsteps = 2\"\xc3\xa9\"\n",
        "c.toml:2: must be without quotes in a number; got a byte of 0x22"},
       {"seed = 1\nsteps = 2='\xc3\xa9'\n",
        "c.toml:2: must be without quotes in a number; got a byte of 0x27"},
       {"seed = 1\nsteps = 0989-02-57 7 \n",
        "c.toml:2: must be a single value; got a byte of 0x37"}});
}

TEST(BadConfig, RefusesAKeyOfAnotherTarget) {
  expect_refused_config(
      "target = \"banana\"\ndim = 3\n",
      "c.toml:2: dim: is a setting of normal and funnel; this run's target is banana");
}

TEST(Config, SaysAllThatTheOptionsCan) {
  const Place place;
  place.write("c.toml",
              "target = \"banana\"\nsteps = 5\nparticles = 16\nout = \"out/m\"\nquiet = true\n"
              "format = \"csv\"\ncheckpoint-every = 2\nfail-unless-converged = false\n"
              "time-limit = 500\nmemory-limit = \"900T\"\n");
  EXPECT_EQ(succeed(place, "sample --config c.toml --trust"), "");
  EXPECT_TRUE(place.has("out/m/draws.csv"));
  EXPECT_FALSE(place.has("out/m/draws.npz"));
}

TEST(Config, DoesNotSayAloneWhereToWrite) {
  const Place place;
  place.write(
      "c.toml",
      "target = \"banana\"\nsteps = 5\nparticles = 16\nquiet = true\nout = \"elsewhere/m\"\n");
  const Ended ended = place.run("sample --config c.toml");
  EXPECT_EQ(ended.code, usage);
  EXPECT_EQ(ended.err, "starling: --out: c.toml says elsewhere/m; give --out elsewhere/m, or "
                       "--trust to write where it says\n");
  EXPECT_FALSE(place.has("elsewhere"));
  succeed(place, "sample --config c.toml --out here/m");
  EXPECT_TRUE(place.has("here/m/draws.csv"));
  EXPECT_FALSE(place.has("elsewhere"));
}

TEST(BadConfig, RefusesValuesOfTheWrongType) {
  expect_refused_configs(
      {{"\nparticles = \"ten\"\n",
        "c.toml:2: particles: must be a whole number of at least 0; got 'ten'"},
       {"particles = 3.5\n", "c.toml:1: particles: must be a whole number of at least 0; got 3.5"},
       {"steps = -5\n", "c.toml:1: steps: must be a whole number of at least 0; got -5"},
       {"step-size = \"big\"\n", "c.toml:1: step-size: must be a number; got 'big'"},
       {"step-size = true\n", "c.toml:1: step-size: must be a number; got true"},
       {"replace = 1\n", "c.toml:1: replace: must be true or false; got 1"},
       {"batch = [8]\n", "c.toml:1: batch: must be a text or a number; got an array"}});
}

TEST(BadConfig, RefusesBadValuesAsTheCommandLineDoesButBlamesTheFile) {
  expect_refused_configs(
      {{"particles = 0\n", "c.toml: particles: must be at least 1; got 0"},
       {"batch = 1\n", "c.toml: batch: must be a whole number of at least 2; got '1'"},
       {"bandwidth = -1.0\n",
        "c.toml: bandwidth: must be a positive number, median or median:M; got '-1'"},
       {"bandwidth = nan\n",
        "c.toml: bandwidth: must be a positive number, median or median:M; got 'nan'"},
       {"step-size = nan\n", "c.toml: step-size: must be a positive finite number; got nan"},
       {"advance = \"adma\"\n",
        "c.toml: advance: must be one of adagrad, adagrad-sum, constant, decay, "
        "rmsprop, adam, rk4, splitting, stochastic; got 'adma'; did you mean 'adam'?"}});
}

TEST(BadConfig, BlamesTheCommandLineForItsOwnMistakes) {
  const Place place;
  place.write("c.toml", "particles = 10\n");
  expect_refused(place, "sample mixture --config c.toml --batch 11 --out out/m", usage,
                 "batch: must be at most the number of particles, 10; got 11");
}

TEST(BadConfig, IsNoMistakeWhereTheCommandLineSaysOtherwise) {
  const Place place;
  place.write("c.toml", "target = \"mixture\"\nparticles = 0\nsteps = 3\n");
  succeed(place, "sample --config c.toml --particles 16 --out out/m");
}

} // namespace
} // namespace starling::cli
