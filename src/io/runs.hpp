// The draws of one or more runs, from any of the files that hold them.
#pragma once

#include "io/npy.hpp"
#include "io/stan_csv.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace starling::io {

/// One Draws per run, all of equal names and rows; lp__ is the first column where it is known, and
/// names are in our form, theta[1,2]. What is read: a folder of a run (its draws.npz, or draws.csv,
/// or draws-1.csv, draws-2.csv .., or draws.zarr), an .npz, a Zarr folder; any other file is a Stan
/// CSV, plain, gzip or xz. Throws InputMissing or BadData.
std::vector<Draws> read_runs(const std::filesystem::path& path);

/// Adds the arrays of draws.npz: draws (runs x rows x columns, or rows x columns of a single run),
/// log_density where lp__ is the first column, names. Throws as NpzWriter does.
void add_runs(NpzWriter& npz, std::span<const Draws> runs);

} // namespace starling::io
