// Looks at the cloud while a run goes on.
#pragma once

#include <starling/judge/trace.hpp>
#include <starling/observe/balance.hpp>
#include <starling/observe/noise.hpp>
#include <starling/observe/stein.hpp>
#include <starling/run/roles.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starling::run {

/// Up to `everyone` particles a look sees everyone. Of more it draws `seen` rows for place and
/// spread, and measures no more pairs, and deals no more particles anew, than it would of
/// `everyone`: enough for error bars of a hundredth. Up to `numbers` numbers are added in one sum,
/// more of them in several.
struct LookSize {
  static constexpr std::size_t everyone = 4096, seen = 16384, numbers = 8192;
  std::size_t rows, pairs, dealt_anew;

  /// Of a cloud of that many particles and dimensions, in batches of that size.
  static LookSize of(std::size_t particles, std::size_t dim, std::size_t batch);
};

/// How many steps apart the looks are: a hundred in a long run, in a short one no more than trends
/// need; and, where they would take longer than anyone could fail to notice, such that they take at
/// most a twentieth of the run, by what looks and steps cost on one thread if the scores cost
/// nothing. Depends on nothing that is measured, so that a run looks at the same steps on every
/// machine.
Step look_every(Step total, std::size_t particles, std::size_t dim);

/// The rows that a look at step k reads of a cloud of which it does not see everyone, each once and
/// in order: whoever holds their positions, scores and drifts can look for all. All rows must be
/// dealt.
std::vector<std::uint32_t> rows_looked_at(Step k, std::size_t dim, const Batches& batches,
                                          std::uint64_t seed);

/// Knows how to look, and nothing of what was seen: the trace belongs to whoever calls it.
template <typename Real>
class Lookout {
public:
  Lookout(std::uint64_t seed, bool periodic, std::vector<std::string> names,
          Threads& threads = Threads::alone());

  /// Adds a row to the trace, whose rows so far the verdict rests on. To be called after score and
  /// drift of step k, before the move. `drift` is called a second time, on batches dealt anew; the
  /// drift column is left as it was found.
  void look(Step k, Ensemble<Real>& particles, const Batches& batches, const AnyDrift<Real>& drift,
            double seconds, std::vector<judge::TraceRow>& trace) const;

private:
  std::uint64_t seed_;
  bool periodic_;
  std::vector<std::string> names_;
  Threads* threads_;
  /// Kept from look to look, else the system clears it anew each time.
  struct Room {
    std::vector<Balance> parameters;
    UnwrittenColumn<Real> positions, scores; // of the rows that were drawn
    SteinRoom stein;
    NoiseRoom<Real> noise;
  };
  mutable Room room_;
};

} // namespace starling::run
