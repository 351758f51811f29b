// Plugins: what is called, how often and from where; and what is said when one cannot be used.
#include "foreign/libraries.hpp"

#include "cli/command.hpp"
#include "foreign/in_double.hpp"
#include "foreign/plugin.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace starling::foreign {
namespace {

/// log pi = -|x|^2 / 2, score = -x.
void expect_standard_normal(const Cloud& cloud) {
  for (std::size_t i = 0; i < cloud.rows.count; ++i) {
    double density = 0;
    for (std::size_t a = 0; a < cloud.rows.dim; ++a) {
      EXPECT_EQ(cloud.scores[i][a], -cloud.rows[i][a]);
      density -= cloud.rows[i][a] * cloud.rows[i][a] / 2;
    }
    EXPECT_EQ(cloud.density[i], density);
  }
}

TEST(Plugin, IsAskedForAllParticlesInOneCall) {
  Plugin plugin(library("plugin_all"), "", Threads::alone());
  ASSERT_EQ(plugin.dim(), 2u);
  Cloud cloud(50, 2);
  const auto before = ask<std::size_t>("plugin_all", "calls_seen");
  plugin.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  EXPECT_EQ(ask<std::size_t>("plugin_all", "calls_seen"), before + 1);
  expect_standard_normal(cloud);
}

TEST(Plugin, IsAskedForOneParticleAtATimeFromOneThreadUnlessItAllowsMore) {
  Threads threads(4);
  Plugin plugin(library("plugin_single"), "", threads);
  Cloud cloud(50000, 2); // so many that another thread would come to its turn
  const auto before = ask<std::size_t>("plugin_single", "calls_seen");
  plugin.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  EXPECT_EQ(ask<std::size_t>("plugin_single", "calls_seen"), before + 50000);
  EXPECT_EQ(ask<int>("plugin_single", "other_thread_seen"), 0);
  expect_standard_normal(cloud);
}

TEST(Plugin, GivesTheSameOnAllThreads) {
  Threads threads(3);
  Plugin plugin(library("plugin_threads"), "", threads);
  Cloud cloud(500, 2);
  plugin.evaluate(0, cloud.rows, cloud.scores, cloud.density);
  expect_standard_normal(cloud);
}

TEST(Plugin, MayTakeItsDimensionFromTheData) {
  const cli::Place place;
  place.write("d.txt", "5\n");
  EXPECT_EQ(Plugin(library("plugin_all"), place.path("d.txt"), Threads::alone()).dim(), 5u);
}

TEST(Plugin, NamesItsParametersWhereItWants) {
  EXPECT_EQ(Plugin(library("plugin_all"), "", Threads::alone()).names(),
            (std::vector<std::string>{"place[1]", "x[2]"}));
  EXPECT_TRUE(Plugin(library("plugin_single"), "", Threads::alone()).names().empty());
}

TEST(Plugin, ThatFailsIsBlamedWithTheParticleAndItsOwnWords) {
  Threads threads(3);
  Cloud cloud(100, 2, 0.1);
  cloud.rows[37][0] = cloud.rows[90][0] = 4;
  for (const auto& [name, words] : {std::pair("plugin_fails", "too far to the right"),
                                    std::pair("plugin_fails_single", "the plugin returned 7")}) {
    Plugin plugin(library(name), "", threads);
    EXPECT_EQ(thrown_by<TargetError>(
                  [&] { plugin.evaluate(12, cloud.rows, cloud.scores, cloud.density); }),
              std::string("target: failed at step 12, particle 37: ") + words);
  }
}

TEST(Plugin, ThatFailsForAllTogetherButForNoneAloneIsBlamedForThat) {
  Plugin plugin(library("plugin_moody"), "", Threads::alone());
  Cloud cloud(3, 2);
  EXPECT_EQ(
      thrown_by<TargetError>([&] { plugin.evaluate(2, cloud.rows, cloud.scores, cloud.density); }),
      "target: failed at step 2, particle 0: too many (for all particles at once)");
}

TEST(Plugin, ServesFloatsByCopies) {
  InDouble<float, Plugin> target(
      std::make_shared<Plugin>(library("plugin_all"), "", Threads::alone()));
  std::vector<float> x = {1.5f, -2, 0.25f, 3}, score(4), density(2);
  target.evaluate({x.data(), 2, 2}, {score.data(), 2, 2}, density);
  EXPECT_EQ(score, (std::vector<float>{-1.5f, 2, -0.25f, -3}));
  EXPECT_EQ(density, (std::vector<float>{-3.125f, -4.53125f}));
  std::ranges::fill(score, 0.0f);
  target(7, {x.data(), 2, 2}, {score.data(), 2, 2});
  EXPECT_EQ(score, (std::vector<float>{-1.5f, 2, -0.25f, -3}));
}

std::string refusal(const std::string& file, const std::string& data = "") {
  return thrown_by<BadLibrary>([&] { Plugin(file, data, Threads::alone()); });
}

TEST(Plugin, WithoutAFunctionThatMustBeThereIsRefusedByTheNameOfTheFunction) {
  std::string file = library("plugin_no_dim");
  EXPECT_EQ(refusal(file), file + ": must export starling_dim; got a library without it");
  file = library("plugin_no_density");
  EXPECT_EQ(refusal(file), file + ": must export starling_log_density_all, starling_log_density or "
                                  "starling_log_likelihood_rows; got a library without them");
  file = library("plugin_no_open");
  EXPECT_EQ(refusal(file), "nothing was thrown");
  EXPECT_EQ(refusal(file, "data.txt"),
            file + ": must export starling_open to be given data; got a library without it");
}

TEST(Plugin, ThatRefusesItsDataIsQuotedInOneLine) {
  const cli::Place place;
  const std::string file = place.path("d.txt");
  place.write("d.txt", "many\n");
  EXPECT_EQ(refusal(library("plugin_all"), file),
            file + ": must begin with the number of parameters");
  place.write("d.txt", "0\n");
  EXPECT_EQ(refusal(library("plugin_all"), file),
            library("plugin_all") + ": starling_dim: must be at least 1; got 0");
}

TEST(Library, ThatIsNoneIsRefusedWithTheReason) {
  const cli::Place place;
  const std::string file = place.path("none.so");
  place.write("none.so", std::string(200, '#'));
  EXPECT_EQ(refusal(file), file + ": cannot be loaded as a shared library: invalid ELF "
                                  "header");
  EXPECT_NE(refusal(place.path("")).find("cannot be loaded as a shared library: "),
            std::string::npos);
}

TEST(Library, KeepsItsNamesToItselfAndStaysWhenItsOwnerIsGone) {
  const std::string file = library("plugin_threads");
  { const Library owner(file); }
  EXPECT_NE(::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_EQ(::dlsym(RTLD_DEFAULT, "starling_dim"), nullptr); // two libraries may use one name
}

TEST(Library, ThatLacksAFunctionItCallsIsRefusedAtOnceNotInTheMiddleOfARun) {
  const std::string said = refusal(library("plugin_unresolved"));
  EXPECT_NE(said.find("undefined symbol: nobody_has_this"), std::string::npos) << said;
}

TEST(OneLine, TakesLineBreaksAndOuterBlanksOut) {
  EXPECT_EQ(one_line(" two\nlines\r\n"), "two lines");
  EXPECT_EQ(one_line("\n \n"), "");
  EXPECT_EQ(one_line(""), "");
}

} // namespace
} // namespace starling::foreign
