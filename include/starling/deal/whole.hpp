// One batch of everyone: full SVGD, equation (1.1); with a single particle, ascent to the mode.
#pragma once

#include <starling/batches.hpp>
#include <starling/error.hpp>
#include <starling/particles.hpp>

namespace starling {

class Whole {
public:
  template <Particles P>
  const Batches& operator()(Step k, const P& particles) {
    batches_.population = particles.population();
    if (batches_.here != particles.count()) {
      batches_.here = particles.count();
      batches_.lay_out(particles.count(), 1);
    }
    batches_.time = static_cast<double>(k);
    return batches_;
  }

private:
  Batches batches_;
};

} // namespace starling
