// Draws as a Zarr folder in the shape that ArviZ gives its own: posterior, sample_stats.
#pragma once

#include "io/stan_csv.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <span>
#include <vector>

namespace starling::io {

/// Writes the runs, which must have equal names and rows, as the chains of a Zarr folder: format 2,
/// not compressed, a chunk per chain, the same bytes for the same draws. Folders are made as
/// needed; for a result that is there whole or not at all, write into an OutputFolder.
///
/// Group `posterior` has an array (chain, draw, indices) per variable: theta[1,1] .. theta[2,3] are
/// one `theta` of 2 x 3. Names that do not fill a box are a variable each, as stan_name has them.
/// Names that end in __ go to `sample_stats` without it: lp. The attributes (an object of JSON) are
/// those of all groups. Throws CannotWrite; std::invalid_argument when the draws do not fit.
void write_zarr(const std::filesystem::path& folder, std::span<const Draws> runs,
                const nlohmann::ordered_json& attributes);

/// Reads what write_zarr wrote, one Draws per chain, columns in the order they had. Throws
/// InputMissing, or BadData for anything else.
std::vector<Draws> read_zarr(const std::filesystem::path& folder);

} // namespace starling::io
