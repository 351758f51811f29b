// starling reproduce: the paper's experiments, each into DIR/NAME.json, then one page about all.
#include "commands.hpp"
#include "stop.hpp"

#include "experiment.hpp"
#include "io/errors.hpp"
#include "io/text.hpp"
#include "io/whole_file.hpp"
#include "plan/names.hpp"

#include <starling/cpu/level.hpp>
#include <starling/error.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace starling::tool {
namespace {

namespace fs = std::filesystem;
using reproduce::Experiment;
using reproduce::Json;

/// The JSON in a file; null when there is none that can be read.
Json read_json(const fs::path& file) {
  try {
    return Json::parse(io::read_bytes(file));
  } catch (const io::InputMissing&) {
  } catch (const Json::exception&) {
  }
  return nullptr;
}

/// Those asked for, in the order of the report. Without the data, the one that is about the data
/// stays out, and `left_out` says so.
std::vector<Experiment> chosen(const ReproduceRequest& request, Json& left_out) {
  std::vector<std::string> known;
  for (const Experiment& experiment : reproduce::experiments())
    known.push_back(experiment.name);
  std::set<std::size_t> asked;
  for (const std::string& name : request.names)
    asked.insert(plan::choose("experiment", name, known));
  std::vector<Experiment> list;
  for (std::size_t e = 0; e < known.size(); ++e) {
    if (!asked.empty() && !asked.contains(e))
      continue;
    if (known[e] == "logistic-accuracy" && request.covertype.empty()) {
      if (!asked.empty())
        throw std::invalid_argument("logistic-accuracy: needs the data: --covertype FILE");
      left_out.push_back(
          {{"name", known[e]}, {"why", "needs the Covertype data; give it with --covertype FILE"}});
      continue;
    }
    list.push_back(reproduce::experiments()[e]);
  }
  return list;
}

/// A folder is ours by this file. Another one that holds something is left alone, and so is a
/// result of another kind of run.
void open_folder(const ReproduceRequest& request, const std::vector<Experiment>& list) {
  const fs::path root(request.out), mark = root / "parts" / "about.json";
  const std::string made_by = "starling reproduce";
  std::error_code error;
  if (fs::exists(root, error) && !fs::is_directory(root, error))
    throw io::CannotWrite(root, ENOTDIR, "exists and is not a folder; choose another --out");
  const Json about = read_json(mark);
  const bool ours = about.is_object() && about.value("made_by", "") == made_by;
  if (!request.force && !ours && fs::exists(root, error) && !fs::is_empty(root, error))
    throw io::CannotWrite(root, EEXIST, "has other files; choose another --out or add --force");
  for (const Experiment& experiment : list) {
    const fs::path file = root / (experiment.name + ".json");
    const Json old = read_json(file);
    if (!ours && fs::exists(file, error) &&
        !(old.is_object() && old.value("name", "") == experiment.name && old.contains("claims")))
      throw io::CannotWrite(
          file, EEXIST,
          "exists, and starling did not write it; move it away or choose another --out");
    if (!request.force && old.is_object() && old.value("quick", request.quick) != request.quick)
      throw io::CannotWrite(
          file, EEXIST,
          fmt::format("is of a run {} --quick; choose another --out or add --force",
                      request.quick ? "without" : "with"));
  }
  io::write_whole(mark, Json{{"made_by", made_by}, {"version", version}}.dump() + "\n");
}

/// The words that repeat this one experiment.
std::string command_of(const ReproduceRequest& request, const std::string& name) {
  return fmt::format("starling reproduce {}{}{} --out {}", name, request.quick ? " --quick" : "",
                     request.covertype.empty() ? "" : " --covertype " + request.covertype,
                     request.out);
}

Json run(const Experiment& experiment, const ReproduceRequest& request, reproduce::Scope& scope) {
  const auto begin = std::chrono::steady_clock::now();
  const double saved = scope.parts.seconds_saved();
  const Json found = experiment.measure(scope);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Json report = {{"name", experiment.name},
                 {"title", experiment.title},
                 {"paper", experiment.paper},
                 {"question", experiment.question},
                 {"version", version},
                 {"simd", cpu::level()},
                 {"cores", std::max(1u, std::thread::hardware_concurrency())},
                 {"quick", request.quick},
                 {"seconds", seconds + scope.parts.seconds_saved() - saved},
                 {"command", command_of(request, experiment.name)}};
  for (const char* part : {"settings", "data", "claims"})
    report[part] = found.at(part);
  report["verdict"] = reproduce::verdict_on_all(report["claims"]);
  return report;
}

void show_table(const Json& summary) {
  fmt::print("{:<18} {:<25} {:>8}  {}\n", "experiment", "in the paper", "seconds", "verdict");
  for (const Json& e : summary["experiments"]) {
    fmt::print("{:<18} {:<25} {:>8.1f}  {}\n", e["name"].get<std::string>(),
               e["paper"].get<std::string>(), e["seconds"].get<double>(),
               e["verdict"].get<std::string>());
    for (const Json& claim : e["claims"])
      fmt::print("    {:<8} {} ({}): {}\n", claim["verdict"].get<std::string>(),
                 claim["says"].get<std::string>(), claim["where"].get<std::string>(),
                 claim["measured"].get<std::string>());
  }
  for (const Json& e : summary["left_out"])
    fmt::print("{:<18} left out: {}\n", e["name"].get<std::string>(), e["why"].get<std::string>());
  if (!summary["page"].is_null())
    fmt::print("\nThe report: {}\n", summary["page"].get<std::string>());
}

int stopped(const ReproduceRequest& request) {
  return complain(
      interrupted,
      fmt::format(
          "interrupted; the figures so far are in {}: the same command continues from there",
          request.out));
}

} // namespace

int reproduce(const ReproduceRequest& request) {
  Json left_out = Json::array();
  const std::vector<Experiment> list = chosen(request, left_out);
  if (!request.covertype.empty() && !fs::is_regular_file(request.covertype))
    throw io::InputMissing(request.covertype, fs::exists(request.covertype) ? EISDIR : ENOENT);
  open_folder(request, list);
  for (const Json& e : left_out)
    tell(fmt::format("{}: left out: {}\n", e["name"].get<std::string>(),
                     e["why"].get<std::string>()));

  const fs::path root(request.out);
  Threads threads(request.threads);
  listen(0, {});
  wait_for_steps("", ""); // what was measured is on the disk
  should_stop();          // and a signal may wait for what is being measured
  const auto asked_to_stop = should_stop;
  std::string heading;
  reproduce::Parts parts(
      root / "parts", [&](const std::string& key) { tell(fmt::format("{}: {}\n", heading, key)); },
      asked_to_stop);
  reproduce::Scope scope{request.quick, threads, request.covertype, parts};
  Json done = Json::array();
  try {
    for (const Experiment& experiment : list) {
      heading = fmt::format("{} of {}", done.size() + 1, list.size());
      Json report = run(experiment, request, scope);
      io::write_whole(root / (experiment.name + ".json"), report.dump(2) + "\n");
      report.erase("data");
      done.push_back(std::move(report));
    }
  } catch (const reproduce::Interrupted&) {
    return stopped(request);
  }
  const bool drawn = draw_page(request.python, request.out);
  if (!drawn && asked_to_stop())
    return stopped(request);
  const Json summary = {{"version", version},
                        {"out", request.out},
                        {"experiments", done},
                        {"left_out", left_out},
                        {"page", drawn ? Json((root / "report.html").string()) : Json()}};
  if (request.json)
    fmt::print("{}\n", summary.dump(2));
  else
    show_table(summary);
  return drawn ? ok : failed;
}

} // namespace starling::tool
