// The score of few rows: what all rows say around the mode, corrected by a few that are drawn.
#pragma once

#include <starling/random/alias_table.hpp>
#include <starling/row_density.hpp>

#include <cstdint>
#include <vector>

namespace starling::scout {

/// An unbiased estimate of the score from B rows, drawn by address, the same for all particles of a
/// step:
///
///     s(x) = prior'(x) + T'(x) + sum over drawn rows of (l_r'(x) - t_r'(x)) / (B p_r)
///
/// t_r is row r's log likelihood expanded around the mode, T the sum of all of them, known from one
/// pass. To second order where the density gives expansions or lets them be made from differences,
/// else to first. Differences are linear in the rows, so that T stays the sum of the t_r, however
/// coarse they are. What is left of a row is small, and smaller where it has little say: rows are
/// drawn half evenly, half by leverage in the frame (its power 5/4, for expansions to second
/// order): p_r = (1/n + leverage_r / sum of leverage) / 2.
class FewRows {
public:
  /// One pass over all rows for the expansion, one for the leverage. `density` must outlive it.
  FewRows(const RowDensity& density, const Eigen::VectorXd& mode, const Frame& frame,
          std::uint64_t seed, RowCounts& counts);

  /// Scores and estimates of log densities (or none, where the span is empty) of step k, from
  /// `batch` rows. Asked again for the same k and batch it answers from the same rows, gathered
  /// once.
  void operator()(Step k, std::size_t batch, Rows<const double> x, Rows<double> score,
                  std::span<double> log_density);

  /// Root mean square, over places and directions, of the estimate's error in the frame, by the
  /// difference of two batches. 1 is as large as a normal's own scores.
  double noise(std::size_t batch, Rows<const double> x, const Frame& frame);

  /// The rows of step k, and the chance of a row in each draw.
  std::vector<std::uint32_t> drawn(Step k, std::size_t batch) const;
  double probability(std::uint32_t row) const { return chance_[row]; }

private:
  struct Chosen {
    Step step = ~Step{0};
    std::size_t batch = 0;
    DensityOfRows likelihood;
    Expansion at_mode; // of the rows that were drawn
  };
  void choose(Step k, std::size_t batch);
  void meet_differences(const Frame& frame);
  Eigen::MatrixXd by_differences(const DensityOfRows& likelihood) const;

  const RowDensity* density_;
  Eigen::VectorXd mode_;
  Frame::Matrix along_, back_; // where differences are taken, from the mode; the frame's inverse
  std::uint64_t seed_;
  RowCounts* counts_;
  Expansion all_; // of all rows at the mode; without curvature where the density has none
  std::vector<double> chance_;
  AliasTable table_;
  Chosen chosen_;
};

/// How many rows of the data are drawn evenly, by address, for a scout that climbs on them; in
/// order.
std::vector<std::uint32_t> even_rows(std::size_t rows, std::size_t count, std::uint64_t seed);

} // namespace starling::scout
