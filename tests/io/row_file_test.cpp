// Rows of .npy files, read in pieces: equal to the whole array; what cannot be read is said.
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "io/npy_format.hpp"
#include "io/row_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace starling::io;
namespace fs = std::filesystem;

class RowFiles : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("row_file_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  fs::path folder_;
};

TEST_F(RowFiles, AreReadInPieces) {
  Array all{{7, 3}, {}};
  for (std::size_t i = 0; i < 21; ++i)
    all.values.push_back(.5 * double(i));
  write_npy(folder_ / "a.npy", all);
  std::string floats = npy_head("<f4", {7, 3});
  for (const double v : all.values) {
    const auto f = static_cast<float>(v);
    floats.append(reinterpret_cast<const char*>(&f), 4);
  }
  for (const fs::path& file : {folder_ / "a.npy", write("b.npy", floats)}) {
    const RowFile rows(file);
    EXPECT_EQ(rows.rows(), 7u);
    EXPECT_EQ(rows.columns(), 3u);
    for (std::size_t first = 0; first < 7; ++first)
      for (std::size_t last = first + 1; last <= 7; ++last) {
        std::vector<double> some;
        std::vector<float> single;
        rows.read(first, last, some);
        rows.read(first, last, single);
        const std::vector<double> twin(all.values.begin() + std::ptrdiff_t(3 * first),
                                       all.values.begin() + std::ptrdiff_t(3 * last));
        EXPECT_EQ(some, twin);
        EXPECT_EQ(std::vector<double>(single.begin(), single.end()),
                  twin); // halves are exact in both
      }
  }
}

TEST_F(RowFiles, ThatAreNoTablesAreRefused) {
  EXPECT_THROW(RowFile(folder_ / "none.npy"), InputMissing);
  EXPECT_THROW(RowFile(write("text.npy", "1,2\n")), BadData);
  EXPECT_THROW(RowFile(write("line.npy", npy_head("<f8", {3}) + std::string(24, '\0'))), BadData);
  EXPECT_THROW(RowFile(write("whole.npy", npy_head("<i8", {1, 3}) + std::string(24, '\0'))),
               BadData);
  EXPECT_THROW(RowFile(write("short.npy", npy_head("<f8", {2, 3}) + std::string(24, '\0'))),
               BadData);
}

} // namespace
