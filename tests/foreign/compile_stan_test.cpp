// Tests of compiling a Stan program: what is run, what is kept, what is said where nothing is
// there.
#include "foreign/compile_stan.hpp"

#include "foreign/libraries.hpp"
#include "foreign/stan.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace starling::foreign {
namespace {

namespace fs = std::filesystem;

constexpr const char* program = "parameters {\n  real x;\n}\nmodel {\n  x ~ normal(0, 1);\n}\n";

/// A folder with a cache, a path with our own programs first, and BRIDGESTAN unset; all as before
/// at the end.
class CompileStan : public testing::Test {
protected:
  CompileStan() {
    folder_ = fs::temp_directory_path() / ("starling-stan-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    fs::permissions(folder_, fs::perms::owner_all); // whatever the umask is
    set("XDG_CACHE_HOME", (folder_ / "cache").string());
    set("PATH", (folder_ / "bin").string() + ":" + path_);
    ::unsetenv("BRIDGESTAN");
  }
  ~CompileStan() override {
    set("PATH", path_);
    ::unsetenv("BRIDGESTAN");
    ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(folder_);
  }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  void script(const std::string& name, const std::string& text) const {
    fs::permissions(write("bin/" + name, "#!/bin/sh\n" + text), fs::perms::owner_all);
  }
  std::string read(const fs::path& file) const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// A make that copies the library of the tests to where it should go, and counts its calls.
  void fake_make() const {
    script("make", "echo \"$@\" >> '" + (folder_ / "calls").string() + "'\ncp '" +
                       library("stan_full") + "' \"$3\"\n");
    set("BRIDGESTAN", "/somewhere/bridgestan");
  }
  std::size_t calls() const {
    const std::string text = read(folder_ / "calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  fs::path folder_;
  std::string path_ = std::getenv("PATH");
};

TEST_F(CompileStan, UsesBridgeStansMakeAndKeepsWhatItMade) {
  fake_make();
  const std::string file = write("my model.stan", program);
  const CompiledStan made = compile_stan(file, "data.json");
  EXPECT_EQ(made.data, "data.json");
  EXPECT_TRUE(made.library.starts_with((folder_ / "cache/starling/stan/bridgestan-").string()))
      << made.library;
  EXPECT_TRUE(made.library.ends_with("/my_model_model.so")) << made.library;
  const std::string call = read(folder_ / "calls");
  EXPECT_TRUE(call.starts_with("-C /somewhere/bridgestan /")) << call;
  EXPECT_TRUE(call.ends_with(" STAN_THREADS=true\n")) << call;
  EXPECT_EQ(read(fs::path(made.library).parent_path() / "my_model.stan"), program);
  EXPECT_EQ(compile_stan(file, "").library, made.library);
  EXPECT_EQ(calls(), 1U) << "the same program is compiled once";

  write("my model.stan", std::string(program) + "// other\n");
  EXPECT_NE(compile_stan(file, "").library, made.library);
  EXPECT_EQ(calls(), 2U);
}

TEST_F(CompileStan, MakesALibraryThatIsAModel) {
  fake_make();
  const CompiledStan made = compile_stan(write("m.stan", program), "");
  Threads threads(1);
  EXPECT_GT(StanModel(made.library, made.data, 1, threads).dim(), 0U);
}

TEST_F(CompileStan, NoticesAChangeOfWhatIsIncluded) {
  fake_make();
  write("part.stan", "real y;\n");
  const std::string file =
      write("m.stan", "parameters {\n #include <part.stan>\n}\n#include \"end.stan\"\n");
  write("end.stan", "model {}\n");
  const std::string first = compile_stan(file, "").library;
  EXPECT_EQ(read(fs::path(first).parent_path() / "m.stan"), "parameters {\nreal y;\n}\nmodel {}\n");
  write("part.stan", "real z;\n");
  EXPECT_NE(compile_stan(file, "").library, first);
  write("part.stan", "#include part.stan\n");
  EXPECT_NE(thrown_by<BadLibrary>([&] { compile_stan(file, ""); }).find("includes itself"),
            std::string::npos);
}

/// A Python that has a stanli which is one only by name.
constexpr const char* fake_stanli = R"(
def build_id(): return 'b1'
def stan_to_mir(text): return 'mir of ' + text.split()[0]
)";

TEST_F(CompileStan, SaysWhatTheCompilerSaidAndKeepsNothing) {
  script("make", "echo 'Syntax error in line 3'; exit 2\n");
  set("BRIDGESTAN", "/b");
  const std::string file = write("m.stan", program);
  EXPECT_EQ(thrown_by<BadLibrary>([&] { compile_stan(file, ""); }),
            file + ": BridgeStan in /b did not compile it: Syntax error in line 3");
  EXPECT_TRUE(fs::is_empty(stan_cache()));
}

TEST_F(CompileStan, ShowsASyntaxErrorWholeAndInItsLines) {
  std::string lines = "Syntax error in 'm.stan', line 3, column 9:";
  for (int n = 1; n <= 40; ++n)
    lines += "\n     " + std::to_string(n) + ":  real<lower=0> a_name_that_is_rather_long;";
  write("words", "\n\n" + lines + "\n\n");
  script("make", "cat '" + (folder_ / "words").string() + "'; exit 2\n");
  set("BRIDGESTAN", "/b");
  const std::string file = write("m.stan", program);
  EXPECT_EQ(thrown_by<DidNotCompile>([&] { compile_stan(file, ""); }),
            file + ": BridgeStan in /b did not compile it:\n" + lines);
}

TEST_F(CompileStan, ComparesDataByteForByte) {
  write("site/stanli/__init__.py", fake_stanli);
  write("site/stanli/_bin/libstanli.so", "");
  set("PYTHONPATH", (folder_ / "site").string());
  const std::string file = write("m.stan", program), data = write("d.json", "{\"N\": 3}");
  const CompiledStan made = compile_stan(file, data);
  const fs::path kept = fs::path(made.data).parent_path();
  EXPECT_EQ(read(kept / "given.json"), "{\"N\": 3}");
  std::ofstream(kept / "given.json") << "{\"N\": 5}"; // as if another had the same hash
  std::ofstream(kept / "data.json") << "of the other";
  EXPECT_NE(read(compile_stan(file, data).data), "of the other");
  ::unsetenv("PYTHONPATH");
}

/// The variables of the environment as they were, in the end.
struct WithoutHome {
  std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  WithoutHome() { ::unsetenv("HOME"); }
  ~WithoutHome() {
    if (!home.empty())
      ::setenv("HOME", home.c_str(), 1);
  }
};

TEST_F(CompileStan, HasItsCacheInTheUsersHomeWhereNoVariableNamesIt) {
  ::unsetenv("XDG_CACHE_HOME");
  const WithoutHome without;
  std::string cache;
  try {
    cache = stan_cache().string();
  } catch (const BadLibrary& error) {
    EXPECT_EQ(std::string(error.what()).find("HOME: is not set"), 0u);
  }
  EXPECT_FALSE(cache.starts_with("/tmp/")) << cache;
}

TEST_F(CompileStan, TakesNothingFromAFolderThatOthersMayWrite) {
  fake_make();
  const std::string file = write("m.stan", program);
  const fs::path first = fs::path(compile_stan(file, "").library).parent_path();
  for (const fs::path& open : {first, stan_cache(), folder_ / "cache"}) {
    fs::permissions(open, fs::perms::group_write | fs::perms::others_write, fs::perm_options::add);
    EXPECT_NE(
        thrown_by<BadLibrary>([&] {
          compile_stan(file, "");
        }).find(": other users can write there (chmod go-w " + open.string() + " stops that)"),
        std::string::npos)
        << open;
    fs::permissions(open, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove);
  }
  EXPECT_EQ(fs::path(compile_stan(file, "").library).parent_path(), first);
}

TEST_F(CompileStan, LetsTheProgramTravelInTheDataForStanli) {
  const std::string own = write("site/stanli/__init__.py", fake_stanli);
  write("site/stanli/_bin/libstanli.so", "");
  set("PYTHONPATH", (folder_ / "site").string());
  const std::string file = write("m.stan", program), data = write("d.json", "{\"N\": 3}");
  const CompiledStan made = compile_stan(file, data);
  EXPECT_EQ(made.library, (folder_ / "site/stanli/_bin/libstanli.so").string());
  EXPECT_EQ(read(made.data),
            "{\"N\": 3, \"__stanli\": {\"build_id\": \"b1\", \"mir\": \"mir of parameters\", "
            "\"name\": \"m\"}}");
  EXPECT_EQ(compile_stan(file, data).data, made.data);
  write("d.json", "{\"N\": 4}");
  EXPECT_NE(compile_stan(file, data).data, made.data) << "other data, another file";
  EXPECT_NE(read(compile_stan(file, "").data).find("{\"__stanli\""), std::string::npos);
  write("d.json", "{\"N\": 4");
  EXPECT_EQ(thrown_by<BadLibrary>([&] { compile_stan(file, data); }),
            data + ": cannot be read as JSON: Expecting ',' delimiter: line 1 column 8 (char 7)");
  ::unsetenv("PYTHONPATH");
}

TEST_F(CompileStan, SaysWhatToInstallWhereThereIsNoCompiler) {
  const std::string file = write("m.stan", program);
  const std::string said =
      file + ": is a Stan program, and no compiler for it was found: `pip install stanli`, or set "
             "BRIDGESTAN to the folder of BridgeStan's sources";
  EXPECT_EQ(thrown_by<BadLibrary>([&] { compile_stan(file, "", "/nowhere/python3"); }), said);
  script("python3", "exit 77\n");
  EXPECT_EQ(thrown_by<BadLibrary>([&] { compile_stan(file, ""); }), said);
}

TEST_F(CompileStan, KnowsAProgramByNameOrByContent) {
  EXPECT_TRUE(is_stan_program("nowhere.stan"));
  EXPECT_TRUE(is_stan_program(write("program.txt", program)));
  EXPECT_FALSE(is_stan_program(write("notes.txt", "a model of the parameters\n")));
  EXPECT_FALSE(is_stan_program(library("stan_full")));
  EXPECT_FALSE(is_stan_program(write("empty", "")));
}

TEST_F(CompileStan, IsNamedWhereALibraryIsExpected) {
  const std::string file = write("model.txt", program);
  EXPECT_EQ(thrown_by<BadLibrary>([&] { Library{file}; }),
            file + ": is a Stan program, not a library; compile it with BridgeStan, or give it as "
                   "MODEL.stan");
}

} // namespace
} // namespace starling::foreign
