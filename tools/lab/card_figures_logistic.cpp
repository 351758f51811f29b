// Steps of logistic regression timed on a machine: a table of Covertype's size, made up.
#include "card_figures.hpp"
#include "cuda/logistic.hpp"

#include <starling/deal/moebius.hpp>
#include <starling/random/philox.hpp>

#include <utility>

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

std::vector<Figure> measure_logistic(const std::shared_ptr<Machine>& machine, std::size_t repeats,
                                     bool quick) {
  const LabelledRows<float> data = made_up(quick ? 2000 : 581012, 55);
  std::vector<Figure> figures;
  const auto add = [&](std::size_t particles, std::size_t rows, Step steps) {
    Figure figure{"moebius", particles, 56, 2, steps};
    figure.data_batch = rows;
    RunSpec<float> spec;
    spec.particles = particles;
    spec.dim = figure.dim;
    spec.names.assign(figure.dim, "x");
    spec.bandwidth = static_cast<double>(figure.dim);
    spec.orders = Orders(Moebius(1, figure.batch), particles);
    spec.rule = FadingAdaGrad<float>(0.01);
    spec.outside = logistic_on_card<float>(data, rows, 1);
    time_steps(machine, repeats, std::move(spec),
               figure); // the first repeat puts the order of the rows there
    figures.push_back(figure);
  };
  add(512, 100, 128);
  add(quick ? 4096 : 131072, 100, quick ? 2 : 64);
  add(512, data.rows, quick ? 2 : 4);
  return figures;
}

} // namespace starling::cuda
