// Tests of the output folder: whole or not at all, and never over something without leave.
#include "io/errors.hpp"
#include "io/output_folder.hpp"
#include "scratch.hpp"

#include <cerrno>

namespace starling::io {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// A folder of results with one file, as an earlier run left it.
void leave_a_result(const fs::path& folder, const std::string& name) {
  OutputFolder earlier(folder);
  put(earlier.path(name), "1");
  earlier.commit();
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFolder, AppearsWithAllItsFilesAtCommitAndNotBefore) {
  const Scratch scratch;
  const fs::path target = scratch.path("out/deep/m");
  {
    OutputFolder folder(target);
    put(folder.path("a.csv"), "1");
    put(folder.path("sub/b.csv"), "2");
    EXPECT_FALSE(fs::exists(target));
    EXPECT_EQ(folder.path("a.csv").parent_path().filename().string().front(), '.');
    folder.commit();
    EXPECT_EQ(folder.final_path(), target);
  }
  EXPECT_EQ(bytes_of_file(target / "a.csv"), "1");
  EXPECT_EQ(bytes_of_file(target / "sub/b.csv"), "2");
  EXPECT_EQ(entries(target.parent_path()), 1U);
}

TEST(OutputFolder, LeavesNothingWhenItIsNotCommitted) {
  const Scratch scratch;
  {
    OutputFolder folder(scratch.path("out/deep/m"));
    put(folder.path("sub/a.csv"), "1");
  }
  EXPECT_FALSE(fs::exists(scratch.path("out")));
}

TEST(OutputFolder, TakesAnEmptyFolderAndATrailingSlash) {
  const Scratch scratch;
  fs::create_directories(scratch.path("m"));
  OutputFolder folder(scratch.path("m/"));
  put(folder.path("a"), "1");
  folder.commit();
  EXPECT_EQ(bytes_of_file(scratch.path("m/a")), "1");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(OutputFolder, RefusesAnExistingResultWithoutForce) {
  const Scratch scratch;
  fs::create_directories(scratch.path("m"));
  put(scratch.path("m/old"), "1");
  const auto act = [&] { OutputFolder folder(scratch.path("m")); };
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("m"), act),
            "m: exists; choose another --out or add --force");
  try {
    act();
  } catch (const CannotWrite& error) {
    EXPECT_EQ(error.code().value(), EEXIST);
  }
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(OutputFolder, ReplacesTheOldResultOnlyAtCommit) {
  const Scratch scratch;
  leave_a_result(scratch.path("m"), "old");
  {
    OutputFolder folder(scratch.path("m"), true);
    put(folder.path("new"), "2");
  }
  EXPECT_TRUE(fs::exists(scratch.path("m/old")));
  {
    OutputFolder folder(scratch.path("m"), true);
    put(folder.path("new"), "2");
    EXPECT_TRUE(fs::exists(scratch.path("m/old")));
    folder.commit();
  }
  EXPECT_EQ(entries(scratch.path("m")), 2U); // the file and its mark
  EXPECT_EQ(bytes_of_file(scratch.path("m/new")), "2");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(OutputFolder, FollowsALinkToAnEmptyFolderAndReplacesNothingThroughOne) {
  const Scratch scratch;
  fs::create_directories(scratch.path("real"));
  fs::create_directory_symlink(scratch.path("real"), scratch.path("link"));
  leave_a_result(scratch.path("link"), "old");
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(bytes_of_file(scratch.path("real/old")), "1");
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("link"),
                                    [&] { OutputFolder folder(scratch.path("link"), true); }),
            "link: is a link, which --force does not follow; choose another --out");
}

TEST(OutputFolder, ReplacesResultsWithinResultsByTheirOwnMarks) {
  const Scratch scratch;
  leave_a_result(scratch.path("m"), "data");
  leave_a_result(scratch.path("m/deep/run"), "sub/old");
  EXPECT_NO_THROW(OutputFolder(scratch.path("m"), true));
  put(scratch.path("m/deep/run/sub/mine"), "precious");
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("m"),
                                    [&] { OutputFolder folder(scratch.path("m"), true); }),
            "m: holds deep/run/sub/mine, which no run wrote; move it away or choose another --out");
}

TEST(OutputFolder, NeverReplacesAFileARepositoryOrTheWorkingFolder) {
  const Scratch scratch;
  put(scratch.path("file"), "mine");
  fs::create_directories(scratch.path("repository/.git"));
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("file"),
                                    [&] { OutputFolder folder(scratch.path("file")); }),
            "file: exists; choose another --out or add --force");
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("file"),
                                    [&] { OutputFolder folder(scratch.path("file"), true); }),
            "file: exists and is not a folder; choose another --out");
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("file"),
                                    [&] { OutputFolder folder(scratch.path("repository"), true); }),
            "repository: is not the folder of a run (no .starling); delete it yourself or choose "
            "another --out");
  EXPECT_EQ(error_text<CannotWrite>("", [] { OutputFolder folder(".", true); }),
            ".: holds the working folder; choose another --out");
  EXPECT_EQ(error_text<CannotWrite>("", [] { OutputFolder folder("/", true); }),
            "/: holds the working folder; choose another --out");
  EXPECT_EQ(bytes_of_file(scratch.path("file")), "mine");
}

TEST(OutputFolder, KeepsAResultThatAppearedMeanwhile) {
  const Scratch scratch;
  {
    OutputFolder folder(scratch.path("m"));
    put(folder.path("mine"), "1");
    fs::create_directories(scratch.path("m"));
    put(scratch.path("m/other"), "2");
    EXPECT_THROW(folder.commit(), CannotWrite);
  }
  EXPECT_EQ(bytes_of_file(scratch.path("m/other")), "2");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(OutputFolder, SaysWhenTheFolderAboveCannotBeWritten) {
  const Scratch scratch;
  put(scratch.path("file"), "");
  EXPECT_EQ(error_text<CannotWrite>(scratch.path("file"),
                                    [&] { OutputFolder folder(scratch.path("file/deep/m")); }),
            "file/deep/m: cannot write: a part of the path is not a folder");
  if (!fs::exists("/proc/self"))
    GTEST_SKIP() << "no /proc here";
  EXPECT_EQ(error_text<CannotWrite>("", [] { OutputFolder folder("/proc/starling/m"); }),
            "/proc/starling/m: cannot write: no such folder");
}

TEST(OutputFolder, GivesPathsInsideItselfOnly) {
  const Scratch scratch;
  OutputFolder folder(scratch.path("m"));
  for (const char* name : {"", ".", "..", "../x", "/x", "a/../../x", "a/"})
    EXPECT_THROW(folder.path(name), std::invalid_argument) << name;
}

} // namespace
} // namespace starling::io
