// Tests of the output folder: whole or not at all, and never over something without leave.
#include "io/errors.hpp"
#include "io/output_folder.hpp"
#include "scratch.hpp"

#include <cerrno>

namespace starling::io {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

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
  fs::create_directories(scratch.path("m"));
  put(scratch.path("m/old"), "1");
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
  EXPECT_EQ(entries(scratch.path("m")), 1U);
  EXPECT_EQ(bytes_of_file(scratch.path("m/new")), "2");
  EXPECT_EQ(entries(scratch.path("")), 1U);
}

TEST(OutputFolder, FollowsALinkToTheFolderItReplaces) {
  const Scratch scratch;
  fs::create_directories(scratch.path("real"));
  put(scratch.path("real/old"), "1");
  fs::create_directory_symlink(scratch.path("real"), scratch.path("link"));
  OutputFolder folder(scratch.path("link"), true);
  put(folder.path("new"), "2");
  folder.commit();
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(bytes_of_file(scratch.path("real/new")), "2");
  EXPECT_EQ(entries(scratch.path("real")), 1U);
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
            "repository: is a git repository; choose another --out");
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
