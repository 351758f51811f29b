// starling bench: the figures of docs/performance.md, measured here and now.
#include "bench.hpp"
#include "commands.hpp"

#include "plan/names.hpp"
#include "io/output_file.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <thread>

namespace starling::tool {

int bench(const BenchRequest& request) {
  using Json = nlohmann::ordered_json;
  const std::vector<std::string> known = {"overhead", "full", "scale", "threads", "logistic"};
  Json (*const benches[])(const BenchScope&) = {bench_overhead, bench_full, bench_scale, bench_threads,
                                                bench_logistic};
  std::vector<std::size_t> chosen;
  for (const std::string& name : request.names)
    chosen.push_back(plan::choose("bench", name, known));
  if (chosen.empty())
    chosen = {0, 1, 2, 3, 4};
  if (request.repeats == 0)
    throw std::invalid_argument("repeats: must be at least 1; got 0");

  BenchScope scope;
  scope.quick = request.quick;
  scope.repeats = request.quick ? 1 : request.repeats;
  Json report = {{"version", version}, {"simd", cpu::level()},
                 {"cores", std::max(1u, std::thread::hardware_concurrency())}, {"quick", request.quick}};
  for (const std::size_t b : chosen) {
    report[known[b]] = benches[b](scope);
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
