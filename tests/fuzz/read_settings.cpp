// Settings and words: TOML, summary.json, the words of a command line.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include "commands.hpp"
#include "io/errors.hpp"
#include "plan/config.hpp"

#include <starling/error.hpp>

#include <string>
#include <vector>

namespace starling {

namespace {

/// What a recipe comes to, or why it cannot be.
void resolve_or_refuse(const plan::Recipe& recipe) {
  try {
    const plan::Plan plan = plan::resolve(recipe);
    plan.warnings();
    plan::Recipe back;
    plan::parse_config(plan::write_config(plan.recipe), "resolved", back);
  } catch (const std::invalid_argument&) {
  }
}

} // namespace

// The commands behind the words: what would be run is resolved, nothing is run.
namespace tool {

void tell(const std::string&) noexcept {}
int complain(Exit code, const std::string& text) {
  fuzz::promise(text.size() < 2000, "a complaint is of a few lines");
  return code;
}
void clear_progress() {}
int sample(SampleRequest request) { return resolve_or_refuse(request.recipe), ok; }
int check(CheckRequest request) { return resolve_or_refuse(request.recipe), ok; }
int demo(const DemoRequest&) { return ok; }
int convert(const ConvertRequest&) { return ok; }
int thin(const ThinRequest&) { return ok; }
int info(bool) { return ok; }
int report(const ReportRequest&) { return ok; }
int manual(const std::vector<CommandWords>&) { return ok; }
int explain(const std::string&, const std::vector<CommandWords>&) { return ok; }
std::vector<std::string> explained() { return {}; }
int bench(const BenchRequest&) { return ok; }
int reproduce(const ReproduceRequest&) { return ok; }

} // namespace tool

namespace fuzz {

void read_toml(std::string_view bytes) {
  plan::Recipe recipe;
  std::string out;
  std::uint64_t every = 0;
  bool force = false;
  try {
    plan::read_config(place("run.toml", bytes), recipe, {{"out", &out}, {"checkpoint-every", &every}, {"force", &force}});
  } catch (const plan::BadConfig&) {
    return;
  }
  const std::string written = plan::write_config(recipe);
  plan::Recipe back;
  plan::parse_config(written, "written", back);
  promise(plan::write_config(back) == written, "a config that was written reads back the same");
  resolve_or_refuse(recipe);
}

void read_json(std::string_view bytes) {
  place("summary.json", bytes);
  for (const bool json : {false, true})
    try {
      tool::summary({folder().string(), json});
    } catch (const io::BadData&) {
    }
  clear();
}

// A word to a line.
void read_arguments(std::string_view bytes) {
  std::vector<std::string> words{"starling"};
  for (std::size_t at = 0; at <= bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    words.emplace_back(bytes.substr(at, end - at).substr(0, bytes.substr(at, end - at).find('\0')));
    at = end + 1;
  }
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  try {
    tool::parse_and_run(static_cast<int>(words.size()), argv.data());
  } catch (const std::invalid_argument&) {
  } catch (const plan::BadConfig&) {
  } catch (const io::BadData&) {
  } catch (const io::InputMissing&) {
  }
}

} // namespace fuzz
} // namespace starling
