// A cloud of particles as the stages of a run carry it: positions, and what the density said there.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace starling {

/// What the density said where each particle stands goes with it, so that a move asks only for new
/// places.
struct Cloud {
  Frame::Matrix x, score;
  std::vector<double> log_density;
  std::vector<std::uint64_t> id; ///< the address of a particle's random numbers

  std::size_t count() const { return id.size(); }
  std::size_t dim() const { return std::size_t(x.cols()); }
  Rows<const double> position() const { return rows_of(x); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("x", self.x);
    visit("score", self.score);
    visit("log_density", self.log_density);
    visit("id", self.id);
  }
  void restored() const {
    const bool fits = score.rows() == x.rows() && score.cols() == x.cols() &&
                      log_density.size() == std::size_t(x.rows()) &&
                      id.size() == log_density.size();
    if (!fits)
      throw std::invalid_argument("state: columns of a cloud differ in length");
  }
};

/// A cloud at these places, with ids 0, 1, ...; one call of the density.
Cloud cloud_at(Frame::Matrix x, CountedDensity& density);
inline Cloud cloud_at(Rows<const double> x, CountedDensity& density) {
  return cloud_at(Frame::Matrix(Frame::map(x)), density);
}
/// The particles of these rows.
Cloud some_of(const Cloud& cloud, std::span<const std::size_t> rows);
/// The particles of rows [begin, end); and some back into the rows from `begin` on.
Cloud slice(const Cloud& cloud, std::size_t begin, std::size_t end);
void put(const Cloud& some, Cloud& cloud, std::size_t begin);
/// The particles of both, one after the other.
Cloud joined(const Cloud& one, const Cloud& other);
/// That many of the particles, evenly among them; all of them where there are not more.
Cloud evenly(const Cloud& cloud, std::size_t count);

} // namespace starling
