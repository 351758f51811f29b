// A fixed crew of threads that share out numbered pieces of a sweep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace starling {

/// Runs pieces of work on a fixed number of threads. How a range is cut never depends on how many
/// threads there are, only who works on which piece: so results do not depend on it either.
class Threads {
public:
  /// `count` threads in all, the caller among them; 0 means one per core. Throws std::system_error
  /// when the system does not start as many; none is then left behind. A process that is forked
  /// off gets a crew of its own when it first needs one.
  explicit Threads(std::size_t count = 1);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t count() const;

  /// Calls work(begin, end) for [0, grain), [grain, 2 grain), ... up to n, in any order. When
  /// pieces throw, the exception of the lowest one is rethrown here, whoever met it first. Not to
  /// be called from inside a piece.
  template <typename Work>
  void for_pieces(std::size_t n, std::size_t grain, Work&& work) {
    if (n == 0)
      return;
    const std::size_t pieces = (n + grain - 1) / grain;
    if (pieces == 1)
      return work(std::size_t{0}, n);
    const auto piece = [&](std::size_t q) { work(q * grain, std::min(n, (q + 1) * grain)); };
    run(pieces, std::cref(piece));
  }

  /// The crew of one, for those who do not ask for threads.
  static Threads& alone();

private:
  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece);
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

} // namespace starling
