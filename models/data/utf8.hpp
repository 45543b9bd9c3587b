// utf8.hpp — UTF-8 text: validity, code points, lower case, width on a terminal, and the kinds of letters.
//
// Bad input is never an error here: a byte that starts no valid sequence counts as one U+FFFD. The Unicode tables are
// those of utf8proc; nothing depends on the locale. No normalisation: composed and decomposed letters stay different.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// Returns the position of the first byte that is not UTF-8 (overlong forms and surrogates included), or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Returns the code points of `text`, U+FFFD for each bad byte.
std::u32string decode(std::string_view text);

/// Returns `points` as UTF-8, U+FFFD for what is no code point.
std::string encode(std::u32string_view points);

/// Returns `text` in lower case, one code point for one (so `İ` becomes `i`, and a final sigma stays `σ`).
std::string lower(std::string_view text);

/// Returns how many terminal columns `text` takes: two for Chinese characters, none for combining marks and controls.
std::size_t display_width(std::string_view text);

/// Says whether `point` is a letter of any script; Chinese characters are.
bool is_letter(char32_t point);

/// Says whether `point` is an upper-case (or title-case) letter.
bool is_upper(char32_t point);

/// Says whether `point` is a decimal digit of any script.
bool is_digit(char32_t point);

}  // namespace heed
