// Where readers find the bytes they are given: on the disk in the tests, in memory under libFuzzer,
// which is quicker.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace starling::fuzz {

/// A folder that is there.
const std::filesystem::path& folder();

/// Puts a file into the folder; the name may have folders in it.
std::filesystem::path place(const std::string& name, std::string_view bytes);

/// Takes all files away again.
void clear();

} // namespace starling::fuzz
