// Steps timed as a run takes them: turns put on the machine, positions kept to be taken back, rows
// that travel.
#include "card_figures.hpp"

#include "cuda/cloud.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/random/start.hpp>

#include <algorithm>
#include <iterator>

namespace starling::cuda {

namespace {

RunSpec<float> spec_of(const Figure& figure, Orders orders) {
  RunSpec<float> spec;
  spec.particles = figure.particles;
  spec.dim = figure.dim;
  spec.names.assign(figure.dim, "x");
  spec.numbers.assign(figure.dim, 0.0F); // the mean
  spec.bandwidth = static_cast<double>(figure.dim);
  spec.orders = std::move(orders);
  spec.rule = FadingAdaGrad<float>(0.01);
  return spec;
}

} // namespace

void time_steps(const std::shared_ptr<Machine>& machine, std::size_t repeats, RunSpec<float> spec,
                Figure& figure) {
  Cloud<float> cloud(machine, std::move(spec));
  {
    starling::Ensemble<float> here(figure.particles, figure.dim);
    start_normal(here.position(), 1, 0.0, 1.0);
    cloud.particles().upload(here);
    machine->wait();
  }
  std::vector<double> seconds;
  Step k = 0;
  for (std::size_t r = 0; r <= repeats; ++r) { // the first only warms up
    const double all = machine->seconds([&] {
      for (const Step end = k + figure.steps; k < end; ++k)
        cloud.record(k);
      cloud.flush();
    });
    if (r > 0)
      seconds.push_back(all / static_cast<double>(figure.steps));
  }
  std::ranges::sort(seconds);
  figure.seconds = seconds[seconds.size() / 2];
  figure.bytes = static_cast<double>(machine->held) / static_cast<double>(figure.particles);
}

std::vector<Figure> measure(const std::shared_ptr<Machine>& machine, std::size_t repeats,
                            bool quick) {
  const std::size_t million = quick ? 4000 : 1000000, thousand = quick ? 10 : 1000;
  const std::size_t power = quick ? 4096 : std::size_t{1} << 20;
  std::vector<Figure> figures;
  const auto add = [&](const char* deal, auto dealer, std::size_t n, std::size_t dim,
                       std::size_t batch, Step steps) {
    figures.push_back({deal, n, dim, batch, steps});
    time_steps(machine, repeats, spec_of(figures.back(), Orders(std::move(dealer), n)),
               figures.back());
  };
  for (const std::size_t dim : {2u, 56u}) {
    for (const std::size_t p : {2u, 8u}) {
      add("moebius", Moebius(1, p), million, dim, p, 64);
      add("cosets", Cosets(1, p), power, dim, p, 64);
    }
    add("matching", Matching(1), million, dim, 2, 64);
  }
  add("all", Orders::Everyone(), 10 * thousand, 56, 0, quick ? 1 : 8);
  add("all", Orders::Everyone(), 40 * thousand, 56, 0, quick ? 1 : 4);
  add("moebius", Moebius(1, 2), 256, 1, 2, quick ? 64 : 512);
  add("cosets", Cosets(1, 2), 256, 1, 2, quick ? 64 : 512);
  std::ranges::move(measure_logistic(machine, repeats, quick), std::back_inserter(figures));
  return figures;
}

} // namespace starling::cuda
