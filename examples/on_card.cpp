// A cloud of many particles on a graphics card from C++, and on the host where there is no card.
#include "assemble/flight.hpp"
#include "plan/plan.hpp"

#include <starling/back_ends.hpp>
#include <starling/run/fly.hpp>

#include <cstdio>

using namespace starling;

int main() {
  const BackEnd cards = cuda::back_end();
  plan::Recipe recipe; // the options of `starling sample`, by their names
  recipe.target = "banana";
  recipe.device = cards.present() ? "cuda" : "cpu";
  recipe.precision = "single";
  recipe.method = "paper";
  recipe.particles = cards.present() ? 1000000 : 2000;
  recipe.batch = "8";
  recipe.steps = 500;
  std::printf("%s\n", cards.present() ? cards.devices[0].c_str() : cards.why_not.c_str());
  const auto flight = assemble::make_flight(plan::resolve(recipe));
  const run::Outcome outcome = run::fly(*flight);
  for (const auto& parameter : outcome.parameters())
    std::printf("%s: mean %.2f, sd %.2f\n", parameter.name.c_str(), parameter.mean, parameter.sd);
  std::printf("%s: %s\n", judge::word(outcome.diagnosis.judgement).c_str(),
              judge::sentence(outcome.diagnosis.judgement).c_str());
  return outcome.steps_done == recipe.steps ? 0 : 1;
}
