// Settings and words: TOML, summary.json, the words of a command line.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include "commands.hpp"
#include "io/errors.hpp"
#include "plan/config.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <tuple>
#include <vector>

namespace starling {

namespace {

/// What the last command line came to.
std::string& heard() {
  static std::string text;
  return text;
}

/// What a recipe comes to, or why it cannot be.
std::string resolve_or_refuse(const plan::Recipe& recipe) {
  try {
    const plan::Plan plan = plan::resolve(recipe);
    plan.warnings();
    plan::Recipe back;
    std::string written = plan::write_config(plan.recipe);
    plan::parse_config(written, "resolved", back);
    return written;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

template <typename... Fields>
int hear(const Fields&... fields) {
  heard() = fmt::format("{}", fmt::join(std::make_tuple(fields...), " | "));
  return tool::ok;
}

} // namespace

// The commands behind the words: what would be run is resolved, nothing is run.
namespace tool {

void tell(const std::string&) noexcept {}
int complain(Exit code, const std::string& text) {
  fuzz::promise(text.size() < 2000, "a complaint is of a few lines");
  hear(text);
  return code;
}
void clear_progress() {}
int sample(SampleRequest s) {
  const Presentation& p = s.presentation;
  return hear(resolve_or_refuse(s.recipe), s.config, s.model, s.steps_given, s.threads_given,
              s.device_given, s.out_given, s.trust, s.dump_config, s.json, s.fail_unless_converged,
              s.report, p.progress, p.quiet, p.force, p.out, p.format, p.checkpoint_every, p.resume,
              p.time_limit, p.memory_limit);
}
int check(CheckRequest c) { return hear(resolve_or_refuse(c.recipe), c.json); }
int demo(const DemoRequest& d) { return hear(d.out, d.threads, d.json, d.force, d.open); }
int convert(const ConvertRequest& c) { return hear(c.from, c.to, c.force); }
int thin(const ThinRequest& t) {
  return hear(t.from, t.out, t.to, t.threads, t.weights, t.trust, t.json, t.force);
}
int predict(const PredictRequest& p) {
  return hear(p.folder, p.data, p.out, p.threads, p.observation, p.drop_missing, p.json, p.force);
}
int compare(const CompareRequest& c) { return hear(fmt::join(c.folders, " "), c.json); }
int info(bool json) { return hear(json); }
int report(const ReportRequest& r) { return hear(r.folder, r.out, r.python, r.force, r.aside); }
int manual(const std::vector<CommandWords>& commands) { return hear(commands.size()); }
int explain(const std::string& word, const std::vector<CommandWords>&) { return hear(word); }
std::vector<std::string> explained() { return {}; }
int bench(const BenchRequest& b) {
  return hear(fmt::join(b.names, " "), b.json, b.quick, b.repeats, b.models, fmt::join(b.only, " "),
              fmt::join(b.skip, " "), b.against, b.seeds, b.particles, b.threads, b.longer,
              b.fly_kernel, b.batch, b.polish);
}
int reproduce(const ReproduceRequest& r) {
  return hear(fmt::join(r.names, " "), r.out, r.covertype, r.python, r.threads, r.quick, r.json,
              r.force);
}

} // namespace tool

namespace fuzz {

void read_toml(std::string_view bytes) {
  plan::Recipe recipe;
  std::string out;
  std::uint64_t every = 0;
  bool force = false;
  try {
    plan::read_config(place("run.toml", bytes), recipe,
                      {{"out", &out}, {"checkpoint-every", &every}, {"force", &force}});
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

// A word to a line. Options are made once: that takes a thousand times as long as reading words.
void read_arguments(std::string_view bytes) {
  static tool::CommandLine used;
  what_words_come_to(bytes, used);
}

std::string what_words_come_to(std::string_view bytes, tool::CommandLine& command_line) {
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
  heard() = "nothing was run";
  try {
    command_line.run(static_cast<int>(words.size()), argv.data());
  } catch (const std::invalid_argument& error) {
    heard() = error.what();
  } catch (const plan::BadConfig& error) {
    heard() = error.what();
  } catch (const io::BadData& error) {
    heard() = error.what();
  } catch (const io::InputMissing& error) {
    heard() = error.what();
  }
  return heard();
}

} // namespace fuzz
} // namespace starling
