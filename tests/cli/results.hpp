// Reading what a run wrote, and small data sets to run on.
#pragma once

#include "command.hpp"

#include "io/npy.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace starling::cli {

using Json = nlohmann::json;

inline Json summary_of(const Place& place, const std::string& folder) {
  return Json::parse(place.read(folder + "/summary.json"));
}

/// The positions, particles x parameters.
inline io::Array draws_of(const Place& place, const std::string& folder) {
  return io::read_npz(place.path(folder + "/draws.npz")).at("draws");
}

/// draws.csv without the lines that say how long it took, which no two runs share.
inline std::string draws_csv_of(const Place& place, const std::string& folder) {
  std::string kept;
  for (const std::string& line : lines_of(place.read(folder + "/draws.csv")))
    if (line.find(" seconds (") == line.npos)
      kept += line + "\n";
  return kept;
}

/// Rows of two features in [0, 1) and a class that they tell with some noise, parted as asked.
struct SmallData {
  std::string header = "size,weight,kind\n", separator = ",", zero = "0", one = "1";

  std::string text(int rows) const {
    std::uint64_t state = 12345;
    const auto uniform = [&] { // Knuth's MMIX generator, its high bits
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(state >> 11) / 9007199254740992.0;
    };
    std::string all = header;
    for (int row = 0; row < rows; ++row) {
      const double size = uniform(), weight = uniform(), noise = uniform();
      const bool kind = 3 * (size - weight) + noise > 0.5;
      char line[80];
      std::snprintf(line, sizeof line, "%.6f%s%.6f%s%s\n", size, separator.c_str(), weight,
                    separator.c_str(), (kind ? one : zero).c_str());
      all += line;
    }
    return all;
  }
};

} // namespace starling::cli
