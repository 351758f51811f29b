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
std::vector<GroupCertificate> two(Finding first, double se, double error = 0) {
  std::vector<GroupCertificate> parts{{.25, se, {}, {-10}, {1}}, {.75, se, {}, {10}, {1}}};
  for (GroupCertificate& part : parts) {
    part.certificate.finding = Finding::confirmed;
    for (const Trait trait : {Trait::value, Trait::winsorised, Trait::square})
      part.certificate.all.push_back({0, trait, trait == Trait::square ? 0 : error, .02, .1});
    part.certificate.worst = part.certificate.all[0];
  }
  parts[0].certificate.finding = first;
  return parts;
}

TEST(CombineCertificates, IsConfirmedIfAllAreAndTheSharesAreKnown) {
  EXPECT_EQ(combine_certificates(two(Finding::confirmed, .01)).finding, Finding::confirmed);
  EXPECT_EQ(combine_certificates(two(Finding::confirmed, .016)).finding, Finding::undecided);
  EXPECT_EQ(combine_certificates(two(Finding::undecided, .01)).finding, Finding::undecided);
  EXPECT_EQ(combine_certificates(two(Finding::moved, .01)).finding, Finding::moved);
}

// Mean 5, variance 1 + 100 - 25 = 76. Both means too low by .1: the whole is, by .1 / sqrt(76). The
// shares add .01 sqrt(15^2 + 5^2) / sqrt(76) to the error of the mean.
TEST(CombineCertificates, AddsTheErrorsOfPartsAndShares) {
  const Certificate whole = combine_certificates(two(Finding::confirmed, .01, .1));
  ASSERT_EQ(whole.all.size(), 3u);
  const double sd = std::sqrt(76.0);
  EXPECT_NEAR(whole.all[0].error, .1 / sd, 1e-12);
  const double parts = std::pow(.25 * .02 / sd, 2) + std::pow(.75 * .02 / sd, 2);
  EXPECT_NEAR(whole.all[0].se, std::sqrt(parts + 1e-4 * (225 + 25) / 76), 1e-12);
  // The variance rises by 2 sum p (m_g - m) dm_g = 2 (.25 (-15) + .75 5) .1 = 0.
  EXPECT_NEAR(whole.all[2].error, 0, 1e-12);
  EXPECT_EQ(whole.all[2].trait, Trait::square);
}

// A trait that a group did not follow is not known to be right there, and the whole says nothing.
TEST(CombineCertificates, DoesNotTakeWhatAGroupDidNotFollowForRight) {
  std::vector<GroupCertificate> parts = two(Finding::confirmed, .01, .1);
  parts[1].certificate.all.erase(parts[1].certificate.all.begin()); // no mean, so no variance
  parts[1].certificate.heavy = {0};
  Certificate whole = combine_certificates(parts);
  ASSERT_EQ(whole.all.size(), 1u);
  EXPECT_EQ(whole.all[0].trait, Trait::winsorised);
  EXPECT_EQ(whole.heavy, std::vector<std::size_t>{0});
  EXPECT_EQ(whole.not_followed, 0u);
  parts[1].certificate.all.clear();
  whole = combine_certificates(parts);
  EXPECT_TRUE(whole.all.empty());
  EXPECT_EQ(whole.not_followed, 1u);
}

TEST(CombineCertificates, SaysHowManyWereMoved) {
  std::vector<GroupCertificate> parts = two(Finding::confirmed, .01);
  EXPECT_EQ(combine_certificates(parts).particles, 0u); // everyone
  parts[0].certificate.particles = 256;
  parts[1].certificate.particles = 100;
  EXPECT_EQ(combine_certificates(parts).particles, 356u);
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
  EXPECT_EQ(groups_line(four()), "groups: 4 (.10 .20 .30 .40, each +- .01)");
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_THAT(group_places(four(), names), HasSubstr(".10 +- .01 at a = -5, b = 10; .20"));
  std::vector<Group> counted = four();
  for (Group& one : counted)
    one.se = NAN;
  EXPECT_EQ(groups_line(counted), "groups: 4 (of 100 200 300 400 particles, not weighed)");
  const Judgement well{Verdict::converged, evidence::Balanced{}};
  const Judgement local = judge_unweighed_groups(well, counted, names);
  EXPECT_EQ(local.verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(local), HasSubstr("4 separate groups (100 particles at a = -5, b = 10;"));
  const Judgement moving{Verdict::still_moving, evidence::Failed{"go on"}};
  EXPECT_EQ(sentence(judge_unweighed_groups(moving, counted, names)), "go on");
  EXPECT_EQ(judge_unweighed_groups(well, {}, names).verdict, Verdict::converged);
}

TEST(GroupsInWords, SaysConvergedOnlyWithoutDoubt) {
  const std::vector<std::string> names{"a", "b", "c"};
  Certificate whole = combine_certificates(two(Finding::confirmed, .01));
  const auto judged = [&](const std::vector<Group>& groups, const char* doubt) {
    return judge_weighed_groups(whole, names, groups, names, doubt);
  };
  EXPECT_EQ(judged(four(), "").verdict, Verdict::converged);
  EXPECT_EQ(judged(four(), "they overlap").verdict, Verdict::cannot_tell);
  EXPECT_THAT(sentence(judged(four(), "they overlap")), HasSubstr("): they overlap"));
  std::vector<Group> wide_errors = four();
  wide_errors[0].se = .02;
  whole.finding = Finding::undecided;
  EXPECT_THAT(sentence(judged(wide_errors, "")), HasSubstr("not known well enough"));
  whole.finding = Finding::moved; // what is clearly wrong is said, whatever the shares are
  EXPECT_EQ(judged(wide_errors, "they overlap").verdict, Verdict::still_moving);
}

} // namespace
