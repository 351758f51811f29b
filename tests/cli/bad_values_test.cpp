// Options that cannot be: one line that says what would be right, exit code 64, nothing left
// behind.
#include "command.hpp"

namespace starling::cli {
namespace {

/// Runs `sample mixture OPTIONS --out out/m`.
void expect_refused_option(const std::string& given, const std::string& message) {
  const Place place;
  expect_refused(place, "sample mixture " + given + " --out out/m", usage, message);
}

const std::string kernels =
    "must be one of gaussian, gaussian-paper, imq, matern32, matern52, "
    "polynomial, parameters, sinc, riesz, riesz-smooth, marginals, bilinear; got ";

TEST(BadValues, RefusesAnEmptyTextWhereThereIsADefault) {
  const Place place;
  for (const std::string option : {"--kernel", "--advance", "--precision", "--device"}) {
    const std::vector<std::string> line = {"sample", "mixture", option, ""};
    const Ended ended =
        Running(STARLING_BINARY, line, place.path(""), place.path(""), Running::Environment())
            .wait();
    EXPECT_EQ(ended.code, usage);
    EXPECT_EQ(ended.err, "starling: " + option + ": needs a value; got ''\n");
  }
}

TEST(BadValues, RefusesABatchBelowTwoOrAboveTheNumberOfParticles) {
  expect_refused_option("--batch 1", "batch: must be a whole number of at least 2; got '1'");
  expect_refused_option("--batch 0", "batch: must be a whole number of at least 2; got '0'");
  expect_refused_option("--batch -3", "batch: must be a whole number of at least 2; got '-3'");
  expect_refused_option("--batch many", "batch: must be a whole number of at least 2; got 'many'");
  expect_refused_option("--particles 10 --batch 11",
                        "batch: must be at most the number of particles, 10; got 11");
  expect_refused_option("--particles 1 --batch 2",
                        "batch: must be at most the number of particles, 1; got 2");
}

TEST(BadValues, RefusesNumbersOfParticlesAndStepsThatAreNone) {
  expect_refused_option("--particles 0", "particles: must be at least 1; got 0");
  expect_refused_option("--particles -1",
                        "particles: must be a whole number of at least 0; got '-1'");
  expect_refused_option("--particles 1.5",
                        "particles: must be a whole number of at least 0; got '1.5'");
  expect_refused_option("--particles ten",
                        "particles: must be a whole number of at least 0; got 'ten'");
  expect_refused_option("--particles 5000000000", "particles: must be below 2^32; got 5000000000");
  expect_refused_option("--steps -5", "steps: must be a whole number of at least 0; got '-5'");
  expect_refused_option("--steps=-5", "steps: must be a whole number of at least 0; got '-5'");
  expect_refused_option("--steps 1e3", "steps: must be a whole number of at least 0; got '1e3'");
  expect_refused_option("--seed -1", "seed: must be a whole number of at least 0; got '-1'");
  expect_refused_option("--threads 5000", "threads: must be at most 1024; got 5000");
}

TEST(BadValues, RefusesABandwidthThatIsNotPositive) {
  const std::string rule = "bandwidth: must be a positive number, median or median:M; got ";
  expect_refused_option("--bandwidth 0", rule + "'0'");
  expect_refused_option("--bandwidth -1", rule + "'-1'");
  expect_refused_option("--bandwidth=-0.5", rule + "'-0.5'");
  expect_refused_option("--bandwidth nan", rule + "'nan'");
  expect_refused_option("--bandwidth inf", rule + "'inf'");
  expect_refused_option("--bandwidth wide", rule + "'wide'");
  expect_refused_option("--bandwidth none", rule + "'none'");
  expect_refused_option("--bandwidth median:0",
                        "bandwidth median:M: must be a whole number of at least 1; got '0'");
  expect_refused_option(
      "--bandwidth median --particles 30000",
      "bandwidth: must be median:M (M pairs) above 20000 particles; got 'median'");
}

TEST(BadValues, RefusesAStepSizeThatIsNotPositive) {
  expect_refused_option("--step-size 0", "step-size: must be a positive finite number; got 0");
  expect_refused_option("--step-size -1", "step-size: must be a positive finite number; got -1");
  expect_refused_option("--step-size -1e-9",
                        "step-size: must be a positive finite number; got -1e-09");
  expect_refused_option("--step-size nan", "step-size: must be a finite number; got 'nan'");
  expect_refused_option("--step-size inf", "step-size: must be a finite number; got 'inf'");
  expect_refused_option("--step-size 1e999", "step-size: must be a finite number; got '1e999'");
  expect_refused_option("--step-size fast", "step-size: must be a finite number; got 'fast'");
  expect_refused_option("--decay-tau 0", "decay-tau: must be a positive finite number; got 0");
  expect_refused_option("--decay-power -1", "decay-power: must be at least 0; got -1");
}

TEST(BadValues, RefusesUnknownNamesAndSuggestsTheNearest) {
  const Place place;
  expect_refused(place, "sample mixtur --out out/m", usage,
                 "target: must be one of mixture, normal, banana, funnel, logistic, linear, "
                 "poisson, multinomial, stan, plugin; "
                 "got 'mixtur'; did you mean 'mixture'?");
  expect_refused(place, "sample lgistic --out out/m", usage,
                 "target: must be one of mixture, normal, banana, funnel, logistic, linear, "
                 "poisson, multinomial, stan, plugin; "
                 "got 'lgistic'; did you mean 'logistic'?");
  expect_refused(place, "sampel mixture", usage, "sampel: is no command; did you mean 'sample'?");
  expect_refused(place, "sample mixture --particels 10 --out out/m", usage,
                 "--particels: is no option of sample; did you mean '--particles'?");
  expect_refused(place, "sample mixture --step_size=0.1 --out out/m", usage,
                 "--step_size=0.1: is no option of sample; did you mean '--step-size'?");
  expect_refused_option("--kernel gausian",
                        "kernel: " + kernels + "'gausian'; did you mean 'gaussian'?");
  expect_refused_option("--advance adagrda",
                        "advance: must be one of adagrad, adagrad-sum, constant, decay, rmsprop, "
                        "adam, rk4, splitting, stochastic; got 'adagrda'; did you mean 'adagrad'?");
  expect_refused_option("--start nromal:0,1",
                        "start: must be one of normal, uniform, FILE.npy; got 'nromal'; did "
                        "you mean 'normal'?");
  expect_refused_option("--grow-batch duble:3", "grow-batch: must be one of double, power; got "
                                                "'duble'; did you mean 'double'?");
  expect_refused_option(
      "--deal shufle", "deal: must be one of shuffle, moebius, cosets, matching; got 'shufle'; did "
                       "you mean 'shuffle'?");
  expect_refused_option("--domain tours:3",
                        "domain: must be one of torus; got 'tours'; did you mean 'torus'?");
  expect_refused_option("--precision dubble", "precision: must be one of double, single; got "
                                              "'dubble'; did you mean 'double'?");
  expect_refused_option("--progress plane", "progress: must be one of auto, bar, plain, none; got "
                                            "'plane'; did you mean 'plain'?");
}

TEST(BadValues, SuggestsNothingWhenNothingIsNear) {
  expect_refused_option("--kernel xyzzy", "kernel: " + kernels + "'xyzzy'");
  const Place place;
  expect_refused(place, "fly", usage, "fly: is no command");
}

TEST(BadValues, RefusesWordsTooManyAndTooFew) {
  const Place place;
  expect_refused(place, "sample --out out/m", usage,
                 "TARGET: must be given; see starling sample --help");
  expect_refused(place, "check", usage, "TARGET: must be given; see starling check --help");
  expect_refused(place, "summary", usage, "PATH: must be given; see starling summary --help");
  expect_refused(place, "sample mixture twice --out out/m", usage,
                 "twice: is one argument too many for sample");
  expect_refused(place, "sample mixture --out out/m --steps", usage, "--steps: needs a value");
  expect_refused(place, "sample mixture --sds --out out/m", usage,
                 "--sds: needs a value; got --out");
  expect_refused(place, "sample mixture --out --force", usage, "--out: needs a value; got --force");
  expect_refused(place, "sample mixture --out out/m --replace=no", usage,
                 "--replace: takes no value");
  expect_refused(place, "demo --threads two", usage,
                 "threads: must be a whole number of at least 0; got 'two'");
}

TEST(BadValues, RefusesKernelsWithTheWrongSettings) {
  expect_refused_option("--kernel gaussian:a=1", "kernel gaussian: takes no settings; got 'a=1'");
  expect_refused_option("--kernel polynomial:b=1",
                        "kernel polynomial: takes a=NUMBER, m=NUMBER; got 'b=1'");
  expect_refused_option("--kernel polynomial:m=1.5",
                        "kernel polynomial, m: must be a whole number from 1 to 64; got 1.5");
  expect_refused_option("--kernel polynomial:m=1e300",
                        "kernel polynomial, m: must be a whole number from 1 to 64; got 1e+300");
  expect_refused_option("--kernel sinc:a=big",
                        "kernel sinc, a: must be a finite number; got 'big'");
  expect_refused_option("--kernel riesz:a=0",
                        "kernel riesz, a: must be a positive finite number; got 0");
  expect_refused_option("--kernel riesz:a=1",
                        "kernel riesz, a: must be below the dimension, 1; got 1");
  expect_refused_option("--kernel riesz-smooth:a=1.5",
                        "kernel riesz-smooth, a: must be below the dimension, 1; got 1.5");
  expect_refused_option("--kernel riesz-smooth:s=-1",
                        "kernel riesz-smooth, s: must be a positive finite number; got -1");
  expect_refused_option("--kernel -1*imq", "kernel weight: must be positive; got -1");
  expect_refused_option("--kernel gaussian+", "kernel: " + kernels + "''");
}

TEST(BadValues, RefusesABandwidthForAKernelThatHasNone) {
  for (const std::string kernel :
       {"polynomial", "parameters", "sinc", "riesz", "riesz-smooth", "marginals"})
    expect_refused_option("--bandwidth 1 --kernel " + kernel,
                          "bandwidth: kernel " + kernel + " has none; leave --bandwidth out");
}

TEST(BadValues, RefusesPartsThatDoNotGoTogether) {
  expect_refused_option("--kernel sinc --means 0,0;1,1",
                        "kernel: sinc is for 1 dimension; the target has 2");
  expect_refused_option(
      "--advance splitting",
      "kernel: --advance splitting solves the repulsion of riesz:a=A alone; got 'gaussian'");
  expect_refused_option(
      "--advance splitting --kernel riesz+imq --batch 2",
      "kernel: --advance splitting solves the repulsion of riesz:a=A alone; got 'riesz+imq'");
  expect_refused_option("--advance splitting --kernel riesz",
                        "batch: --advance splitting moves pairs: use --batch 2; got 8");
  expect_refused_option("--advance splitting --kernel riesz --batch all",
                        "batch: --advance splitting moves pairs: use --batch 2; got all");
  expect_refused_option(
      "--domain torus:5 --kernel parameters",
      "kernel: parameters cannot be used on a torus, which needs smooth kernels of the distance");
  expect_refused_option(
      "--replace --kernel marginals",
      "kernel: the marginals part needs all of R^d, and batches without --replace");
  expect_refused_option("--kernel parameters:h=0",
                        "kernel parameters, h: must be a positive finite number; got 0");
  expect_refused_option(
      "--domain torus:5 --kernel polynomial",
      "kernel: polynomial cannot be used on a torus, which needs smooth kernels of the distance");
  expect_refused_option(
      "--domain torus:5 --kernel riesz",
      "kernel: riesz cannot be used on a torus, which needs smooth kernels of the distance");
  expect_refused_option("--domain torus:0",
                        "domain torus:L: must be a positive finite number; got 0");
  expect_refused_option("--domain torus", "domain torus:L: must be a finite number; got ''");
  expect_refused_option(
      "--replace --batch all",
      "replace: needs a batch smaller than all of the particles; got --batch all");
  expect_refused_option("--grow-batch double:3 --batch all",
                        "grow-batch: cannot be used with --batch all: nothing is left to grow");
  expect_refused_option("--grow-batch double:3 --replace",
                        "grow-batch: cannot be used with --replace");
  expect_refused_option(
      "--deal matching",
      "deal: matching does not deal these batches (pairs from a random tournament round, "
      "cheaper: for --batch 2 that does not grow, without --replace)");
  expect_refused_option("--grow-batch double:0",
                        "grow-batch double:K: must be a whole number of at least 1; got '0'");
  expect_refused_option("--grow-batch power:-1",
                        "grow-batch power:G: must be at least 0; got '-1'");
}

TEST(BadValues, RefusesAStartThatIsNone) {
  expect_refused_option("--start normal",
                        "start: must be normal:MEAN,SD with SD at least 0; got 'normal'");
  expect_refused_option("--start normal:0,-1",
                        "start: must be normal:MEAN,SD with SD at least 0; got 'normal:0,-1'");
  expect_refused_option("--start normal:0,1,2",
                        "start: must be normal:MEAN,SD with SD at least 0; got 'normal:0,1,2'");
  expect_refused_option("--start normal:a,1", "start: must be a finite number; got 'a'");
  expect_refused_option("--start uniform:1,1",
                        "start: must be uniform:LO,HI with LO below HI; got 'uniform:1,1'");
  expect_refused_option("--start prior",
                        "start: must be one of normal, uniform, FILE.npy; got 'prior'");
}

TEST(BadValues, RefusesTargetsThatAreNone) {
  expect_refused_option("--weights -1,2",
                        "mixture weight: must be a positive finite number; got -1");
  expect_refused_option("--weights 1/0,1", "weights: must be a finite number; got '1/0'");
  expect_refused_option("--weights 1",
                        "mixture weights and sds: must be as many as the means, 2; got "
                        "1 weights and 2 sds");
  expect_refused_option("--sds 0", "sds: must be positive; got 0");
  expect_refused_option("--means 0,0;1", "mixture mean: must be 2 finite numbers; got 1 numbers");
  const Place place;
  expect_refused(place, "sample normal --dim 0 --out out/m", usage,
                 "dim: must be at least 1; got 0");
  expect_refused(place, "sample normal --correlation 1 --out out/m", usage,
                 "correlation: must be between -1 and 1; got 1");
  expect_refused(place, "sample normal --dim 5 --correlation -0.9 --out out/m", usage,
                 "correlation: must be above -0.25 and below 1 in 5 dimensions; got -0.9");
  expect_refused(place, "sample funnel --dim 1 --out out/m", usage,
                 "dim: must be at least 2; got 1");
  expect_refused(place, "sample banana --width -1 --out out/m", usage,
                 "width: must be a positive finite number; got -1");
}

TEST(BadValues, AreShownWithoutWhatATerminalWouldObeyAndNotInFull) {
  const Place place;
  expect_refused(place, "sample logistic --data a\x1b[31mb.csv --label y --out out/m",
                 input_missing, "a\\x1b[31mb.csv: no such file");
  const Ended ended =
      place.run("sample logistic --label y --out out/m --data " + std::string(100000, 'z'));
  EXPECT_NE(ended.code, ok);
  EXPECT_LT(ended.err.size(), 3000u);
  expect_refused_option("--seed 99999999999999999999",
                        "seed: must be a whole number below 2^63; got '99999999999999999999'");
}

TEST(BadValues, RefusesOptionsOfAnotherTarget) {
  expect_refused_option("--dim 3",
                        "--dim: is an option of normal and funnel; the target here is mixture");
  expect_refused_option("--data d.csv", "--data: is an option of logistic, linear, poisson, "
                                        "multinomial, stan and plugin; the target here is mixture");
  expect_refused_option("--model m.so",
                        "--model: is an option of stan and plugin; the target here is mixture");
  expect_refused_option("--curvature 1",
                        "--curvature: is an option of banana; the target here is mixture");
  const Place place;
  expect_refused(place, "sample normal --means 0;1 --out out/m", usage,
                 "--means: is an option of mixture; the target here is normal");
  expect_refused(place, "check banana --dim 2", usage,
                 "--dim: is an option of normal and funnel; the target here is banana");
}

} // namespace
} // namespace starling::cli
