// A target from a Stan model that BridgeStan has compiled to a shared library.
#pragma once

#include "foreign/bridgestan.hpp"
#include "foreign/failures.hpp"

#include <starling/error.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starling::foreign {

/// What users call the files that a model is made from, where those are copies or libraries that
/// they do not know: an empty name stands for none.
struct ShownAs {
  std::string model, data;
};

/// Positions are in the model's unconstrained space, and the density is that of the positions: with
/// the Jacobian of the constraints; without constants, unless they are asked for.
class StanModel {
public:
  /// `data` is a file whose name ends in .json, or empty. Throws BadLibrary.
  StanModel(const std::string& file, const std::string& data, std::uint64_t seed, Threads& threads)
      : StanModel(file, data, seed, threads, seed) {}
  /// What the program draws while it reads its data, which is part of the density, comes from
  /// `data_seed`: several runs share it.
  /// Messages name the files as `shown` has them; empty: as they are.
  /// `constants`: log densities with what ~ statements leave out, if the library can do that.
  StanModel(const std::string& file, const std::string& data, std::uint64_t seed, Threads& threads,
            std::uint64_t data_seed, ShownAs shown = {}, bool constants = false);

  std::size_t dim() const { return names_.size(); }
  bool gives_constants() const { return constants_; }
  const std::vector<std::string>& names() const { return names_; } ///< theta[1], theta[2], ...
  const std::vector<std::string>& constrained_names() const { return constrained_names_; }
  /// Those of the parameters alone, as `unconstrain` takes them.
  std::vector<std::string> parameter_names() const;

  /// Scores and log densities of all rows, on all threads if the model was compiled for that. Where
  /// the model fails, the score is zero, the log density -infinity, and the failure is counted.
  void evaluate(Step k, Rows<const double> x, Rows<double> score, std::span<double> log_density);

  /// The model's own start: as Stan, uniform on (-2, 2) in every coordinate, drawn anew until the
  /// density is finite. Throws TargetError when a hundred draws are not enough.
  void start(Rows<double> x);

  /// Parameters, transformed parameters and generated quantities, a row for each position; NaN in
  /// a row where the model fails.
  std::vector<double> constrain(Rows<const double> x);

  /// The position whose parameters these are. Answers why there is none, in the model's words;
  /// nothing if there is. Throws BadLibrary when the library has no function for it.
  std::string unconstrain(std::span<const double> parameters, std::span<double> x) const;

  /// What went wrong so far, a line each.
  std::vector<std::string> warnings() const;

private:
  using Random = std::unique_ptr<BridgeStan::Rng, void (*)(BridgeStan::Rng*)>;

  std::string reason(int code, char* error) const;
  std::string gradient(std::span<const double> x, std::span<double> score, double& density) const;
  bool can_give_constants();
  std::string initialize(std::size_t particle, std::span<double> x) const;
  std::string draw(std::size_t particle, std::span<double> x) const;
  Random random(unsigned seed) const;
  template <typename One>
  void each(std::size_t count, One&& one);

  Library library_;
  std::string data_; // as the model was given it
  ShownAs shown_;
  BridgeStan stan_;
  Threads& threads_;
  std::uint64_t seed_;
  bool constants_ = false;
  std::unique_ptr<BridgeStan::Model, void (*)(BridgeStan::Model*)> model_;
  std::vector<std::string> names_, constrained_names_;
  bool on_all_threads_ = false;
  Failures gradients_, constraints_;
};

} // namespace starling::foreign
