// The command line under mpirun, in a folder of its own; and whether there is an mpirun.
#pragma once

#include "cli/command.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace starling::cli {

/// Empty where several ranks can be started.
inline std::string why_no_mpirun() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "sanitizers would find fault with the MPI";
#endif
  if (!fs::exists(fs::path(STARLING_BINARY).replace_filename("starling_mpi.so")))
    return "this build has no MPI";
  if (!fs::exists(STARLING_MPIRUN))
    return "there is no mpirun";
  return {};
}

/// Arguments that start so many ranks: what every mpirun takes.
inline std::vector<std::string> mpirun(std::size_t ranks, const std::string& command) {
  std::vector<std::string> all = {"-n", std::to_string(ranks), STARLING_BINARY};
  for (const std::string& word : words(command))
    all.push_back(word);
  return all;
}

/// OpenMPI's own: more ranks than cores, which wait without keeping one busy and go where there is
/// room; by root; without what containers forbid. Two that begin at once would both make its
/// folder, and one of them would fail: each test has its own.
inline Running::Environment many_on_few_cores() {
  static const Place session;
  return {{"OMPI_MCA_orte_tmpdir_base", session.path("").string()},
          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
          {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
          {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_mpi_yield_when_idle", "1"},
          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
          {"PRTE_MCA_hwloc_default_binding_policy", "none"},
          {"OMP_NUM_THREADS", "1"}};
}

/// The draws of a run, without the remarks, of which some are times.
inline std::string draws(const fs::path& folder) {
  std::string rows;
  for (const std::string& line : lines_of(bytes_of(folder / "draws.csv")))
    if (!line.starts_with("#"))
      rows += line + "\n";
  return rows;
}

inline void wait_for(const Running& running, const fs::path& file) {
  running.until(file.c_str(), [&] { return fs::exists(file); });
}

/// How often a text holds another.
inline std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// The number of steps that a command says to have saved; 0: it says none.
inline std::size_t steps_saved(const Ended& ended) {
  const std::string before = "state after ";
  const std::size_t at = ended.err.find(before);
  return at == std::string::npos ? 0 : std::stoul(ended.err.substr(at + before.size()));
}

/// Processes of this folder's run, by their command line.
inline std::vector<pid_t> ranks_in(const fs::path& folder) {
  std::vector<pid_t> found;
  const fs::path own = fs::canonical(folder);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::error_code gone;
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        fs::read_symlink(entry.path() / "cwd", gone) != own ||
        fs::read_symlink(entry.path() / "exe", gone) != fs::canonical(STARLING_BINARY))
      continue;
    found.push_back(std::stoi(name));
  }
  return found;
}

class Mpirun : public ::testing::Test {
protected:
  void SetUp() override {
    if (const std::string why = why_no_mpirun(); !why.empty()) {
      const char* required = std::getenv("STARLING_REQUIRE_MPI");
      if (required && std::string(required) == "1")
        FAIL() << why;
      GTEST_SKIP() << "skipped: " << why;
    }
    folder_ = fs::temp_directory_path() / ("starling-mpi-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  Running start(std::size_t ranks, const std::string& command,
                const Running::Environment& more = {}) {
    return start_with(mpirun(ranks, command), more);
  }
  Running start_with(const std::vector<std::string>& arguments,
                     Running::Environment environment = {}) {
    environment.merge(many_on_few_cores());
    return Running(STARLING_MPIRUN, arguments, folder_, streams(), environment);
  }
  Running start_alone(const std::string& command) {
    return Running(STARLING_BINARY, words(command), folder_, streams(), {});
  }

  fs::path folder_;

private:
  fs::path streams() {
    const fs::path own = folder_ / ("streams-" + std::to_string(next_++));
    fs::create_directories(own);
    return own;
  }
  int next_ = 0;
};

} // namespace starling::cli
