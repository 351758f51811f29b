// Which column of the draws lies where in a Zarr folder; the writer and the reader share it.
#pragma once

#include "io/names.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starling::io {

struct ZarrVariable : Variable {
  std::string group; ///< posterior or sample_stats
  std::string file;  ///< its name, but for what a folder or ArviZ cannot hold

  std::string path() const { return group + "/" + file; }
};

/// A function of the names alone. Throws std::invalid_argument when two names are the same.
std::vector<ZarrVariable> zarr_layout(const std::vector<std::string>& names);

/// The description .zarray of an array.
nlohmann::ordered_json zarr_array(const char* type, const std::vector<std::size_t>& shape,
                                  const std::vector<std::size_t>& chunks);

/// The same for a variable of the draws: a chunk per chain.
nlohmann::ordered_json zarr_array(const ZarrVariable& variable, std::size_t chains,
                                  std::size_t draws);

/// The name of the chunk of one chain: "2.0.0.0".
std::string zarr_chunk(const ZarrVariable& variable, std::size_t chain);

/// The attribute of the folder that keeps the columns' names.
inline constexpr const char* zarr_names = "column_names";

} // namespace starling::io
