// Texts of any bytes, such as paths, where only UTF-8 will do.
#include "io/any_text.hpp"

#include <cstddef>

namespace starling::io {
namespace {

unsigned at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// How many bytes the letter of UTF-8 at the start of the text has; 0 if there is none.
std::size_t letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80                    ? 1
                           : lead >= 0xc2 && lead <= 0xdf ? 2
                           : lead >= 0xe0 && lead <= 0xef ? 3
                           : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                          : 0;
  if (size == 0 || size > text.size())
    return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = letter(text);
    if (size == 0)
      return false;
    text.remove_prefix(size);
  }
  return true;
}

/// A byte b from 0x80 on as the letter U+EF00 + b, and whether a letter is one of these.
std::string stand_in(unsigned byte) {
  return {'\xee', static_cast<char>(0xbc | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
}
bool is_stand_in(std::string_view letter) {
  return letter.size() == 3 && at(letter, 0) == 0xee && at(letter, 1) >= 0xbe;
}

} // namespace

std::string utf8(std::string_view text) {
  if (is_utf8(text))
    return std::string(text);
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xc0 | (byte >> 6));
      result += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return result;
}

std::string kept_as_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = letter(bytes);
    if (size > 0 && !is_stand_in(bytes.substr(0, size))) {
      text += bytes.substr(0, size);
      bytes.remove_prefix(size);
    } else { // also a letter that would be taken for a stand-in
      text += stand_in(at(bytes, 0));
      bytes.remove_prefix(1);
    }
  }
  return text;
}

std::string bytes_from_utf8(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t size = letter(text) > 0 ? letter(text) : 1;
    const std::string_view one = text.substr(0, size);
    if (is_stand_in(one))
      bytes += static_cast<char>(((at(one, 1) & 3) << 6) | (at(one, 2) & 0x3f));
    else
      bytes += one;
    text.remove_prefix(size);
  }
  return bytes;
}

} // namespace starling::io
