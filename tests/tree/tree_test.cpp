// The source tree keeps its own rules; and each rule, shown a file that breaks it, says so.
#include "tree/files.hpp"
#include "tree/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tree::Files;

const std::vector<std::string> sources = {"include", "src", "reproduce", "tools", "python"};
const std::vector<std::string> everything = {"include", "src",   "reproduce", "tools", "python",
                                             "live",    "tests", "examples",  "bench"};

/// The C++ and CUDA files in these folders.
Files code_in(const std::vector<std::string>& folders) {
  return tree::files(folders, {".hpp", ".cpp", ".h", ".cu", ".cuh"});
}

const std::string loop = "include/starling/rbm_svgd.hpp";

tree::Faults
all_faults(const Files& files,
           const std::function<tree::Faults(const std::string&, const std::string&)>& rule) {
  tree::Faults faults;
  for (const auto& [path, text] : files) {
    const auto found = rule(path, text);
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

tree::Faults fits_300(const std::string& path, const std::string& text) {
  return tree::fits(path, text, 300);
}

// -- the tree as it is

TEST(Tree, IsFound) {
  const auto files = code_in(sources);
  EXPECT_EQ(files.count(loop), 1u);
  EXPECT_EQ(files.count("src/cpu/threads.cpp"), 1u);
  EXPECT_GT(files.size(), 20u);
}

TEST(Tree, KeepsTheIncludeOrder) {
  EXPECT_THAT(all_faults(code_in(sources), tree::include_order), IsEmpty());
}

TEST(Tree, HasACoreThatPrintsNothingNeverAbortsAndReadsNoEnvironment) {
  EXPECT_THAT(all_faults(code_in({"include"}), tree::core_is_silent), IsEmpty());
}

TEST(Tree, SaysInTheFirstLineOfEachFileWhatItIs) {
  EXPECT_THAT(all_faults(code_in(everything), tree::first_line_says_what), IsEmpty());
}

TEST(Tree, HasNoFileOver300Lines) {
  EXPECT_THAT(all_faults(code_in(everything), fits_300), IsEmpty());
}

TEST(Tree, HasALoopOfUnder60Lines) {
  const auto files = code_in({"include"});
  ASSERT_EQ(files.count(loop), 1u);
  EXPECT_THAT(tree::fits(loop, files.at(loop), 59), IsEmpty());
}

TEST(Tree, UsesNoWordThatSaysNothing) {
  EXPECT_THAT(all_faults(code_in(everything), tree::names_say_something), IsEmpty());
}

// -- negative controls: what each rule must reject, beside what it must let pass

struct Include {
  std::string from;
  std::string line;
};

bool allowed(const Include& include) {
  return tree::include_order(include.from, "// a file\n#include " + include.line + "\n").empty();
}

TEST(IncludeOrder, LetsALayerIncludeWhatLiesBelowIt) {
  for (const Include& include : std::vector<Include>{
           {"include/starling/random/philox.hpp", "<starling/random/stream.hpp>"},
           {"include/starling/random/philox.hpp", "<starling/error.hpp>"},
           {"include/starling/kernel/bandwidth.hpp", "<starling/random/philox.hpp>"},
           {"include/starling/kernel/gaussian.hpp", "<cmath>"},
           {"include/starling/target/normal.hpp", "<Eigen/Cholesky>"},
           {"include/starling/drift/pairwise.hpp", "<starling/kernel/concepts.hpp>"},
           {"include/starling/drift/pairwise.hpp", "\"sweep.hpp\""},
           {"include/starling/observe/guard.hpp", "<starling/concepts.hpp>"},
           {"include/starling/rbm_svgd.hpp", "<starling/concepts.hpp>"},
           {"include/starling/starling.hpp", "<starling/drift/pairwise.hpp>"},
           {"src/cpu/threads.cpp", "<starling/threads.hpp>"},
           {"src/io/npz.cpp", "\"io/npz.hpp\""},
           {"src/io/npz.cpp", "<zlib.h>"},
           {"src/foreign/plugin.cpp", "<starling/plugin.h>"},
           {"src/foreign/plugin.cpp", "<starling/threads.hpp>"},
           {"include/starling/plugin.h", "<stddef.h>"},
           {"src/assemble/recipe.cpp", "\"foreign/plugin.hpp\""},
           {"src/assemble/recipe.cpp", "\"io/npz.hpp\""},
           {"src/assemble/recipe.cpp", "<starling/starling.hpp>"},
           {"include/starling/judge/verdict.hpp", "<starling/observe/balance.hpp>"},
           {"include/starling/run/flight.hpp", "<starling/judge/diagnose.hpp>"},
           {"include/starling/starling.hpp", "<starling/run/fly.hpp>"},
           {"src/judge/verdict.cpp", "<starling/judge/verdict.hpp>"},
           {"src/run/flight.cpp", "<starling/judge/verdict.hpp>"},
           {"src/run/checkpoint.cpp", "\"io/whole_file.hpp\""},
           {"src/assemble/flight.cpp", "<starling/run/flight.hpp>"},
           {"src/assemble/flight.cpp", "\"plan/recipe.hpp\""},
           {"src/results/results.cpp", "\"assemble/flight.hpp\""},
           {"reproduce/theorem/measure.cpp", "\"experiment.hpp\""},
           {"reproduce/theorem/measure.cpp", "\"theorem/fit.hpp\""},
           {"reproduce/theorem/measure.cpp", "\"assemble/recipe.hpp\""},
           {"reproduce/parts.cpp", "\"io/errors.hpp\""},
           {"tools/starling/main.cpp", "\"assemble/recipe.hpp\""},
           {"tools/starling/main.cpp", "\"commands.hpp\""},
           {"tools/lab/bench.cpp", "\"commands.hpp\""}})
    EXPECT_TRUE(allowed(include)) << include.from << " -> " << include.line;
}

TEST(IncludeOrder, RejectsWhatLiesAboveOrBeside) {
  for (const Include& include : std::vector<Include>{
           {"include/starling/random/philox.hpp", "<starling/ensemble.hpp>"},
           {"include/starling/error.hpp", "<starling/batches.hpp>"},
           {"include/starling/ensemble.hpp", "<starling/concepts.hpp>"},
           {"include/starling/kernel/gaussian.hpp", "<starling/drift/pairwise.hpp>"},
           {"include/starling/concepts.hpp", "<starling/deal/shuffle.hpp>"},
           {"include/starling/drift/pairwise.hpp", "<starling/deal/shuffle.hpp>"},
           {"include/starling/deal/shuffle.hpp", "<starling/target/normal.hpp>"},
           {"include/starling/advance/rules.hpp", "\"starling/observe/guard.hpp\""},
           {"include/starling/observe/guard.hpp", "<starling/rbm_svgd.hpp>"},
           {"include/starling/observe/guard.hpp", "<starling/starling.hpp>"},
           {"include/starling/rbm_svgd.hpp", "<starling/deal/shuffle.hpp>"},
           {"include/starling/rbm_svgd.hpp", "<starling/kernel/gaussian.hpp>"},
           {"include/starling/drift/pairwise.hpp", "\"cpu/simd.hpp\""},
           {"include/starling/drift/pairwise.hpp", "\"../deal/shuffle.hpp\""},
           {"include/starling/drift/pairwise.hpp", "<fmt/format.h>"},
           {"include/starling/starling.hpp", "\"assemble/recipe.hpp\""},
           {"include/starling/observe/guard.hpp", "<starling/judge/trace.hpp>"},
           {"include/starling/rbm_svgd.hpp", "<starling/run/flight.hpp>"},
           {"include/starling/judge/verdict.hpp", "<starling/run/flight.hpp>"},
           {"src/judge/verdict.cpp", "<starling/run/flight.hpp>"},
           {"src/judge/verdict.cpp", "\"run/state.hpp\""},
           {"src/run/flight.cpp", "\"plan/recipe.hpp\""},
           {"src/run/flight.cpp", "\"assemble/roles.hpp\""},
           {"src/plan/recipe.cpp", "\"assemble/roles.hpp\""},
           {"src/plan/recipe.cpp", "<starling/judge/verdict.hpp>"},
           {"src/assemble/flight.cpp", "\"results/results.hpp\""},
           {"src/cpu/threads.cpp", "\"io/npz.hpp\""},
           {"src/io/npz.cpp", "<starling/ensemble.hpp>"},
           {"src/io/npz.cpp", "\"assemble/recipe.hpp\""},
           {"src/foreign/plugin.cpp", "\"assemble/recipe.hpp\""},
           {"src/foreign/plugin.cpp", "\"io/errors.hpp\""},
           {"include/starling/plugin.h", "<stdlib.h>"},
           {"src/assemble/recipe.cpp", "\"cpu/simd.hpp\""},
           {"reproduce/theorem/measure.cpp", "\"cpu/simd.hpp\""},
           {"src/assemble/recipe.cpp", "\"elsewhere/thing.hpp\""}})
    EXPECT_FALSE(allowed(include)) << include.from << " -> " << include.line;
}

TEST(IncludeOrder, RejectsAFileThatHasNoPlaceInIt) {
  EXPECT_THAT(tree::include_order("include/starling/misc/thing.hpp", "// a file\n"), SizeIs(1));
  EXPECT_THAT(tree::include_order("include/starling/thing.hpp", "// a file\n"), SizeIs(1));
  EXPECT_THAT(tree::include_order("src/thing/thing.cpp", "// a file\n"), SizeIs(1));
}

TEST(IncludeOrder, NamesTheLineAndOverlooksComments) {
  const std::string text = "// a file\n// #include <starling/deal/shuffle.hpp>\n"
                           "/*\n#include <starling/deal/shuffle.hpp>\n*/\n"
                           "  #  include <starling/deal/shuffle.hpp> // why\n";
  EXPECT_THAT(tree::include_order("include/starling/drift/a.hpp", text),
              ElementsAre("include/starling/drift/a.hpp:6: include: must be below drift; got "
                          "starling/deal/shuffle.hpp"));
}

TEST(CoreIsSilent, RejectsPrintingEndingTheProcessAndTheEnvironment) {
  for (const std::string line :
       {"std::cout << x;", "std::cerr << x;", "std::printf(\"%d\", x);", "fprintf(stderr, \"\");",
        "#include <iostream>", "std::abort();", "if (bad) exit(1);", "assert(x > 0);",
        "const char* t = std::getenv(\"OMP_NUM_THREADS\");", "std::terminate();"}) {
    EXPECT_THAT(tree::core_is_silent("include/starling/a.hpp", "// a file\n" + line + "\n"),
                ElementsAre(HasSubstr("a.hpp:2: core: must not")))
        << line;
    EXPECT_THAT(tree::core_is_silent("tools/starling/a.cpp", line), IsEmpty()) << line;
  }
}

TEST(CoreIsSilent, OverlooksCommentsStringsAndOtherNames) {
  for (const std::string line :
       {"// never calls abort()", "/* std::cout */ int x;", "f(\"exit(1)\");",
        "f(R\"x(a \" std::cout)x\");", "static_assert(sizeof(int) == 4);", "int on_exit(int);",
        "std::snprintf(b, 9, \"%g\", x);", "int n = 1'000; // std::cout",
        "char c = '\"'; /* printf( */ char d = '\"';"})
    EXPECT_THAT(tree::core_is_silent("include/starling/a.hpp", line), IsEmpty()) << line;
}

TEST(CoreIsSilent, SeesCodeBehindStringsAndQuotes) {
  for (const std::string line :
       {"f(\"a // b\"); std::cout << x;", "int n = 1'000; std::cout << 2'000;",
        "char c = '\"'; std::cout << c; char d = '\"';", "f(R\"x(\")x\"); std::cout << x;",
        "f(\"\\\"\"); std::cout << x;"})
    EXPECT_THAT(tree::core_is_silent("include/starling/a.hpp", line), SizeIs(1)) << line;
}

TEST(FirstLine, MustBeAComment) {
  EXPECT_THAT(tree::first_line_says_what("a.hpp", "// What it is.\n#pragma once\n"), IsEmpty());
  EXPECT_THAT(tree::first_line_says_what("a.hpp", "#pragma once\n// What it is.\n"), SizeIs(1));
  EXPECT_THAT(tree::first_line_says_what("a.hpp", "\n// What it is.\n"), SizeIs(1));
  EXPECT_THAT(tree::first_line_says_what("a.hpp", "//\nint x;\n"), SizeIs(1));
  EXPECT_THAT(tree::first_line_says_what("a.hpp", ""), SizeIs(1));
}

TEST(Fits, CountsLines) {
  const auto lines = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += "int x;\n";
    return text;
  };
  EXPECT_THAT(tree::fits("a.hpp", lines(300), 300), IsEmpty());
  EXPECT_THAT(tree::fits("a.hpp", lines(301), 300),
              ElementsAre("a.hpp:301: lines: must be at most 300; got 301"));
}

TEST(Names, RejectWordsThatSayNothing) {
  for (const std::string line :
       {"class RunManager {", "struct ErrorHandler;", "class TestHelper {", "struct StringUtils {",
        "class KernelBase {", "class DriftImpl;", "struct Engine {", "struct SampleOptions {",
        "enum class EngineKind {", "using Options = Recipe;", "class BaseKernel {",
        "template <typename KernelBase>", "int get_count() const;", "auto get_x = 1;"})
    EXPECT_THAT(tree::names_say_something("src/a.cpp", line), SizeIs(1)) << line;
}

TEST(Names, LetOtherWordsPass) {
  for (const std::string line :
       {"struct Based {", "class Baseline {", "struct Implicit {", "class Utility {", "Options x;",
        "// class KernelBase", "app.get_subcommand(\"x\");", "app->get_option(\"x\");",
        "int target_count();", "auto x = std::get<0>(y);", "int budget_left;"})
    EXPECT_THAT(tree::names_say_something("src/a.cpp", line), IsEmpty()) << line;
}

} // namespace
