// Which dealer a plan takes when none is asked for: by the numbers of particles and of a batch.
#include "assemble/roles.hpp"
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starling::plan {
namespace {

std::string chosen(std::size_t particles, const char* batch, const char* asked = "",
                   const char* grow = "") {
  Recipe recipe;
  recipe.target = "normal";
  recipe.method = "paper";
  recipe.particles = particles;
  recipe.batch = batch;
  recipe.deal = asked;
  recipe.grow_batch = grow;
  return resolve(recipe).dealer->name;
}

TEST(Dealers, AreChosenBySizeWhereNoneIsAskedFor) {
  EXPECT_EQ(chosen(4095, "8"), "shuffle");
  EXPECT_EQ(chosen(1024, "6"), "shuffle");
  for (const std::size_t particles : {8u, 256u, 4096u})
    EXPECT_EQ(chosen(particles, "8"), "cosets") << particles;
  EXPECT_EQ(chosen(4096, "8", "", "double:10"), "moebius");
  EXPECT_EQ(chosen(4096, "6"), "moebius");
  EXPECT_EQ(chosen(5000, "8"), "moebius");
  for (const std::size_t particles : {100u, 4096u, 5000u})
    EXPECT_EQ(chosen(particles, "2"), "matching") << particles;
}

TEST(Dealers, AreThoseThatAreAskedFor) {
  EXPECT_EQ(chosen(5000, "8", "shuffle"), "shuffle");
  EXPECT_EQ(chosen(4096, "8", "moebius"), "moebius");
  EXPECT_EQ(chosen(256, "8", "shuffle"), "shuffle");
  EXPECT_EQ(chosen(5000, "2", "shuffle"), "shuffle");
}

} // namespace
} // namespace starling::plan
