// Tables under mpirun: one rank of a machine opens the file, and the files are those of one process.
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
      to << std::sin(r + phase) << ',' << std::cos(1.7 * r) << ',' << (std::sin(r) + std::sin(9.0 * r) > 0.3 ? "red" : r % 3 == 0 ? "green" : "blue") << '\n';
  }
  static std::string sample(const std::string& what) {
    return "sample " + what + " --data table.csv --holdout 0.2 --particles 24 --threads 1 --seed 3 --progress none --format npz,csv";
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
    EXPECT_EQ(bytes_of(folder_ / out / "draws.npz"), bytes_of(folder_ / "alone" / "draws.npz")) << out;
    EXPECT_EQ(lines_of_test(out), lines_of_test("alone")) << out;
    EXPECT_THAT(lines_of_test(out), HasSubstr("test_log_likelihood"));
  }
  /// Ranks in folders of their own, the first of which has the table.
  std::vector<std::string> in_folders(const std::vector<std::string>& folders, const std::string& command) const {
    std::vector<std::string> all;
    for (const std::string& folder : folders) {
      fs::create_directories(folder_ / folder);
      if (!all.empty())
        all.push_back(":");
      for (const std::string& word : {std::string("-n"), std::string("1"), std::string("-wdir"), (folder_ / folder).string(), std::string(STARLING_BINARY)})
        all.push_back(word);
      for (const std::string& word : words(command))
        all.push_back(word);
    }
    return all;
  }
};

TEST_F(TablesOnRanks, WriteTheFilesOfOneProcess) {
  const std::string logistic = "logistic --positive red", raw = " --batch 4 --steps 12";
  for (const std::string& what : {logistic + raw, logistic + raw + " --precision single", logistic, "multinomial" + raw,
                                  "multinomial" + raw + " --precision single", std::string("multinomial")}) {
    SCOPED_TRACE(what);
    ASSERT_EQ(start_alone(sample(what) + " --blocks 64 --out alone --force").wait().code, 0);
    for (const std::size_t ranks : {1, 2, 3})
      expect_like_alone(start(ranks, sample(what) + " --out ranks --force").wait(), "ranks");
    expect_like_alone(start(3, sample(what) + " --out apart --force", {{"OMPI_MCA_osc", "^sm"}}).wait(), "apart");
  }
}

TEST_F(TablesOnRanks, AreOpenedByTheFirstRankAlone) {
  const std::string run = sample("logistic --positive red --batch 4 --steps 12");
  ASSERT_EQ(start_alone(run + " --blocks 64 --out alone").wait().code, 0);
  fs::create_directories(folder_ / "first");
  fs::create_directories(folder_ / "other");
  fs::copy_file(folder_ / "table.csv", folder_ / "first" / "table.csv");
  write(folder_ / "other" / "table.csv", 2);
  const std::string out = " --out " + (folder_ / "ranks").string(); // the second has none, the third another
  expect_like_alone(start_with(in_folders({"first", "none", "other"}, run + out)).wait(), "ranks");
  const Ended lacks = start_with(in_folders({"none", "first"}, run + out + " --force")).wait(); // the control
  EXPECT_EQ(lacks.code, input_missing) << lacks.err;
  EXPECT_EQ(times(lacks.err, "starling: table.csv: "), 1u) << lacks.err;
}

} // namespace
} // namespace starling::cli
