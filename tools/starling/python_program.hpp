// Other programs that ours starts: a Python that draws, a browser that shows.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace starling::tool {

/// Ctrl-C, kill or a closed terminal came while another program ran; that one has been ended too.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

enum class Hears { everything, stderr_alone, nothing };

/// Runs a program, found on the path if it is a bare name, and waits; -1 when it did not end by
/// itself. What it prints goes where it is said: to our streams, all to stderr (stdout is the
/// summary's), or nowhere. The settings are added to its environment. Throws Interrupted.
int run_program(std::vector<std::string> words, Hears hears,
                const std::vector<std::pair<std::string, std::string>>& settings = {});

/// The folder of this program; empty when the system does not tell.
std::filesystem::path own_folder();

/// The Pythons that may serve, best first: the one asked for alone, or the one that started us, the
/// one of the build, and the one on the path.
std::vector<std::string> pythons(const std::string& asked);

/// Whether this Python can import them all. The working folder is not among the places where it
/// looks: a numpy.py that happens to lie there is not ours to run.
bool can_import(const std::string& python, const std::string& modules,
                const std::vector<std::pair<std::string, std::string>>& settings = {});

} // namespace starling::tool
