// A run that is watched: looks on the way, a checkpoint to go on from, and a verdict at its end.
#include <starling/starling.hpp>

#include <cstdio>

using namespace starling;

int main() {
  const auto roles = [] { // the mixture 1/3 N(-2, 1) + 2/3 N(2, 1), in batches of 32
    using Gaussian = kernel::Gaussian<double>;
    return run::roles_of<double>(
        lift<double>(1, Mixture<double>::paper()), Shuffle(1, 32),
        cpu::PairwiseDrift<double, Gaussian>(Gaussian(0.35)),
        ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(0.2)));
  };
  run::Settings settings;
  settings.particles = 500;
  settings.steps = 1000;
  const auto flight =
      run::begin<double>(roles(), settings, [](Rows<double> x) { start_normal(x, 1, -10, 1); });
  flight->take(400, {}); // as if it stopped here
  run::write_checkpoint("here.checkpoint", flight->save());
  const auto again =
      run::resume(roles(), settings, run::read_checkpoint("here.checkpoint"), "here.checkpoint");
  const run::Outcome outcome = run::fly(*again); // to the end, bit for bit as if it had not
  for (const judge::TraceRow& look : outcome.trace)
    std::printf("step %4d: spread %.3f, %s\n", int(look.step), look.spread,
                look.verdict ? judge::word(*look.verdict).c_str() : "");
  std::printf("mean %.2f (exact 0.67), sd %.2f (exact 2.13)\n%s: %s\n",
              outcome.parameters()[0].mean, outcome.parameters()[0].sd,
              judge::word(outcome.diagnosis.judgement).c_str(),
              judge::sentence(outcome.diagnosis.judgement).c_str());
  return outcome.diagnosis.judgement.converged() ? 0 : 1;
}
