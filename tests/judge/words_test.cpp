// Verdicts and their words: each has one, and every kind of evidence makes a sentence.
#include <starling/judge/verdict.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace {

using namespace starling::judge;
using testing::HasSubstr;

constexpr Verdict verdicts[] = {Verdict::diverged, Verdict::still_moving, Verdict::collapsed,
                                Verdict::noisy,    Verdict::cannot_tell,  Verdict::converged};

std::string page(const std::string& name) {
  std::ifstream stream(std::string(STARLING_SOURCE_DIR) + "/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(VerdictWords, GoThereAndBackAndAreExplained) {
  std::set<std::string> seen;
  for (const Verdict verdict : verdicts) {
    EXPECT_TRUE(seen.insert(word(verdict)).second) << word(verdict);
    EXPECT_EQ(verdict_from(word(verdict)), verdict);
    EXPECT_THAT(page("docs/diagnostics.md"), HasSubstr("| " + word(verdict) + " |"));
    EXPECT_THAT(page("python/starling/page/words.py"), HasSubstr("\"" + word(verdict) + "\": ("));
  }
  EXPECT_EQ(verdict_from("well"), std::nullopt);
  EXPECT_EQ(verdict_from(""), std::nullopt);
}

TEST(VerdictWords, WorseVerdictsComeFirst) {
  const char* const order[] = {"diverged", "still moving", "collapsed",
                               "noisy",    "cannot tell",  "converged"};
  for (std::size_t n = 0; n < std::size(order); ++n) {
    EXPECT_EQ(static_cast<std::size_t>(verdicts[n]), n);
    EXPECT_EQ(word(verdicts[n]), order[n]);
  }
}

template <std::size_t... N>
void expect_sentences(std::index_sequence<N...>) {
  for (const Evidence& one :
       {Evidence(std::in_place_index<N + 1>)...}) { // all but the first, which is none
    if (std::holds_alternative<evidence::GroupsNotWeighed>(one) ||
        std::holds_alternative<evidence::Failed>(one))
      continue; // of no groups there are no places; the words of an error are its own
    const Judgement judgement{Verdict::cannot_tell, one};
    EXPECT_TRUE(judgement.judged());
    EXPECT_GT(sentence(judgement).size(), 20u) << one.index();
  }
}

TEST(VerdictWords, EveryEvidenceMakesASentence) {
  expect_sentences(std::make_index_sequence<std::variant_size_v<Evidence> - 1>());
  EXPECT_EQ(sentence(Judgement{}), "");
  EXPECT_EQ(word(Judgement{}), "");
}

TEST(VerdictWords, HaveTheFiguresOfTheEvidence) {
  const Judgement off{Verdict::still_moving, evidence::OffCentre{"mu", 1.5, std::nullopt}};
  EXPECT_EQ(word(off), "still moving");
  EXPECT_EQ(sentence(off), "the mean of mu is about 1.5 sd off, by its gradients: take more "
                           "--steps, or give a nearer --start");
  const Judgement unlike{Verdict::still_moving,
                         evidence::OffCentre{"mu", 1.5, evidence::UnlikeWidths{300, "a", "b"}}};
  EXPECT_THAT(sentence(unlike),
              HasSubstr("the scales of a and b differ by a factor of about 3e+02"));
}

TEST(VerdictWords, RemarksAreSaidInTheirOrder) {
  Judgement judgement{Verdict::converged, evidence::Balanced{}};
  judgement.remark(evidence::NotCertified{evidence::NotCertified::Why::periodic});
  judgement.remark(evidence::LostParticles{3, 1000, false});
  judgement.remark(evidence::OfRun{2});
  EXPECT_EQ(sentence(judgement),
            "run 2: the density fails at 3 of 1000 particles; for the others, means and spreads "
            "fit the gradients (not checked by HMC: HMC needs all of R^d)");
}

} // namespace
