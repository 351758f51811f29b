// The cloud of particles: everything that belongs to a particle, as columns.
#pragma once

#include <starling/error.hpp>
#include <starling/particles.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace starling {

/// A mark that any number of threads may take away at once, and that copies as a bool does.
class Mark {
public:
  Mark() = default;
  Mark(const Mark& other) : there_(other.there()) {}
  Mark& operator=(const Mark& other) {
    there_.store(other.there(), std::memory_order_relaxed);
    return *this;
  }
  bool there() const { return there_.load(std::memory_order_relaxed); }
  void set() { there_.store(true, std::memory_order_relaxed); }
  void take_away() {
    if (there())
      there_.store(false, std::memory_order_relaxed);
  }

private:
  std::atomic<bool> there_{false};
};

/// N particles in d dimensions, all of them here, in the host's memory. A row is a particle; row
/// order carries no meaning, because the step rule's memory and the particle's identity travel with
/// it.
template <typename Number>
class Ensemble {
public:
  using Real = Number;

  /// All zero. The threads are for filling it alone: of many particles the system clears the memory
  /// first.
  Ensemble(std::size_t count, std::size_t dim, Threads& threads = Threads::alone())
      : Ensemble(count, dim, count, threads) {}

  /// Memory of others for what is made anew or moved in each step, as long as this lives.
  struct Lent {
    Real *position, *score, *drift;
  };
  /// Particles whose positions, scores and drifts lie there, as they are; the rest is its own.
  Ensemble(std::size_t count, std::size_t dim, Lent lent) : Ensemble(lent, count, dim, count) {}
  /// Positions, scores and drifts alone, which lie there: nobody has moves, an id or a memory.
  static Ensemble bare(std::size_t count, std::size_t dim, Lent lent) {
    return {lent, count, dim, 0};
  }

  std::size_t count() const { return count_; }
  std::size_t population() const { return count_; } // all there are, are here
  std::size_t dim() const { return dim_; }

  Rows<Real> position() { // x_i
    known_finite_.take_away();
    return {position_.data(), count_, dim_};
  }
  Rows<Real> score() { return {score_.data(), count_, dim_}; } // s_i = grad log pi(x_i)
  Rows<Real> drift() { return {drift_.data(), count_, dim_}; } // Phi_i
  Rows<const Real> position() const { return {position_.data(), count_, dim_}; }
  Rows<const Real> score() const { return {score_.data(), count_, dim_}; }
  Rows<const Real> drift() const { return {drift_.data(), count_, dim_}; }

  /// Whether every position is known to be a number, so that the guard need not read them: who
  /// moved them all and saw it says so. It holds until somebody asks for positions to write; rows
  /// asked for before are not seen.
  bool known_finite() const { return known_finite_.there(); }
  void note_finite() { known_finite_.set(); }

  /// How often each particle has moved: adaptive rules count by it, since under Algorithm 2
  /// particles do not all move in every step.
  std::span<std::uint32_t> moves() { return moves_; }
  std::span<const std::uint32_t> moves() const { return moves_; }

  /// Who a row is, however rows travel.
  std::span<std::uint64_t> id() { return id_; }
  std::span<const std::uint64_t> id() const { return id_; }

  /// Columns that the step rule keeps between steps. `remember` makes sure there are that many,
  /// zero when new.
  void remember(std::size_t columns) {
    while (memory_.size() < columns)
      memory_.emplace_back(count_ * dim_);
  }
  std::size_t memories() const { return memory_.size(); }
  Rows<Real> memory(std::size_t column) { return {memory_[column].data(), count_, dim_}; }
  Rows<const Real> memory(std::size_t column) const {
    return {memory_[column].data(), count_, dim_};
  }

  /// Lets rows travel: row i becomes what row order[i] was, in every column that outlives a step
  /// (scores and drifts are made anew).
  void reorder(std::span<const std::uint32_t> order, Threads& threads = Threads::alone()) {
    make_room_to_travel();
    const auto travel = [&](auto* column, std::size_t width) {
      const std::size_t bytes = width * sizeof(*column);
      auto* from = reinterpret_cast<unsigned char*>(column);
      threads.for_pieces(count_, 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          std::memcpy(spare_.data() + i * bytes, from + order[i] * bytes, bytes);
      });
      threads.for_pieces(count_, 16384, [&](std::size_t begin, std::size_t end) {
        std::memcpy(from + begin * bytes, spare_.data() + begin * bytes, (end - begin) * bytes);
      });
    };
    travel(position_.data(), dim_);
    for (Column<Real>& column : memory_)
      travel(column.data(), dim_);
    travel(moves_.data(), 1);
    travel(id_.data(), 1);
  }
  /// A dealer that lets rows travel now and then calls this in its first step, so that no later one
  /// has to allocate.
  void make_room_to_travel() {
    spare_.resize(count_ * std::max(dim_ * sizeof(Real), sizeof(std::uint64_t)));
  }

  /// Room for so many rows of others behind the own ones, for their positions, scores and drifts.
  void make_room_for_guests(std::size_t guests) {
    const std::size_t numbers = (count_ + guests) * dim_;
    if (position_.size() < numbers)
      for (HeldColumn<Real>* column : {&position_, &score_, &drift_})
        column->grow(numbers);
  }
  /// Counts rows of others as if they were here, while it lives: they have nothing that outlives a
  /// step. Moves no row where there is room.
  class Guests {
  public:
    Guests(Ensemble& host, std::size_t rows) : host_(host), rows_(rows) {
      host.make_room_for_guests(rows);
      host.count_ += rows;
    }
    ~Guests() { host_.count_ -= rows_; }
    Guests(const Guests&) = delete;
    Guests& operator=(const Guests&) = delete;

  private:
    Ensemble& host_;
    std::size_t rows_;
  };

  /// A second cloud of as many particles, on the scores and drifts of the first, which a step makes
  /// anew in any case: so it costs half. The lender has none until the loan ends.
  class Loan {
  public:
    explicit Loan(Ensemble& lender, Threads& threads = Threads::alone())
        : borrower(lender.count_, lender.dim_, 0, threads), lender_(lender) {
      lender.swap_forces(borrower);
    }
    ~Loan() { lender_.swap_forces(borrower); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    Ensemble borrower;

  private:
    Ensemble& lender_;
  };

private:
  Ensemble(std::size_t count, std::size_t dim, std::size_t with_forces, Threads& threads) try
      : count_(checked(count, dim)), dim_(dim), position_(count * dim), score_(with_forces * dim),
        drift_(with_forces * dim), moves_(count), id_(count) {
    clear(position_, threads);
    clear(score_, threads);
    clear(drift_, threads);
    clear(moves_, threads);
    for_pages(id_, threads, [&](std::size_t begin, std::size_t end) {
      std::iota(id_.data() + begin, id_.data() + end, std::uint64_t{begin});
    });
  } catch (const std::bad_alloc&) {
    throw does_not_fit(count, dim);
  }
  Ensemble(Lent lent, std::size_t count, std::size_t dim, std::size_t with_ids)
      : count_(checked(count, dim)), dim_(dim), position_(lent.position, count * dim),
        score_(lent.score, count * dim), drift_(lent.drift, count * dim), moves_(with_ids, 0u),
        id_(with_ids) {
    std::iota(id_.begin(), id_.end(), std::uint64_t{0});
  }
  /// Calls work(begin, end) for the elements of each large page.
  template <typename Numbers, typename Work>
  static void for_pages(Numbers& column, Threads& threads, Work&& work) {
    threads.for_pieces(column.size(), large_page / sizeof(*column.data()), work);
  }
  template <typename Numbers>
  static void clear(Numbers& column, Threads& threads) {
    for_pages(column, threads, [&](std::size_t begin, std::size_t end) {
      std::fill(column.data() + begin, column.data() + end, 0);
    });
  }
  void swap_forces(Ensemble& other) noexcept {
    score_.swap(other.score_);
    drift_.swap(other.drift_);
    spare_.swap(other.spare_);
  }

  // Before anything is allocated.
  static std::size_t checked(std::size_t count, std::size_t dim) {
    if (count == 0)
      reject("particles", "at least 1", "0");
    if (dim == 0)
      reject("dim", "at least 1", "0");
    if (count > UINT32_MAX)
      reject("particles", "fewer than 2^32", std::to_string(count));
    if (dim > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(Real) / count)
      throw does_not_fit(count, dim);
    return count;
  }
  static DoesNotFit does_not_fit(std::size_t count, std::size_t dim) {
    return DoesNotFit("particles: " + std::to_string(count) + " of " + std::to_string(dim) +
                      " numbers each do not fit into memory");
  }

  std::size_t count_, dim_;
  HeldColumn<Real> position_, score_, drift_;
  std::vector<Column<Real>> memory_;
  UnwrittenColumn<std::uint32_t> moves_;
  UnwrittenColumn<std::uint64_t> id_;
  Mark known_finite_;
  Column<unsigned char> spare_; // one column's worth, while rows travel
};
static_assert(HostParticles<Ensemble<double>, double>);

} // namespace starling
