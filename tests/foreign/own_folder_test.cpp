// Tests of folders from which code is loaded: whose they are, and who may write there.
#include "foreign/own_folder.hpp"

#include "foreign/libraries.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace starling::foreign {
namespace {

namespace fs = std::filesystem;

struct OwnFolder : testing::Test {
  OwnFolder() {
    std::string name = (fs::temp_directory_path() / "starling-own-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~OwnFolder() override { fs::remove_all(root); }

  std::string refusal(const fs::path& folder) const {
    return thrown_by<BadLibrary>([&] { own_folder(folder); });
  }

  fs::path root;
};

TEST_F(OwnFolder, IsMadeForThisUserAlone) {
  const fs::path made = own_folder(root / "a/b/c/");
  EXPECT_EQ(made, fs::canonical(root / "a/b/c"));
  for (const char* one : {"a", "a/b", "a/b/c"})
    EXPECT_EQ(fs::status(root / one).permissions(), fs::perms::owner_all) << one;
  EXPECT_EQ(own_folder(root / "a/b/c"), made);
}

TEST_F(OwnFolder, IsNoneThatOthersMayWrite) {
  own_folder(root / "a/b");
  fs::permissions(root / "a", fs::perms(0770));
  EXPECT_NE(refusal(root / "a/b").find("a: code from"), std::string::npos);
  EXPECT_NE(refusal(root / "a/b").find("other users can write there"), std::string::npos);
  fs::permissions(root / "a", fs::perms(01777)); // as /tmp: what lies there is asked for its owner
  EXPECT_EQ(refusal(root / "a/b"), "nothing was thrown");
  EXPECT_NE(refusal(root / "a").find("other users can write there"), std::string::npos);
}

TEST_F(OwnFolder, IsNoneOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  own_folder(root / "shared/stan");
  fs::permissions(root / "shared", fs::perms(01777));
  ASSERT_EQ(::chown((root / "shared/stan").c_str(), 12345, 12345), 0);
  EXPECT_NE(refusal(root / "shared/stan").find("it belongs to user 12345, not to user 0"),
            std::string::npos);
  EXPECT_NE(refusal(root / "shared/stan/below").find("it belongs to user 12345"),
            std::string::npos);
}

TEST_F(OwnFolder, IsWhereItsLinksLead) {
  own_folder(root / "true");
  fs::create_directory_symlink(root / "true", root / "link");
  EXPECT_EQ(own_folder(root / "link/x"), fs::canonical(root / "true") / "x");
  fs::permissions(root / "true", fs::perms(0777));
  EXPECT_NE(refusal(root / "link/x").find("true: code from"), std::string::npos);
}

} // namespace
} // namespace starling::foreign
