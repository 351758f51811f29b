// A wire of one rank, and what is said over any.
#include "mpi/wire.hpp"

#include "mpi/agreement.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace starling::mpi {

namespace {

class Alone final : public Wire {
public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  std::span<const std::size_t>) override {
    std::ranges::copy(mine, all.begin());
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::span<const std::size_t>) override {
    std::ranges::copy(mine, all.begin());
  }
  void broadcast(std::span<std::byte>) override {}
  [[noreturn]] void abort(int code) override { std::_Exit(code); }

protected:
  void exchange_parts(std::span<const std::byte> from, std::span<const std::size_t>,
                      std::span<std::byte> to, std::span<const std::size_t>) override {
    std::ranges::copy(from, to.begin());
  }
};

} // namespace

void Wire::exchange(std::span<const std::byte> from, std::span<const std::size_t> sent,
                    std::span<std::byte> to, std::span<const std::size_t> received) {
  count(sent);
  exchange_parts(from, sent, to, received);
}

void Wire::start(std::span<const std::byte> from, std::span<const std::size_t> sent,
                 std::span<std::byte> to, std::span<const std::size_t> received) {
  count(sent);
  start_parts(from, sent, to, received);
}

void Wire::count(std::span<const std::size_t> sent) {
  for (std::size_t r = 0; r < size(); ++r)
    bytes_sent_ += r == rank() ? 0 : sent[r];
}

std::shared_ptr<Wire> alone() { return std::make_shared<Alone>(); }

bool any(Wire& wire, bool here) {
  if (wire.size() == 1)
    return here;
  constexpr unsigned char says_so = 1, would_stop = 2;
  const std::vector<unsigned char> mine(
      1, static_cast<unsigned char>((here ? says_so : 0) |
                                    (wire.would_stop && wire.would_stop() ? would_stop : 0)));
  std::vector<unsigned char> all(wire.size());
  wire.all_gather(bytes_of(mine), bytes_of(all), std::vector<std::size_t>(wire.size(), 1));
  const auto anyone = [&](unsigned char what) {
    return std::ranges::any_of(all, [what](unsigned char one) { return (one & what) != 0; });
  };
  wire.asked_to_stop_ = anyone(would_stop);
  wire.asked_since_ = true;
  return anyone(says_so);
}

bool stop_is_agreed(Wire& wire) {
  if (wire.size() == 1)
    return wire.would_stop && wire.would_stop();
  if (!std::exchange(wire.asked_since_, false)) {
    any(wire, false);
    wire.asked_since_ = false;
  }
  return wire.asked_to_stop_;
}

std::vector<std::string> all_texts(Wire& wire, const std::string& mine) {
  const std::vector<std::uint64_t> length(1, mine.size());
  std::vector<std::uint64_t> lengths(wire.size());
  wire.all_gather(bytes_of(length), bytes_of(lengths),
                  std::vector<std::size_t>(wire.size(), sizeof length[0]));
  const std::vector<std::size_t> sizes(lengths.begin(), lengths.end());
  std::vector<char> all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  wire.all_gather(std::as_bytes(std::span(mine)), bytes_of(all), sizes);
  std::vector<std::string> texts;
  for (std::size_t r = 0, at = 0; r < sizes.size(); at += sizes[r++])
    texts.emplace_back(all.data() + at, sizes[r]);
  return texts;
}

void broadcast(Wire& wire, std::string& text) {
  std::vector<std::uint64_t> length(1, text.size());
  wire.broadcast(bytes_of(length));
  text.resize(length[0]);
  wire.broadcast(std::as_writable_bytes(std::span(text)));
}

void broadcast(Wire& wire, std::vector<std::string>& texts) {
  std::vector<std::uint32_t> lengths;
  std::string all;
  for (const std::string& one : texts) {
    lengths.push_back(static_cast<std::uint32_t>(one.size()));
    all += one;
  }
  broadcast(wire, lengths);
  broadcast(wire, all);
  texts.clear();
  std::size_t at = 0;
  for (const std::uint32_t length : lengths) {
    texts.push_back(all.substr(at, length));
    at += length;
  }
}

namespace {

template <typename Number>
void broadcast_numbers(Wire& wire, std::vector<Number>& numbers) {
  std::vector<std::uint64_t> count(1, numbers.size());
  wire.broadcast(bytes_of(count));
  numbers.resize(count[0]);
  wire.broadcast(bytes_of(numbers));
}

} // namespace

void broadcast(Wire& wire, std::vector<std::uint32_t>& numbers) {
  broadcast_numbers(wire, numbers);
}
void broadcast(Wire& wire, std::vector<double>& numbers) { broadcast_numbers(wire, numbers); }

namespace {

/// The first line of each that the other has not in its place.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::istringstream in_a(a), in_b(b);
  std::string line_a, line_b;
  bool more_a = true, more_b = true;
  while (more_a || more_b) {
    more_a = more_a && std::getline(in_a, line_a), more_b = more_b && std::getline(in_b, line_b);
    if (more_a != more_b || line_a != line_b)
      break;
  }
  return {more_a ? line_a : "nothing", more_b ? line_b : "nothing"};
}

} // namespace

void same_everywhere(Wire& wire, const std::string& what, const std::string& mine) {
  const std::vector<std::string> all = all_texts(wire, mine);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0]) {
      const auto [there, here] = first_difference(all[r], all[0]);
      const std::runtime_error differs("mpi: all ranks must have the same " + what + "; rank " +
                                       std::to_string(r) + " has " + there + ", rank 0 has " +
                                       here);
      note_agreed(wire, std::make_exception_ptr(differs), r);
      throw differs;
    }
}

} // namespace starling::mpi
