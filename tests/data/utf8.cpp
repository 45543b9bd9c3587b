// Tests of models/data/utf8.hpp.
#include "models/data/utf8.hpp"

#include <doctest/doctest.h>

using namespace heed;

TEST_CASE("utf8: valid text is valid") {
  for (const char* text : {"", "plain", "naïve", "词性", "🙂", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    CAPTURE(text);
    CHECK(find_invalid_utf8(text) == std::string::npos);
    CHECK(encode(decode(text)) == text);
  }
  CHECK(find_invalid_utf8(std::string_view("a\0b", 3)) == std::string::npos);
}

TEST_CASE("utf8: the first bad byte is found, and each bad byte is one U+FFFD") {
  struct {
    const char* text;
    std::size_t at;
    const char* mended;
  } const cases[] = {
      {"ab\xFFz", 2, "ab�z"},          // never a byte of UTF-8
      {"\x80", 0, "�"},                // continuation alone
      {"é\xC3", 2, "é�"},              // cut short by the end
      {"x\xE8\xAFy", 1, "x��y"},       // cut short by a letter
      {"\xC0\xAF", 0, "��"},           // overlong slash
      {"\xED\xA0\x80", 0, "���"},      // surrogate
      {"\xF4\x90\x80\x80", 0, "����"}  // above U+10FFFF
  };
  for (const auto& c : cases) {
    CAPTURE(c.mended);
    CHECK(find_invalid_utf8(c.text) == c.at);
    CHECK(encode(decode(c.text)) == c.mended);
  }
  CHECK(encode(std::u32string(1, char32_t{0xD800})) == "�");
  CHECK(encode(std::u32string(1, char32_t{0x110000})) == "�");
}

TEST_CASE("utf8: lower case is one code point for one, in any script") {
  CHECK(lower("The USA") == "the usa");
  CHECK(lower("ÉCOLE Ωμέγα ПРИВЕТ") == "école ωμέγα привет");
  CHECK(lower("词性 123 ß") == "词性 123 ß");
  CHECK(lower("") == "");
  CHECK(lower("A\xFF") == "a�");
}

TEST_CASE("utf8: width on a terminal") {
  CHECK(display_width("") == 0);
  CHECK(display_width("saw") == 3);
  CHECK(display_width("naïve") == 5);
  CHECK(display_width("e\xCC\x81") == 1);  // e and a combining accent
  CHECK(display_width("词性：") == 6);
  CHECK(display_width("a\xFF") == 2);
}

TEST_CASE("utf8: kinds of characters") {
  CHECK(is_letter(U'a'));
  CHECK(is_letter(U'É'));
  CHECK(is_letter(U'词'));
  CHECK_FALSE(is_letter(U'1'));
  CHECK_FALSE(is_letter(U'：'));
  CHECK(is_upper(U'É'));
  CHECK(is_upper(U'ǅ'));
  CHECK_FALSE(is_upper(U'é'));
  CHECK_FALSE(is_upper(U'词'));
  CHECK(is_digit(U'7'));
  CHECK(is_digit(U'٣'));
  CHECK_FALSE(is_digit(U'x'));
  CHECK_FALSE(is_letter(char32_t{0x110000}));
  CHECK_FALSE(is_letter(char32_t{0xFFFFFFFF}));
}
