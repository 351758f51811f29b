// Whether a file is one that starling wrote, so that --force may replace it.
#pragma once

#include <filesystem>

namespace starling::io {

/// A regular file, and no link to one, that the mark of its folder lists, or whose first bytes are
/// those of our Stan CSV or our NPZ.
bool written_by_starling(const std::filesystem::path& file);

} // namespace starling::io
