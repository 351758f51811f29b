// Steps of logistic regression timed on a machine: a table of Covertype's size, made up.
#include "cuda/cloud.hpp"
#include "cuda/figures.hpp"
#include "cuda/logistic.hpp"

#include <starling/random/philox.hpp>
#include <starling/random/start.hpp>

#include <algorithm>

namespace starling::cuda {

namespace {

/// Features between 0 and 1, the last of them 1; labels by a coin.
LabelledRows<float> made_up(std::size_t rows, std::size_t weights) {
  auto numbers = std::make_shared<std::vector<float>>(rows * (weights + 1));
  float *features = numbers->data(), *labels = features + rows * weights;
  const Philox philox(7);
  std::uint64_t next = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < weights; a += 4) {
      const Block bits = philox(Stream::synthetic, 0, next++);
      for (std::size_t b = 0; b < 4 && a + b < weights; ++b)
        features[r * weights + a + b] = static_cast<float>(bits[b] >> 8) * 0x1p-24F;
    }
    features[r * weights + weights - 1] = 1;
    labels[r] = static_cast<float>(philox(Stream::synthetic, 1, r)[0] & 1);
  }
  return {features, labels, rows, weights, numbers};
}

} // namespace

std::vector<Figure> measure_logistic(const std::shared_ptr<Machine>& machine, std::size_t repeats, bool quick) {
  const LabelledRows<float> data = made_up(quick ? 2000 : 581012, 55);
  std::vector<Figure> figures;
  const auto add = [&](std::size_t particles, std::size_t rows, Step steps) {
    Figure figure{"moebius", particles, 56, 2, steps};
    figure.data_batch = rows;
    Charge<float> charge;
    charge.particles = particles;
    charge.dim = figure.dim;
    charge.names.assign(figure.dim, "x");
    charge.bandwidth = static_cast<double>(figure.dim);
    charge.dealing.emplace(Dealing::By::moebius, 1, BatchSize(figure.batch), particles);
    charge.memories = 1;
    charge.rule = [rule = FadingAdaGrad<float>(0.01)](double time, std::uint32_t moves) {
      return Move<float>(rule.at(time, moves));
    };
    charge.outside = logistic_on_card<float>(data, rows, 1);
    Cloud<float> cloud(machine, std::move(charge));
    starling::Ensemble<float> here(particles, figure.dim);
    start_normal(here.position(), 1, 0.0, 1.0);
    cloud.particles().upload(here);
    machine->wait();
    std::vector<double> seconds;
    Step k = 0;
    for (std::size_t r = 0; r <= repeats; ++r) { // the first only warms up, and puts the order of the rows there
      const double took = machine->seconds([&] {
        for (const Step end = k + steps; k < end; ++k)
          cloud.record(k);
        cloud.flush();
      });
      if (r > 0)
        seconds.push_back(took / static_cast<double>(steps));
    }
    std::ranges::sort(seconds);
    figure.seconds = seconds[seconds.size() / 2];
    figure.bytes = static_cast<double>(machine->held) / static_cast<double>(particles);
    figures.push_back(figure);
  };
  add(512, 100, 128);
  add(quick ? 4096 : 131072, 100, quick ? 2 : 64);
  add(512, data.rows, quick ? 2 : 4);
  return figures;
}

} // namespace starling::cuda
