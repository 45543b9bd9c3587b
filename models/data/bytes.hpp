// bytes.hpp — text as bytes: the symbol of a byte is the byte plus 1, since 0 is padding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

inline constexpr int byte_symbols = 257;

inline std::vector<int> bytes_to_symbols(std::string_view text) {
  std::vector<int> symbols;
  for (char c : text) symbols.push_back(1 + static_cast<unsigned char>(c));
  return symbols;
}

/// The text again; padding is left out.
inline std::string symbols_to_bytes(const std::vector<int>& symbols) {
  std::string text;
  for (int symbol : symbols)
    if (symbol > 0) text += static_cast<char>(symbol - 1);
  return text;
}

/// Names to print: printable ASCII as it is, other bytes as `<0x0A>`.
inline std::vector<std::string> byte_names() {
  constexpr const char* digits = "0123456789ABCDEF";
  std::vector<std::string> names = {"<pad>"};
  for (int byte = 0; byte < 256; byte++)
    names.push_back(byte >= 0x20 && byte < 0x7F ? std::string(1, static_cast<char>(byte))
                                                : std::string("<0x") + digits[byte / 16] + digits[byte % 16] + '>');
  return names;
}

}  // namespace heed
