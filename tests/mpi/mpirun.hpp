// The command line under mpirun, in a folder of its own; and whether there is an mpirun.
#pragma once

#include "cli/command.hpp"

#include <starling/back_ends.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace starling::cli {

/// Empty where several ranks can be started.
inline std::string why_no_mpirun() {
  if (!mpi::back_end().built)
    return "this build has no MPI";
  if (!fs::exists("/usr/bin/mpirun"))
    return "there is no /usr/bin/mpirun";
  return {};
}

/// Arguments that start so many ranks, oversubscribed, which wait without keeping a core busy.
inline std::vector<std::string> mpirun(std::size_t ranks, const std::string& command) {
  std::vector<std::string> all = {"--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "--mca",
                                  "btl_vader_single_copy_mechanism", "none", "-n", std::to_string(ranks)}; // none: containers forbid it
  all.push_back(STARLING_BINARY);
  for (const std::string& word : words(command))
    all.push_back(word);
  return all;
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

  Running start(std::size_t ranks, const std::string& command) {
    return Running("/usr/bin/mpirun", mpirun(ranks, command), folder_, streams(), {{"OMP_NUM_THREADS", "1"}});
  }
  Running start_with(const std::vector<std::string>& arguments) {
    return Running("/usr/bin/mpirun", arguments, folder_, streams(), {});
  }
  Running start_alone(const std::string& command) { return Running(STARLING_BINARY, words(command), folder_, streams(), {}); }

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
