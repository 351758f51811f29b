// Options that cannot be: one line that says what would be right, exit code 64, nothing left
// behind.
#include "command.hpp"

namespace starling::cli {
namespace {

/// What is given, and the line that refuses it.
struct Case {
  const char *given, *message;
};
using Cases = std::initializer_list<Case>;

/// Runs `sample mixture OPTIONS --out out/m`.
void expect_refused_option(const std::string& given, const std::string& message) {
  const Place place;
  expect_refused(place, "sample mixture " + given + " --out out/m", usage, message);
}

/// The same for each, where all messages begin alike.
void expect_refused_options(Cases cases, const std::string& beginning = "") {
  for (const Case& one : cases)
    expect_refused_option(one.given, beginning + one.message);
}

/// Whole command lines.
void expect_refused_lines(Cases cases) {
  const Place place;
  for (const Case& one : cases)
    expect_refused(place, one.given, usage, one.message);
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
  expect_refused_options(
      {{"--batch 1", "batch: must be a whole number of at least 2; got '1'"},
       {"--batch 0", "batch: must be a whole number of at least 2; got '0'"},
       {"--batch -3", "batch: must be a whole number of at least 2; got '-3'"},
       {"--batch many", "batch: must be a whole number of at least 2; got 'many'"},
       {"--particles 10 --batch 11", "batch: must be at most the number of particles, 10; got 11"},
       {"--particles 1 --batch 2", "batch: must be at most the number of particles, 1; got 2"}});
}

TEST(BadValues, RefusesNumbersOfParticlesAndStepsThatAreNone) {
  expect_refused_options(
      {{"--particles 0", "particles: must be at least 1; got 0"},
       {"--particles -1", "particles: must be a whole number of at least 0; got '-1'"},
       {"--particles 1.5", "particles: must be a whole number of at least 0; got '1.5'"},
       {"--particles ten", "particles: must be a whole number of at least 0; got 'ten'"},
       {"--particles 5000000000", "particles: must be below 2^32; got 5000000000"},
       {"--steps -5", "steps: must be a whole number of at least 0; got '-5'"},
       {"--steps=-5", "steps: must be a whole number of at least 0; got '-5'"},
       {"--steps 1e3", "steps: must be a whole number of at least 0; got '1e3'"},
       {"--seed -1", "seed: must be a whole number of at least 0; got '-1'"},
       {"--threads 5000", "threads: must be at most 1024; got 5000"}});
}

TEST(BadValues, RefusesABandwidthThatIsNotPositive) {
  const std::string rule = "bandwidth: must be a positive number, median or median:M; got ";
  expect_refused_options({{"--bandwidth 0", "'0'"},
                          {"--bandwidth -1", "'-1'"},
                          {"--bandwidth=-0.5", "'-0.5'"},
                          {"--bandwidth nan", "'nan'"},
                          {"--bandwidth inf", "'inf'"},
                          {"--bandwidth wide", "'wide'"},
                          {"--bandwidth none", "'none'"}},
                         rule);
  expect_refused_options(
      {{"--bandwidth median:0",
        "bandwidth median:M: must be a whole number of at least 1; got '0'"},
       {"--bandwidth median --particles 30000",
        "bandwidth: must be median:M (M pairs) above 20000 particles; got 'median'"}});
}

TEST(BadValues, RefusesAStepSizeThatIsNotPositive) {
  expect_refused_options(
      {{"--step-size 0", "step-size: must be a positive finite number; got 0"},
       {"--step-size -1", "step-size: must be a positive finite number; got -1"},
       {"--step-size -1e-9", "step-size: must be a positive finite number; got -1e-09"},
       {"--step-size nan", "step-size: must be a finite number; got 'nan'"},
       {"--step-size inf", "step-size: must be a finite number; got 'inf'"},
       {"--step-size 1e999", "step-size: must be a finite number; got '1e999'"},
       {"--step-size fast", "step-size: must be a finite number; got 'fast'"},
       {"--decay-tau 0", "decay-tau: must be a positive finite number; got 0"},
       {"--decay-power -1", "decay-power: must be at least 0; got -1"}});
}

TEST(BadValues, RefusesUnknownNamesAndSuggestsTheNearest) {
  expect_refused_lines(
      {{"sample mixtur --out out/m",
        "target: must be one of mixture, normal, banana, funnel, logistic, linear, "
        "poisson, multinomial, stan, plugin; "
        "got 'mixtur'; did you mean 'mixture'?"},
       {"sample lgistic --out out/m",
        "target: must be one of mixture, normal, banana, funnel, logistic, linear, "
        "poisson, multinomial, stan, plugin; "
        "got 'lgistic'; did you mean 'logistic'?"},
       {"sampel mixture", "sampel: is not a command; did you mean 'sample'?"},
       {"sample mixture --particels 10 --out out/m",
        "--particels: is not an option of sample; did you mean '--particles'?"},
       {"sample mixture --step_size=0.1 --out out/m",
        "--step_size=0.1: is not an option of sample; did you mean '--step-size'?"}});
  expect_refused_option("--kernel gausian",
                        "kernel: " + kernels + "'gausian'; did you mean 'gaussian'?");
  expect_refused_options(
      {{"--advance adagrda",
        "advance: must be one of adagrad, adagrad-sum, constant, decay, rmsprop, "
        "adam, rk4, splitting, stochastic; got 'adagrda'; did you mean 'adagrad'?"},
       {"--start nromal:0,1", "start: must be one of normal, uniform, FILE.npy; got 'nromal'; did "
                              "you mean 'normal'?"},
       {"--grow-batch duble:3", "grow-batch: must be one of double, power; got "
                                "'duble'; did you mean 'double'?"},
       {"--deal shufle",
        "deal: must be one of shuffle, moebius, cosets, matching; got 'shufle'; did "
        "you mean 'shuffle'?"},
       {"--domain tours:3", "domain: must be one of torus; got 'tours'; did you mean 'torus'?"},
       {"--precision dubble", "precision: must be one of double, single; got "
                              "'dubble'; did you mean 'double'?"},
       {"--progress plane", "progress: must be one of auto, bar, plain, none; got "
                            "'plane'; did you mean 'plain'?"}});
}

TEST(BadValues, KnowsTheWordsOfOtherSamplers) {
  expect_refused_lines(
      {{"sample mixture --num_samples=1000",
        "--num_samples=1000: is not an option of sample; did you mean '--particles'?"},
       {"sample mixture m num_chains=4",
        "num_chains=4: is one argument too many for sample; did you mean '--runs'?"},
       {"sample mixture -o m", "-o: is not an option of sample; did you mean '--out'?"},
       {"sample mixture --iter 2000",
        "--iter: is not an option of sample; did you mean '--particles'?"},
       {"diagnose out/m", "diagnose: is not a command; did you mean 'summary'?"},
       {"sample mixture --warmup 1000",
        "--warmup: is not an option of sample; the default method tunes itself"},
       {"summary -o m", "-o: is not an option of summary"}});
}

TEST(BadValues, RefusesAFileInThePlaceOfATarget) {
  expect_refused_lines(
      {{"sample m.stan --data d.json",
        "target: must come before m.stan: starling sample stan m.stan"},
       {"m.stan --data d.json", "m.stan: is not a command; to sample it: starling sample stan "
                                "m.stan --data DATA.json --out DIR"},
       {"check m.so", "target: must come before m.so: starling check plugin m.so"}});
}

TEST(BadValues, SuggestsNothingWhenNothingIsNear) {
  expect_refused_option("--kernel xyzzy", "kernel: " + kernels + "'xyzzy'");
  const Place place;
  expect_refused(place, "fly", usage, "fly: is not a command");
}

TEST(BadValues, RefusesWordsTooManyAndTooFew) {
  expect_refused_lines(
      {{"sample --out out/m", "TARGET: must be given; see starling sample --help"},
       {"check", "TARGET: must be given; see starling check --help"},
       {"summary", "PATH: must be given; see starling summary --help"},
       {"sample mixture twice --out out/m", "twice: is one argument too many for sample"},
       {"sample stan m.stan d.json",
        "d.json: is one argument too many for sample; did you mean '--data d.json'?"},
       {"sample mixture --out out/m --steps", "--steps: needs a value"},
       {"sample mixture --sds --out out/m", "--sds: needs a value; got --out"},
       {"sample mixture --out --force", "--out: needs a value; got --force"},
       {"sample mixture --out out/m --replace=no", "--replace: takes no value"},
       {"demo --threads two", "threads: must be a whole number of at least 0; got 'two'"}});
}

TEST(BadValues, RefusesKernelsWithTheWrongSettings) {
  expect_refused_options(
      {{"--kernel gaussian:a=1", "kernel gaussian: takes no settings; got 'a=1'"},
       {"--kernel polynomial:b=1", "kernel polynomial: takes a=NUMBER, m=NUMBER; got 'b=1'"},
       {"--kernel polynomial:m=1.5",
        "kernel polynomial, m: must be a whole number from 1 to 64; got 1.5"},
       {"--kernel polynomial:m=1e300",
        "kernel polynomial, m: must be a whole number from 1 to 64; got 1e+300"},
       {"--kernel sinc:a=big", "kernel sinc, a: must be a finite number; got 'big'"},
       {"--kernel riesz:a=0", "kernel riesz, a: must be a positive finite number; got 0"},
       {"--kernel riesz:a=1", "kernel riesz, a: must be below the dimension, 1; got 1"},
       {"--kernel riesz-smooth:a=1.5",
        "kernel riesz-smooth, a: must be below the dimension, 1; got 1.5"},
       {"--kernel riesz-smooth:s=-1",
        "kernel riesz-smooth, s: must be a positive finite number; got -1"},
       {"--kernel -1*imq", "kernel weight: must be positive; got -1"}});
  expect_refused_option("--kernel gaussian+", "kernel: " + kernels + "''");
}

TEST(BadValues, RefusesABandwidthForAKernelThatHasNone) {
  for (const std::string kernel :
       {"polynomial", "parameters", "sinc", "riesz", "riesz-smooth", "marginals"})
    expect_refused_option("--bandwidth 1 --kernel " + kernel,
                          "bandwidth: kernel " + kernel + " has none; remove --bandwidth");
}

TEST(BadValues, RefusesPartsThatDoNotGoTogether) {
  expect_refused_options(
      {{"--kernel sinc --means 0,0;1,1", "kernel: sinc is for 1 dimension; the target has 2"},
       {"--advance splitting",
        "kernel: --advance splitting needs --kernel riesz:a=A alone; got 'gaussian'"},
       {"--advance splitting --kernel riesz+imq --batch 2",
        "kernel: --advance splitting needs --kernel riesz:a=A alone; got 'riesz+imq'"},
       {"--advance splitting --kernel riesz",
        "batch: --advance splitting moves pairs: use --batch 2; got 8"},
       {"--advance splitting --kernel riesz --batch all",
        "batch: --advance splitting moves pairs: use --batch 2; got all"},
       {"--domain torus:5 --kernel parameters",
        "kernel: parameters cannot be used on a torus, which needs smooth kernels of the distance"},
       {"--replace --kernel marginals",
        "kernel: the marginals part needs all of R^d, and batches without --replace"},
       {"--kernel parameters:h=0", "kernel parameters, h: must be a positive finite number; got 0"},
       {"--domain torus:5 --kernel polynomial",
        "kernel: polynomial cannot be used on a torus, which needs smooth kernels of the distance"},
       {"--domain torus:5 --kernel riesz",
        "kernel: riesz cannot be used on a torus, which needs smooth kernels of the distance"},
       {"--domain torus:0", "domain torus:L: must be a positive finite number; got 0"},
       {"--domain torus", "domain torus:L: must be a finite number; got ''"},
       {"--replace --batch all",
        "replace: needs a batch smaller than all of the particles; got --batch all"},
       {"--grow-batch double:3 --batch all",
        "grow-batch: cannot be used with --batch all, which cannot grow"},
       {"--grow-batch double:3 --replace", "grow-batch: cannot be used with --replace"},
       {"--deal matching",
        "deal: matching cannot deal these batches (pairs from a random tournament round, cheaper: "
        "for --batch 2 that does not grow, without --replace)"},
       {"--grow-batch double:0",
        "grow-batch double:K: must be a whole number of at least 1; got '0'"},
       {"--grow-batch power:-1", "grow-batch power:G: must be at least 0; got '-1'"}});
}

TEST(BadValues, RefusesAStartThatIsNone) {
  expect_refused_options(
      {{"--start normal", "start: must be normal:MEAN,SD with SD at least 0; got 'normal'"},
       {"--start normal:0,-1",
        "start: must be normal:MEAN,SD with SD at least 0; got 'normal:0,-1'"},
       {"--start normal:0,1,2",
        "start: must be normal:MEAN,SD with SD at least 0; got 'normal:0,1,2'"},
       {"--start normal:a,1", "start: must be a finite number; got 'a'"},
       {"--start uniform:1,1", "start: must be uniform:LO,HI with LO below HI; got 'uniform:1,1'"},
       {"--start prior", "start: must be one of normal, uniform, FILE.npy; got 'prior'"}});
}

TEST(BadValues, RefusesTargetsThatAreNone) {
  expect_refused_options(
      {{"--weights -1,2", "mixture weight: must be a positive finite number; got -1"},
       {"--weights 1/0,1", "weights: must be a finite number; got '1/0'"},
       {"--weights 1", "mixture weights and sds: must be as many as the means, 2; got "
                       "1 weights and 2 sds"},
       {"--sds 0", "sds: must be positive; got 0"},
       {"--means 0,0;1", "mixture mean: must be 2 finite numbers; got 1 numbers"}});
  expect_refused_lines({{"sample normal --dim 0 --out out/m", "dim: must be at least 1; got 0"},
                        {"sample normal --correlation 1 --out out/m",
                         "correlation: must be between -1 and 1; got 1"},
                        {"sample normal --dim 5 --correlation -0.9 --out out/m",
                         "correlation: must be above -0.25 and below 1 in 5 dimensions; got -0.9"},
                        {"sample funnel --dim 1 --out out/m", "dim: must be at least 2; got 1"},
                        {"sample banana --width -1 --out out/m",
                         "width: must be a positive finite number; got -1"}});
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
  expect_refused_options(
      {{"--dim 3", "--dim: is an option of normal and funnel; the target here is mixture"},
       {"--data d.csv", "--data: is an option of logistic, linear, poisson, "
                        "multinomial, stan and plugin; the target here is mixture"},
       {"--model m.so", "--model: is an option of stan and plugin; the target here is mixture"},
       {"--curvature 1", "--curvature: is an option of banana; the target here is mixture"}});
  expect_refused_lines({{"sample normal --means 0;1 --out out/m",
                         "--means: is an option of mixture; the target here is normal"},
                        {"check banana --dim 2",
                         "--dim: is an option of normal and funnel; the target here is banana"}});
}

} // namespace
} // namespace starling::cli
