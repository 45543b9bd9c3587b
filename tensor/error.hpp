// error.hpp — the one exception of the library, and the check that throws it.
//
// A message reads `heed: <operation>: <what is wrong>: <shapes or values>`. It is built only when the check fails.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace heed {

/// What every function of heed throws when its arguments make no sense.
struct Error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Throws an Error `heed: <where>: <parts joined>`.
template <class... Parts>
[[noreturn]] void fail(const char* where, const Parts&... parts) {
  std::ostringstream text;
  text << "heed: " << where << ": ";
  (text << ... << parts);
  throw Error(text.str());
}

/// Throws an Error `heed: <where>: <parts joined>` unless `ok`.
template <class... Parts>
void check(bool ok, const char* where, const Parts&... parts) {
  if (!ok) [[unlikely]]
    fail(where, parts...);
}

}  // namespace heed
