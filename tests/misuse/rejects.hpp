// Expects that a call is refused, with the one form that refusals have.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <stdexcept>
#include <string>

namespace misuse_tests {

/// The text of the refusal, or "" with a failure noted when there was none. It must be one line of
/// the form "what: must be ...; got ...".
template <typename Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    EXPECT_TRUE(std::regex_match(text, std::regex("[a-z][a-z_ ]*: must be [^;]+; got [^;]+")))
        << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

/// That it is refused, and about what.
template <typename Call>
void expect_refused(const std::string& what, Call&& call) {
  const std::string text = refusal(call);
  EXPECT_EQ(text.substr(0, text.find(':')), what) << text;
}

} // namespace misuse_tests
