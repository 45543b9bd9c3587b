// input.hpp — how files that others made are read: by lines or bytes, never more than fits, and every fault with its
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "tensor/error.hpp"

namespace heed {

/// What is wrong with a file: `heed: FILE:LINE: reason`, or `heed: FILE: byte N: reason`.
struct DataError : Error {
  using Error::Error;
};

/// What is wrong, without the place, which whoever knows it adds.
struct Fault : Error {
  using Error::Error;
};

/// Throws a Fault of the parts joined.
template <class... Parts>
[[noreturn]] void fault(const Parts&... parts) {
  std::ostringstream reason;
  (reason << ... << parts);
  throw Fault(reason.str());
}

/// The start of `text`, fit for a message: short, and without bytes that could confuse a terminal.
std::string excerpt(std::string_view text);

/// Throws a Fault when a line holds NUL, a carriage return or what is not UTF-8.
void check_text(std::string_view line);

/// The number that `text` writes, all of it; throws a Fault, naming `what`, if it is none or out of bounds.
int read_integer(std::string_view text, int least, int most, const char* what);
float read_number(std::string_view text, const char* what);

/// Opens the file at `path`; throws a DataError if it is missing, unreadable or a directory.
std::ifstream open_file(const std::string& path);

/// All bytes of the file at `path`; throws a DataError as open_file does, and for more than `most` bytes.
std::string read_file(const std::string& path, std::size_t most = std::size_t{1} << 30);

/// A stream's lines one after the other, in memory for one.
class Lines {
 public:
  /// The longest line that there may be.
  static constexpr std::size_t longest = std::size_t{1} << 20;

  /// `name` stands for the file in messages.
  Lines(std::istream& in, std::string name, std::size_t most = longest);

  /// Goes to the next line; false when there is none. Throws a DataError if reading fails.
  bool next();
  /// The line, without LF or CRLF at its end, and without a byte-order mark; its start when it is too long.
  std::string_view line() const { return line_; }
  bool too_long() const { return too_long_; }
  /// Counts from 1; 0 before the first.
  std::size_t number() const { return number_; }
  /// Throws a Fault when the line is too long or no text.
  void check() const;
  /// The error for `reason` in this line. One that ends without LF may be incomplete, and the error says so.
  DataError error(const std::string& reason) const;

 private:
  std::istream& in_;
  std::string name_;
  std::size_t most_, number_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::string_view line_;
  bool too_long_ = false, cut_ = false;
};

/// Calls f with each line of the file at `path` that is not empty. What it throws, if an Error, comes out as a
/// DataError with file and line. Throws a DataError too for a file without such lines.
void each_line(const std::string& path, const std::function<void(std::string_view line, std::size_t number)>& f,
               std::size_t most = Lines::longest);

/// The part of `line` up to the first `separator`, which is cut off with it; all of it when there is none.
std::string_view take_cell(std::string_view& line, char separator);

/// Walks over the bytes of a file.
class Bytes {
 public:
  explicit Bytes(const std::string& path, std::size_t most = std::size_t{1} << 30)
      : path_(path), data_(read_file(path, most)) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return data_.size() - at_; }
  /// The next `count` bytes; throws a DataError, naming `what`, when there are fewer.
  std::string_view take(std::size_t count, const char* what);
  /// Numbers of 2 or 4 bytes, the least or the most significant first.
  std::uint32_t little(std::size_t count, const char* what);
  std::uint32_t big(std::size_t count, const char* what);

  /// Throws a DataError for a place in the file.
  template <class... Parts>
  [[noreturn]] void fail(std::size_t at, const Parts&... parts) const {
    std::ostringstream text;
    text << "heed: " << path_ << ": byte " << at << ": ";
    (text << ... << parts);
    throw DataError(text.str());
  }

 private:
  std::string path_, data_;
  std::size_t at_ = 0;
};

}  // namespace heed
