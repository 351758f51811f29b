// Tables under mpirun: one rank of a machine opens the file, and the files are those of one
// process.
#include "mpi/mpirun.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;

class TablesOnRanks : public Mpirun {
protected:
  void SetUp() override {
    Mpirun::SetUp();
    if (!IsSkipped() && !HasFatalFailure())
      write(folder_ / "table.csv", 1);
  }
  static void write(const fs::path& file, double phase) {
    std::ofstream to(file);
    to << "a,b,kind\n";
    for (int r = 0; r < 120; ++r)
      to << std::sin(r + phase) << ',' << std::cos(1.7 * r) << ','
         << (std::sin(r) + std::sin(9.0 * r) > 0.3 ? "red"
             : r % 3 == 0                          ? "green"
                                                   : "blue")
         << '\n';
  }
  /// The table in one folder, another of its name in another.
  void put_tables() const {
    fs::create_directories(folder_ / "first");
    fs::create_directories(folder_ / "other");
    fs::copy_file(folder_ / "table.csv", folder_ / "first" / "table.csv");
    write(folder_ / "other" / "table.csv", 2);
  }
  static std::string sample(const std::string& what) {
    return "sample " + what +
           " --data table.csv --holdout 0.2 --particles 24 --threads 1 --seed 3 --progress none "
           "--format npz,csv";
  }
  std::string lines_of_test(const std::string& out) const {
    std::string found;
    for (const std::string& line : lines_of(bytes_of(folder_ / out / "summary.json")))
      if (line.find("\"test_") != std::string::npos)
        found += line;
    return found;
  }
  void expect_like_alone(const Ended& ended, const std::string& out) const {
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(bytes_of(folder_ / out / "draws.npz"), bytes_of(folder_ / "alone" / "draws.npz"))
        << out;
    EXPECT_EQ(lines_of_test(out), lines_of_test("alone")) << out;
    EXPECT_THAT(lines_of_test(out), HasSubstr("test_log_likelihood"));
  }
  /// Ranks in folders of their own, and on machines of these names, if any are given.
  std::vector<std::string> in_folders(const std::vector<std::string>& folders,
                                      const std::string& command,
                                      const std::vector<std::string>& machines = {}) const {
    std::vector<std::string> all;
    for (std::size_t r = 0; r < folders.size(); ++r) {
      const std::string& folder = folders[r];
      fs::create_directories(folder_ / folder);
      if (r > 0)
        all.push_back(":");
      if (!machines.empty())
        all.insert(all.end(), {"--host", machines[r] + ":2"});
      for (const std::string& word : {std::string("-n"), std::string("1"), std::string("-wdir"),
                                      (folder_ / folder).string(), std::string(STARLING_BINARY)})
        all.push_back(word);
      for (const std::string& word : words(command))
        all.push_back(word);
    }
    return all;
  }
};

TEST_F(TablesOnRanks, WriteTheFilesOfOneProcess) {
  const std::string logistic = "logistic --positive red", raw = " --batch 4 --steps 12";
  for (const std::string& what :
       {logistic + raw, logistic + raw + " --precision single", logistic, "multinomial" + raw}) {
    SCOPED_TRACE(what);
    ASSERT_EQ(start_alone(sample(what) + " --blocks 64 --out alone --force").wait().code, 0);
    const bool in_stages =
        what.find("--steps") == std::string::npos; // which take long where ranks have no core each
    for (const std::size_t ranks :
         in_stages ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 2, 3})
      expect_like_alone(start(ranks, sample(what) + " --out ranks --force").wait(), "ranks");
    expect_like_alone(
        start(in_stages ? 2u : 3u, sample(what) + " --out apart --force", {{"OMPI_MCA_osc", "^sm"}})
            .wait(),
        "apart");
  }
}

TEST_F(TablesOnRanks, AreOpenedByTheFirstRankAlone) {
  const std::string run = sample("logistic --positive red --batch 4 --steps 12");
  ASSERT_EQ(start_alone(run + " --blocks 64 --out alone").wait().code, 0);
  put_tables();
  const std::string out =
      " --out " + (folder_ / "ranks").string(); // the second has none, the third another
  expect_like_alone(start_with(in_folders({"first", "none", "other"}, run + out)).wait(), "ranks");
  const Ended lacks =
      start_with(in_folders({"none", "first"}, run + out + " --force")).wait(); // the control
  EXPECT_EQ(lacks.code, input_missing) << lacks.err;
  EXPECT_EQ(times(lacks.err, "starling: table.csv: "), 1u) << lacks.err;
}

// This machine under two names: OpenMPI 4 starts its helper "there" by a program of ours, which
// needs root.
TEST_F(TablesOnRanks, AreOpenedByTheFirstRankOfEachMachine) {
  const auto answers = [](const std::string& command) {
    return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
  };
  if (!answers(std::string(STARLING_MPIRUN) + " --version | grep -qE '[(]Open(RTE| MPI)[)] 4'") ||
      !answers("unshare --uts hostname starling-there"))
    GTEST_SKIP() << "this machine cannot stand for two";
  const fs::path agent = folder_ / "agent";
  std::ofstream(agent)
      << "#!/bin/sh\nname=$1; shift\nexec unshare --uts sh -c \"hostname $name; $*\"\n";
  fs::permissions(agent, fs::perms::owner_all);
  put_tables();
  const std::string run = sample("logistic --positive red --batch 4 --steps 12");
  ASSERT_EQ(start_alone(run + " --blocks 64 --out alone").wait().code, 0);
  const auto on_two = [&](const std::vector<std::string>& folders) {
    return start_with(in_folders(folders, run + " --force --out " + (folder_ / "ranks").string(),
                                 {"localhost", "localhost", "starling-there", "starling-there"}),
                      {{"OMPI_MCA_plm_rsh_agent", agent.string()}})
        .wait();
  };
  const Ended together = on_two({"first", "none", "first", "other"});
  if (together.code != 0 && together.err.find("starling: ") == std::string::npos)
    GTEST_SKIP() << "this mpirun starts nothing under a second name: " << together.err;
  expect_like_alone(together, "ranks");
  const Ended lacks = on_two({"first", "none", "none", "first"}),
              differs = on_two({"first", "none", "other", "first"});
  EXPECT_EQ(times(lacks.err, "starling: rank 2: table.csv: "), 1u) << lacks.err;
  EXPECT_EQ(
      times(differs.err,
            "starling: rank 2: mpi: all ranks must have the same table.csv; rank 2 has one of"),
      1u)
      << differs.err;
}

} // namespace
} // namespace starling::cli
