// Every seed and every past finding through its reader, and some thousand mutants of them: a short
// run of the fuzzers, by any compiler. scripts/fuzz is the long one.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include "commands.hpp"
#include "io/scratch.hpp"

#include <starling/random/philox.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

namespace starling::fuzz {
namespace {

namespace fs = std::filesystem;

/// Commands print; what they print is no part of a test.
class Hush {
public:
  Hush() : kept_(dup(1)) {
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    close(nowhere);
  }
  ~Hush() {
    std::fflush(stdout);
    dup2(kept_, 1);
    close(kept_);
  }
  Hush(const Hush&) = delete;
  Hush& operator=(const Hush&) = delete;

private:
  int kept_;
};

/// Inputs of a reader by name, in order.
std::map<std::string, std::string> inputs(const char* kind, const char* reader) {
  std::map<std::string, std::string> all;
  const fs::path folder = fs::path(STARLING_SOURCE_DIR) / "tests/fuzz" / kind / reader;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      all[entry.path().filename().string()] = io::bytes_of_file(entry.path());
  return all;
}

/// What goes wrong; empty: nothing.
std::string fault(const Reader& reader, std::string_view bytes) {
  try {
    reader.read(bytes);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
  return {};
}

/// A handful of changes at random places: bits, bytes, numbers, parts taken out, doubled, or from
/// another input.
std::string mutant(std::string bytes, const std::string& other, std::uint64_t seed,
                   std::uint64_t number) {
  const Philox philox(seed);
  auto draw = [&, n = std::uint64_t{0}](std::size_t below) mutable {
    return static_cast<std::size_t>(philox(Stream::user, number, n++)[0] %
                                    std::max<std::size_t>(below, 1));
  };
  constexpr std::array<std::string_view, 12> words{
      "0", "-1", "1e999", "nan", "18446744073709551616", ",", "\n", "\"", "[", "{", "=", "\xff"};
  for (std::size_t changes = 1 + draw(4); changes > 0; --changes) {
    const std::size_t at = draw(bytes.size()),
                      size = draw(std::min<std::size_t>(bytes.size() - at, 32) + 1);
    switch (draw(7)) {
    case 0:
      if (!bytes.empty())
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
      break;
    case 1:
      if (!bytes.empty())
        bytes[at] = static_cast<char>(draw(256));
      break;
    case 2:
      bytes.erase(at, size);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, size));
      break;
    case 4:
      bytes.insert(at, words[draw(words.size())]);
      break;
    case 5:
      bytes.replace(at, size, other.substr(draw(other.size()), size));
      break;
    default:
      bytes.resize(at);
    }
  }
  return bytes;
}

std::uint64_t mutants_wanted() {
  const char* asked = std::getenv("STARLING_MUTANTS"); // more of them, where there is time
  return asked ? std::strtoull(asked, nullptr, 10) : 2000;
}

class Replay : public testing::TestWithParam<Reader> {};

TEST_P(Replay, ReadsOrRefusesEverySeed) {
  const auto seeds = inputs("seeds", GetParam().name);
  EXPECT_GE(seeds.size(), 2u);
  const Hush hush;
  for (const auto& [name, bytes] : seeds)
    EXPECT_EQ(fault(GetParam(), bytes), "") << name;
}

TEST_P(Replay, ReadsOrRefusesEveryPastFinding) {
  const Hush hush;
  for (const auto& [name, bytes] : inputs("findings", GetParam().name))
    EXPECT_EQ(fault(GetParam(), bytes), "") << name;
}

TEST_P(Replay, ReadsOrRefusesMutants) {
  std::vector<std::string> from;
  for (const char* kind : {"seeds", "findings"})
    for (auto& [name, bytes] : inputs(kind, GetParam().name))
      from.push_back(bytes);
  ASSERT_FALSE(from.empty());
  const Hush hush;
  for (std::uint64_t number = 0; number < mutants_wanted(); ++number) {
    const std::string bytes =
        mutant(from[number % from.size()], from[(number / 7) % from.size()], 1, number);
    const std::string what = fault(GetParam(), bytes);
    ASSERT_EQ(what, "") << "mutant " << number << " of " << bytes.size()
                        << " bytes: " << testing::PrintToString(bytes.substr(0, 400));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Replay, testing::ValuesIn(readers().begin(), readers().end()),
                         [](const auto& one) { return std::string(one.param.name); });

// The quick way of the fuzzer, options made once, and the slow one, made anew for every command
// line.
TEST(ReplayItself, HearsOfAUsedCommandLineWhatANewOneSays) {
  const Hush hush;
  std::vector<std::string> lines;
  for (const auto& [name, bytes] : inputs("seeds", "arguments"))
    lines.push_back(bytes);
  for (std::uint64_t number = 0; number < 60; ++number)
    lines.push_back(mutant(lines[number % 20], lines[number % 7], 2, number));
  tool::CommandLine used;
  std::set<std::string> all;
  for (const std::string& line : lines) {
    tool::CommandLine anew;
    const std::string said = what_words_come_to(line, anew);
    EXPECT_EQ(what_words_come_to(line, used), said) << line;
    all.insert(said);
  }
  EXPECT_GT(all.size(), 20u);
}

// The reader of fields is asked for more than it has: what the loops above look for is seen.
TEST(ReplayItself, SeesAPromiseThatIsBroken) {
  const Reader broken{"broken",
                      [](std::string_view bytes) { promise(bytes.size() < 3, "is short"); }};
  EXPECT_EQ(fault(broken, "ab"), "");
  EXPECT_EQ(fault(broken, "abc"), "is short");
}

TEST(ReplayItself, MakesTheSameMutantsAgainAndDifferentOnes) {
  EXPECT_EQ(mutant("1,2,3\n", "x", 1, 5), mutant("1,2,3\n", "x", 1, 5));
  std::set<std::string> all;
  for (std::uint64_t number = 0; number < 100; ++number)
    all.insert(mutant("label,a\n1,2\n0,3\n", "5,6", 1, number));
  EXPECT_GT(all.size(), 80u);
}

} // namespace
} // namespace starling::fuzz
