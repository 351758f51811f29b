// One batch of everyone: full SVGD, equation (1.1); with a single particle, ascent to the mode.
#pragma once

#include <starling/batches.hpp>
#include <starling/error.hpp>

namespace starling {

class Whole {
public:
  template <typename Particles>
  const Batches& operator()(Step k, const Particles& particles) {
    if (batches_.population != particles.count()) {
      batches_.population = particles.count();
      batches_.lay_out(particles.count(), 1);
    }
    batches_.time = static_cast<double>(k);
    return batches_;
  }

private:
  Batches batches_;
};

} // namespace starling
