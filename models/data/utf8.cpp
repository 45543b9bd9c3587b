#include "models/data/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace heed {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// Reads the code point at `at`; returns its length in bytes, or 0 if there is none.
std::size_t read_point(std::string_view text, std::size_t at, char32_t& point) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    point = byte;
    return 1;
  }
  utf8proc_int32_t found = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                       static_cast<utf8proc_ssize_t>(text.size() - at), &found);
  if (length <= 0) return 0;
  point = static_cast<char32_t>(found);
  return static_cast<std::size_t>(length);
}

utf8proc_category_t category(char32_t point) { return utf8proc_category(static_cast<utf8proc_int32_t>(point)); }

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  char32_t point = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = read_point(text, at, point);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::u32string decode(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    char32_t point = replacement;
    at += std::max<std::size_t>(1, read_point(text, at, point));
    points += point;
  }
  return points;
}

std::string encode(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  for (char32_t point : points) {
    const auto value = static_cast<utf8proc_int32_t>(point);
    utf8proc_uint8_t bytes[4];
    const auto length =
        utf8proc_encode_char(utf8proc_codepoint_valid(value) ? value : utf8proc_int32_t{replacement}, bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  }
  return text;
}

std::string lower(std::string_view text) {
  std::u32string points = decode(text);
  for (char32_t& point : points) point = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
  return encode(points);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (char32_t point : decode(text))
    width += static_cast<std::size_t>(std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(point))));
  return width;
}

bool is_letter(char32_t point) {
  const auto kind = category(point);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_upper(char32_t point) {
  const auto kind = category(point);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LT;
}

bool is_digit(char32_t point) { return category(point) == UTF8PROC_CATEGORY_ND; }

}  // namespace heed
