// Groups judged together, and their words.
#include <starling/judge/groups.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace starling;
using namespace starling::judge;
using testing::HasSubstr;

/// Two parts 20 apart, each of sd 1, with these findings and errors of the share.
std::vector<Part> two(Finding first, double se, double error = 0) {
  std::vector<Part> parts{{.25, se, {}, {-10}, {1}}, {.75, se, {}, {10}, {1}}};
  for (Part& part : parts) {
    part.certificate.finding = Finding::confirmed;
    for (const Trait trait : {Trait::value, Trait::winsorised, Trait::square})
      part.certificate.all.push_back({0, trait, trait == Trait::square ? 0 : error, .02, .1});
    part.certificate.worst = part.certificate.all[0];
  }
  parts[0].certificate.finding = first;
  return parts;
}

TEST(Together, IsConfirmedIfAllAreAndTheSharesAreKnown) {
  EXPECT_EQ(together(two(Finding::confirmed, .01)).finding, Finding::confirmed);
  EXPECT_EQ(together(two(Finding::confirmed, .016)).finding, Finding::undecided);
  EXPECT_EQ(together(two(Finding::undecided, .01)).finding, Finding::undecided);
  EXPECT_EQ(together(two(Finding::moved, .01)).finding, Finding::moved);
}

// Mean 5, variance 1 + 100 - 25 = 76. Both means too low by .1: the whole is, by .1 / sqrt(76). The
// shares add .01 sqrt(15^2 + 5^2) / sqrt(76) to the error of the mean.
TEST(Together, AddsTheErrorsOfPartsAndShares) {
  const Certificate whole = together(two(Finding::confirmed, .01, .1));
  ASSERT_EQ(whole.all.size(), 3u);
  const double sd = std::sqrt(76.0);
  EXPECT_NEAR(whole.all[0].error, .1 / sd, 1e-12);
  const double parts = std::pow(.25 * .02 / sd, 2) + std::pow(.75 * .02 / sd, 2);
  EXPECT_NEAR(whole.all[0].se, std::sqrt(parts + 1e-4 * (225 + 25) / 76), 1e-12);
  // The variance rises by 2 sum p (m_g - m) dm_g = 2 (.25 (-15) + .75 5) .1 = 0.
  EXPECT_NEAR(whole.all[2].error, 0, 1e-12);
  EXPECT_EQ(whole.all[2].trait, Trait::square);
}

std::vector<Group> four() {
  std::vector<Group> groups;
  for (const double share : {.1, .2, .3, .4})
    groups.push_back({share,
                      .0042,
                      std::size_t(1000 * share),
                      {share > .25 ? 5.0 : -5.0, share * 100, 0},
                      {1, 1, 1}});
  return groups;
}

TEST(GroupsInWords, NamesSharesErrorsAndPlaces) {
  EXPECT_EQ(line(four()), "groups: 4 (.10 .20 .30 .40, each +- .01)");
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_THAT(places(four(), names), HasSubstr(".10 +- .01 at a = -5, b = 10; .20"));
  std::vector<Group> counted = four();
  for (Group& one : counted)
    one.se = NAN;
  EXPECT_EQ(line(counted), "groups: 4 (of 100 200 300 400 particles, not weighed)");
  const Verdict local = not_by_local_tests({"converged", "all is well"}, counted, names);
  EXPECT_EQ(local.word, "cannot tell");
  EXPECT_THAT(local.sentence, HasSubstr("4 separate groups (100 particles at a = -5, b = 10;"));
  EXPECT_EQ(not_by_local_tests({"still moving", "go on"}, counted, names).sentence, "go on");
  EXPECT_EQ(not_by_local_tests({"converged", "well"}, {}, names).word, "converged");
}

TEST(GroupsInWords, SaysConvergedOnlyWithoutDoubt) {
  const std::vector<std::string> names{"a", "b", "c"};
  Certificate whole = together(two(Finding::confirmed, .01));
  EXPECT_EQ(certified(whole, names, four(), names, "").word, "converged");
  EXPECT_EQ(certified(whole, names, four(), names, "they overlap").word, "cannot tell");
  EXPECT_THAT(certified(whole, names, four(), names, "they overlap").sentence,
              HasSubstr("): they overlap"));
  std::vector<Group> unsure = four();
  unsure[0].se = .02;
  whole.finding = Finding::undecided;
  EXPECT_THAT(certified(whole, names, unsure, names, "").sentence,
              HasSubstr("not known well enough"));
}

} // namespace
