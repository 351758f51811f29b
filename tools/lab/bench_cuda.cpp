// bench cuda: what a step takes on a card.
#include "bench.hpp"

#include "card_figures.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starling::tool {

nlohmann::ordered_json bench_cuda(const BenchScope& scope) {
  const std::shared_ptr<cuda::Machine> card = cuda::open(0);
  fmt::print("\nA step on {}, single precision\n{:<9} {:>9} {:>4} {:>6} {:>9} {:>12} {:>10}\n",
             card->name(), "deal", "particles", "dim", "batch", "data rows", "us a step",
             "bytes each");
  nlohmann::ordered_json report = {{"card", card->name()}};
  for (const cuda::Figure& f : cuda::measure(card, scope.repeats, scope.quick)) {
    const std::string batch = f.batch == 0 ? "all" : std::to_string(f.batch);
    fmt::print("{:<9} {:>9} {:>4} {:>6} {:>9} {:>12.2f} {:>10.1f}\n", f.deal, f.particles, f.dim,
               batch, f.data_batch == 0 ? "" : std::to_string(f.data_batch), 1e6 * f.seconds,
               f.bytes);
    report["steps"].push_back({{"deal", f.deal},
                               {"particles", f.particles},
                               {"dim", f.dim},
                               {"batch", batch},
                               {"data_batch", f.data_batch},
                               {"seconds", f.seconds},
                               {"bytes_a_particle", f.bytes}});
  }
  return report;
}

} // namespace starling::tool
