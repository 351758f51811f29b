// Back ends that are not in this build: they link, and say so to whoever calls them.
#include <starling/back_ends.hpp>
#include <starling/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace starling;

template <typename Call>
std::string not_built(Call&& call) {
  try {
    call();
  } catch (const NotBuilt& error) {
    return error.what();
  }
  return "it was built";
}

/// A back end either lists what it runs on, or throws NotBuilt: never neither.
template <typename Call>
void expect_consistent(const BackEnd& one, Call&& call) {
  EXPECT_EQ(one.why_not.empty(), one.present()) << one.name;
  if (one.built)
    EXPECT_EQ(not_built(call), "it was built") << one.name;
  else
    EXPECT_EQ(not_built(call), one.name + ": not in this build of starling");
}

TEST(BackEnds, ThatAreAbsentLinkAndThrowNotBuilt) {
  expect_consistent(cuda::back_end(), [] { cuda::devices(); });
  expect_consistent(mpi::back_end(), [] { mpi::ranks(); });
}

TEST(BackEnds, AreListedWithTheHostFirst) {
  const auto all = back_ends();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "cpu");
  EXPECT_TRUE(all[0].present());
  EXPECT_EQ(all[1].name, "cuda");
  EXPECT_EQ(all[2].name, "mpi");
  for (const BackEnd& one : all)
    EXPECT_EQ(one.why_not.empty(), one.present()) << one.name;
}

} // namespace
