// Folders from which code is loaded: only those that nobody but this user, or root, can have
// filled.
#pragma once

#include <filesystem>

namespace starling::foreign {

/// The home of the effective user: HOME where it is an absolute path, else what the system's list
/// of users says. Empty where there is none.
std::filesystem::path home_folder();

/// Makes the folder where it is missing, readable by this user alone, and answers its path without
/// links. Throws BadLibrary unless it and every folder above it belong to this user or to root and
/// nobody else may write there. Above it one will do that all may write and where none may rename
/// what belongs to others, as /tmp: what lies below it is asked for its owner too.
std::filesystem::path own_folder(const std::filesystem::path& folder);

} // namespace starling::foreign
