// States of runs: a checkpoint of any bytes under a right checksum, and the state of a run in
// stages with edits.
#include "fuzz/files.hpp"
#include "fuzz/readers.hpp"

#include <starling/fields.hpp>
#include <starling/random/start.hpp>
#include <starling/run/staged.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

namespace starling::fuzz {

// Without the checksum, which would keep out all but a few.
void read_checkpoint(std::string_view bytes) {
  std::string whole(bytes);
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  whole.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  try {
    const run::Checkpoint checkpoint = run::read_checkpoint(place("state", whole));
    promise(run::pack(checkpoint) == whole, "a checkpoint that was read is written as it was");
    const run::Saved s = run::saved(checkpoint, "state");
    promise(run::positions_in(checkpoint, "state").size() == s.particles * s.dim,
            "positions are there");
  } catch (const io::BadData&) {
  }
}

namespace {

constexpr std::size_t particles = 8;

/// A normal in two dimensions; two of them side by side, which makes groups; with tempering and the
/// evidence.
enum class Asked { plain, groups, evidence };

run::Staged staged(Asked asked) {
  run::Staged made;
  const bool groups = asked == Asked::groups;
  made.target.dim = 2;
  made.target.names = {"a", "b"};
  made.target.evaluate = [groups](Rows<const double> x, Rows<double> score,
                                  std::span<double> log_density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const double to = groups ? (x[i][0] < 0 ? -9.0 : 9.0) : 0.0;
      score[i][0] = to - x[i][0];
      score[i][1] = -x[i][1];
      log_density[i] = -.5 * (score[i][0] * score[i][0] + x[i][1] * x[i][1]);
    }
  };
  made.stages.particles = particles;
  made.stages.steps = 4;
  made.stages.certify_moves = 4;
  made.stages.polish_steps = 2;
  made.stages.temper = made.stages.evidence = asked == Asked::evidence;
  return made;
}

run::Settings settings() {
  run::Settings made;
  made.particles = particles;
  return made;
}

/// Without the looks in its head, which take longer to read than all the rest; read_checkpoint has
/// heads.
run::Checkpoint without_looks(run::Checkpoint checkpoint) {
  std::string& head = checkpoint.head;
  const std::string_view trace = "\"trace\":[";
  const std::size_t from = head.find(trace), to = head.find("],\"version\"");
  promise(from != head.npos && to != head.npos, "a head has looks, and its version after them");
  head.erase(from + trace.size(), to - from - trace.size());
  return checkpoint;
}

struct State {
  Asked asked;
  run::Checkpoint checkpoint;
};

/// True states after some units, of all that can be asked.
const std::vector<State>& states() {
  static const std::vector<State> all = [] {
    std::vector<State> made;
    for (const Asked asked : {Asked::plain, Asked::groups, Asked::evidence}) {
      const auto flight = run::begin(staged(asked), settings());
      const int every = asked == Asked::evidence ? 6 : 3; // which has twice the units
      for (int units = 0; units < 13 * every && !flight->over(); ++units) {
        if (units % every == 0)
          made.push_back({asked, without_looks(flight->save())});
        flight->take(1, {});
      }
      made.push_back({asked, without_looks(flight->save())});
    }
    return made;
  }();
  return all;
}

/// A number that readers stumble over, by its place in a list.
std::uint64_t odd_number(unsigned char which) {
  const auto bits = [](double value) {
    std::uint64_t all;
    std::memcpy(&all, &value, sizeof all);
    return all;
  };
  const std::array<std::uint64_t, 16> list{0,
                                           1,
                                           2,
                                           3,
                                           5,
                                           8,
                                           255,
                                           std::uint64_t{1} << 31,
                                           std::uint64_t{1} << 62,
                                           ~std::uint64_t{0},
                                           bits(-1),
                                           bits(1e300),
                                           bits(std::numeric_limits<double>::infinity()),
                                           bits(std::numeric_limits<double>::quiet_NaN()),
                                           bits(0.5),
                                           bits(1e-320)};
  return list[which % list.size()];
}

/// Where a number of a column is overwritten: after one of the names of counts in it, if it has
/// any; else anywhere.
std::size_t place_in(const std::string& column, unsigned char which) {
  std::vector<std::size_t> places;
  for (const char* name :
       {"part",  "current", "left",       "done",   "moves",     "round",    "particles",
        "modes", "split",   "most_leaps", "keeps",  "parameter", "x",        "began",
        "kept",  "sums",    "added",      "shares", "means",     "form",     "all",
        "heavy", "units",   "freedom",    "log_z",  "at_fit",    "at_draws", "met"}) {
    const std::uint32_t tag = fields::tag(name);
    const std::string mark(reinterpret_cast<const char*>(&tag), sizeof tag);
    for (std::size_t at = column.find(mark); at != column.npos; at = column.find(mark, at + 1))
      if (at + 12 <= column.size())
        places.push_back(at + 4);
  }
  if (places.empty() || which % 4 == 0)
    return which * (column.size() - 8) / 255;
  return places[which * places.size() / 256];
}

} // namespace

// A byte chooses the state, then four bytes an edit: what to do, column, place, number.
void read_journey(std::string_view bytes) {
  if (bytes.empty())
    return;
  const std::size_t which = static_cast<unsigned char>(bytes[0]) % states().size();
  run::Checkpoint checkpoint = states()[which].checkpoint;
  for (std::size_t i = 1; i + 4 <= std::min<std::size_t>(bytes.size(), 33); i += 4) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(bytes[i + k]); };
    auto& columns = checkpoint.columns;
    std::string& column = columns[at(1) % columns.size()].second;
    const std::uint64_t number = odd_number(at(3));
    switch (at(0) % 5) {
    case 0: // a number of it
      if (column.size() >= 8)
        std::memcpy(column.data() + place_in(column, at(2)), &number, 8);
      break;
    case 1:
      column.resize(column.size() / 8 * 8 -
                    std::min<std::size_t>(column.size() / 8 * 8, 8 * at(2)));
      break;
    case 2:
      column.append(reinterpret_cast<const char*>(&number), 8);
      break;
    case 3:
      column.clear();
      break;
    default:
      if (columns.size() > 1)
        columns.erase(columns.begin() + at(1) % columns.size());
    }
  }
  try {
    const auto flight = run::resume(staged(states()[which].asked), settings(), checkpoint, "state");
    flight->save();
    flight->outcome(false);
  } catch (const io::BadData&) {
  }
}

} // namespace starling::fuzz
