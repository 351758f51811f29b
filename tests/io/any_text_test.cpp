// Tests of texts that are not UTF-8: shown as letters, kept byte for byte.
#include "io/any_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

TEST(AnyText, ShowsOldLettersAsNewOnes) {
  EXPECT_EQ(utf8("Gr\xf6\xdf"
                 "e"),
            "Größe");
  for (const char* text : {"", "plain", "Größe", "\xf0\x9f\x90\xa6"})
    EXPECT_EQ(utf8(text), text);
  for (const char* text :
       {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) // no UTF-8
    EXPECT_NO_THROW(nlohmann::json(utf8(text)).dump()) << text;
}

TEST(AnyText, ComesBackByteForByte) {
  std::string all;
  for (int c = 1; c < 256; ++c)
    all += static_cast<char>(c);
  for (const std::string& text :
       {std::string(), std::string("plain"), std::string("Größe"), all, std::string("a\xff/\xc3"),
        std::string("\xee\xbe\x80 \xee\xbf\xbf"), std::string("\xee\xbe")}) {
    const std::string kept = kept_as_utf8(text);
    EXPECT_NO_THROW(nlohmann::json(kept).dump());
    EXPECT_EQ(
        bytes_from_utf8(nlohmann::json::parse(nlohmann::json(kept).dump()).get<std::string>()),
        text);
    EXPECT_EQ(bytes_from_utf8(kept_as_utf8(kept)), kept) << "also when it is kept twice";
  }
  EXPECT_EQ(kept_as_utf8("Größe"), "Größe");
}

} // namespace
} // namespace starling::io
