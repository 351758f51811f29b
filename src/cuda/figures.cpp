// Steps timed as a run takes them: turns put on the machine, positions kept to be taken back, rows
// that travel.
#include "cuda/figures.hpp"

#include "cuda/cloud.hpp"

#include <starling/random/start.hpp>

#include <algorithm>
#include <iterator>

namespace starling::cuda {

using By = Dealing::By;

namespace {

Charge<float> charge_of(const Figure& figure, By by) {
  Charge<float> charge;
  charge.particles = figure.particles;
  charge.dim = figure.dim;
  charge.names.assign(figure.dim, "x");
  charge.numbers.assign(figure.dim, 0.0F); // the mean
  charge.bandwidth = static_cast<double>(figure.dim);
  charge.dealing.emplace(by, 1,
                         by == By::everyone ? std::nullopt : std::optional<BatchSize>(figure.batch),
                         figure.particles);
  charge.memories = 1;
  charge.rule = [rule = FadingAdaGrad<float>(0.01)](double time, std::uint32_t moves) {
    return Move<float>(rule.at(time, moves));
  };
  return charge;
}

} // namespace

void time_steps(const std::shared_ptr<Machine>& machine, std::size_t repeats, Charge<float> charge,
                Figure& figure) {
  Cloud<float> cloud(machine, std::move(charge));
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
  const auto add = [&](const char* deal, By by, std::size_t n, std::size_t dim, std::size_t batch,
                       Step steps) {
    figures.push_back({deal, n, dim, batch, steps});
    time_steps(machine, repeats, charge_of(figures.back(), by), figures.back());
  };
  for (const std::size_t dim : {2u, 56u}) {
    for (const std::size_t p : {2u, 8u}) {
      add("moebius", By::moebius, million, dim, p, 64);
      add("cosets", By::cosets, power, dim, p, 64);
    }
    add("matching", By::matching, million, dim, 2, 64);
  }
  add("all", By::everyone, 10 * thousand, 56, 0, quick ? 1 : 8);
  add("all", By::everyone, 40 * thousand, 56, 0, quick ? 1 : 4);
  add("moebius", By::moebius, 256, 1, 2, quick ? 64 : 512);
  add("cosets", By::cosets, 256, 1, 2, quick ? 64 : 512);
  std::ranges::move(measure_logistic(machine, repeats, quick), std::back_inserter(figures));
  return figures;
}

} // namespace starling::cuda
