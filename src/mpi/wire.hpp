// What crosses between the ranks of a run. Of one rank, nothing does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starling::mpi {

/// Every call but abort and those that are const is made by all ranks, in the same order. Bytes as
/// they lie: all ranks are machines of one kind, which `same_everywhere` sees to.
class Wire {
public:
  virtual ~Wire() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  bool first() const { return rank() == 0; }
  /// Its number among the ranks of its machine; where nobody knows, its rank.
  virtual std::size_t rank_on_machine() const { return rank(); }
  /// The ranks of this rank's machine in the order of their ranks, as a wire of their own, which
  /// lives as long as this one; empty where nobody knows who they are.
  virtual std::shared_ptr<Wire> on_machine() { return nullptr; }
  /// Whether all_gather also takes addresses on cards, `mine` being in its place of `all` already.
  virtual bool takes_cards() const { return false; }

  /// Sends to each rank its part of `from` and fills `to` with what each sends here, in the order
  /// of ranks. The parts' sizes are known on both sides; the part for oneself is copied.
  void exchange(std::span<const std::byte> from, std::span<const std::size_t> sent,
                std::span<std::byte> to, std::span<const std::size_t> received);
  /// The same, under way until finish(): till then `from` stays as it is, and `to` means nothing.
  /// Several may be.
  void start(std::span<const std::byte> from, std::span<const std::size_t> sent,
             std::span<std::byte> to, std::span<const std::size_t> received);
  /// Waits for all that was started.
  virtual void finish() {}
  /// For whoever computes meanwhile: lets what was started go on. Each rank as often as it likes.
  virtual void go_on() {}
  /// What each rank brings, one after another, to everyone; sizes[r] bytes of rank r.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                          std::span<const std::size_t> sizes) = 0;
  /// The same to rank 0 alone; on the others `all` is left alone.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::span<const std::size_t> sizes) = 0;
  /// Of rank 0, to everyone.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// Memory that all ranks see, each at an address of its own that is a multiple of `alignment`;
  /// empty where they have none in common: on several machines, or where the wire has no such
  /// thing. All ask for as many bytes. What it holds at first means nothing.
  static constexpr std::size_t alignment = 64;
  virtual std::shared_ptr<std::byte> shared_memory(std::size_t /*bytes*/) { return nullptr; }
  /// Until all ranks have come, where they have memory in common: what they wrote there before, all
  /// read after. That holds of all_gather too.
  virtual void meet() {}
  /// Ends all ranks at once, whatever they do.
  [[noreturn]] virtual void abort(int code) = 0;

  std::string agreed_failure; ///< what each rank threw last, by kind and text; empty: nothing
  std::size_t origin = 0;     ///< the rank where that began

  /// Whether this rank would stop: asked with each agreement, so that to stop needs none of its
  /// own.
  std::function<bool()> would_stop;

  /// Bytes that went to other ranks in exchanges so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

protected:
  virtual void exchange_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                              std::span<std::byte> to, std::span<const std::size_t> received) = 0;
  /// Where nothing can be under way, it is done at once.
  virtual void start_parts(std::span<const std::byte> from, std::span<const std::size_t> sent,
                           std::span<std::byte> to, std::span<const std::size_t> received) {
    exchange_parts(from, sent, to, received);
  }

private:
  friend bool any(Wire& wire, bool here);
  friend bool stop_is_agreed(Wire& wire);
  void count(std::span<const std::size_t> sent);
  bool asked_to_stop_ = false,
       asked_since_ = false; // by anyone at the last agreement; whether that is news
  std::uint64_t bytes_sent_ = 0;
};

/// A run on one rank, without MPI.
std::shared_ptr<Wire> alone();
/// The ranks that mpirun started. Throws NotBuilt when this build has no MPI.
std::shared_ptr<Wire> open();

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}
template <typename T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// Whether anyone says so: an agreement.
bool any(Wire& wire, bool here);
/// Whether anyone would stop, as all ranks have heard at the last agreement, or hear at one for
/// this if there was none since.
bool stop_is_agreed(Wire& wire);
/// Texts of any lengths, of each rank.
std::vector<std::string> all_texts(Wire& wire, const std::string& mine);
/// The text of rank 0.
void broadcast(Wire& wire, std::string& text);
void broadcast(Wire& wire, std::vector<std::string>& texts);
/// The numbers of rank 0.
void broadcast(Wire& wire, std::vector<std::uint32_t>& numbers);
void broadcast(Wire& wire, std::vector<double>& numbers);
/// Throws runtime_error, on every rank, unless all ranks say the same of themselves; it names the
/// first line that differs.
void same_everywhere(Wire& wire, const std::string& what, const std::string& mine);

} // namespace starling::mpi
