// starling bench: the figures of docs/performance.md and docs/accuracy.md, measured here and now.
#include "bench.hpp"
#include "commands.hpp"

#include "io/errors.hpp"
#include "io/output_file.hpp"
#include "io/whole_file.hpp"
#include "plan/names.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

namespace starling::tool {

namespace {

/// Figures of an earlier bench are replaced; another file is left alone, before hours are spent.
void refuse_if_not_ours(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return;
  nlohmann::json old;
  try {
    old = nlohmann::json::parse(io::read_bytes(file), nullptr, false);
  } catch (const io::InputMissing&) { // a device, a folder
  }
  if (!old.is_object() || !old.contains("version") || !old.contains("simd"))
    throw io::CannotWrite(file, EEXIST,
                          "exists, and starling did not write it; move it away or choose another");
}

} // namespace

int bench(const BenchRequest& request) {
  using Json = nlohmann::ordered_json;
  using Bench = std::function<Json(const BenchScope&)>;
  const auto of_size = [&](std::uint64_t usual) {
    BenchRequest sized = request;
    if (sized.particles == 0)
      sized.particles = usual;
    return sized;
  };
  const std::vector<std::pair<std::string, Bench>> benches = {
      {"overhead", bench_overhead},
      {"full", bench_full},
      {"scale", bench_scale},
      {"threads", bench_threads},
      {"logistic", bench_logistic},
      {"wide", bench_wide},
      {"whole", bench_whole},
      {"posteriors", [&](const BenchScope&) { return bench_posteriors(of_size(1000)); }},
      {"shapes", [&](const BenchScope&) { return bench_shapes(of_size(1000)); }},
      {"verdicts", [&](const BenchScope&) { return bench_verdicts(of_size(256)); }},
      {"evidence", [&](const BenchScope&) { return bench_evidence(of_size(1000)); }},
      {"cuda", bench_cuda}};
  std::vector<std::string> known;
  for (const auto& [name, measure] : benches)
    known.push_back(name);
  std::vector<std::size_t> chosen;
  for (const std::string& name : request.names)
    chosen.push_back(plan::choose("bench", name, known));
  if (chosen.empty())
    chosen = {0, 1, 2, 3, 4, 5, 6}; // speed; accuracy takes far longer
  if (!request.json.empty())
    refuse_if_not_ours(request.json);
  if (request.repeats == 0)
    throw std::invalid_argument("repeats: must be at least 1; got 0");

  BenchScope scope;
  scope.quick = request.quick;
  scope.repeats = request.quick ? 1 : request.repeats;
  Json report = {{"version", version},
                 {"simd", cpu::level()},
                 {"cores", std::max(1u, std::thread::hardware_concurrency())},
                 {"quick", request.quick}};
  for (const std::size_t b : chosen) {
    report[known[b]] = benches[b].second(scope);
    std::fflush(stdout);
  }
  if (!request.json.empty()) {
    io::OutputFile out(request.json);
    out.write(report.dump(2) + "\n");
    out.close();
  }
  return ok;
}

} // namespace starling::tool
