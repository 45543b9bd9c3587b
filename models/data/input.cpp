#include "models/data/input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "models/data/utf8.hpp"

namespace heed {

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (char c : text.substr(0, longest)) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  // A cut may fall inside a character.
  while (find_invalid_utf8(result) != std::string::npos) result.pop_back();
  return result + (text.size() > longest ? "...'" : "'");
}

void check_text(std::string_view line) {
  const std::size_t zero = line.find('\0');
  if (zero != std::string_view::npos) fault("NUL byte at byte ", zero + 1, " of the line: this is no text file");
  const std::size_t carriage = line.find('\r');
  if (carriage != std::string_view::npos)
    fault("carriage return inside the line, at byte ", carriage + 1, ": expected lines that end in LF or CRLF");
  const std::size_t bad = find_invalid_utf8(line);
  if (bad != std::string_view::npos) fault("invalid UTF-8 at byte ", bad + 1, " of the line");
}

int read_integer(std::string_view text, int least, int most, const char* what) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    fault(what, ": expected a whole number from ", least, " to ", most, ", found ", excerpt(text));
  return value;
}

float read_number(std::string_view text, const char* what) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    fault(what, ": expected a number, found ", excerpt(text));
  return value;
}

std::ifstream open_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw DataError("heed: " + path + ": is a directory, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw DataError("heed: " + path +
                    (std::filesystem::exists(path, ignored) ? ": may not be read" : ": there is no such file"));
  return in;
}

std::string read_file(const std::string& path, std::size_t most) {
  std::ifstream in = open_file(path);
  std::string bytes, piece(std::size_t{1} << 16, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) throw DataError("heed: " + path + ": more than " + std::to_string(most) + " bytes");
  }
  if (in.bad()) throw DataError("heed: " + path + ": reading failed after byte " + std::to_string(bytes.size()));
  return bytes;
}

// Room for the line, its CR, and the NUL that getline adds.
Lines::Lines(std::istream& in, std::string name, std::size_t most)
    : in_(in), name_(std::move(name)), most_(most), buffer_(std::make_unique_for_overwrite<char[]>(most + 2)) {}

bool Lines::next() {
  const bool found = (in_.getline(buffer_.get(), static_cast<std::streamsize>(most_ + 2)) || in_.gcount() > 0);
  if (in_.bad()) throw DataError("heed: " + name_ + ": reading failed after line " + std::to_string(number_));
  if (!found) return false;
  ++number_;
  too_long_ = in_.fail();
  cut_ = in_.eof();
  line_ = std::string_view(buffer_.get(), static_cast<std::size_t>(in_.gcount()) - (too_long_ || cut_ ? 0 : 1));
  if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (too_long_) {
    in_.clear();
    in_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  too_long_ = too_long_ || line_.size() > most_;
  return true;
}

void Lines::check() const {
  if (too_long_) fault("line of more than ", most_, " bytes; it starts with ", excerpt(line_));
  check_text(line_);
}

DataError Lines::error(const std::string& reason) const {
  return DataError("heed: " + name_ + ":" + std::to_string(number_) + ": " + reason +
                   (cut_ ? "; the file ends in this line, so it may be incomplete" : ""));
}

void each_line(const std::string& path, const std::function<void(std::string_view line, std::size_t number)>& f,
               std::size_t most) {
  std::ifstream in = open_file(path);
  Lines lines(in, path, most);
  bool any = false;
  while (lines.next()) try {
      lines.check();
      if (lines.line().empty()) continue;
      any = true;
      f(lines.line(), lines.number());
    } catch (const DataError&) {
      throw;
    } catch (const Error& error) {
      const std::string_view what = error.what();
      throw lines.error(std::string(what.substr(what.starts_with("heed: ") ? 6 : 0)));
    }
  if (!any) throw DataError("heed: " + path + (lines.number() ? ": only empty lines" : ": the file is empty"));
}

std::string_view take_cell(std::string_view& line, char separator) {
  const std::string_view cell = line.substr(0, line.find(separator));
  line.remove_prefix(std::min(line.size(), cell.size() + 1));
  return cell;
}

std::string_view Bytes::take(std::size_t count, const char* what) {
  if (count > left()) fail(at_, what, ": expected ", count, " bytes, the file has ", left(), " more");
  at_ += count;
  return std::string_view(data_).substr(at_ - count, count);
}

std::uint32_t Bytes::little(std::size_t count, const char* what) {
  const std::string_view bytes = take(count, what);
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::uint32_t Bytes::big(std::size_t count, const char* what) {
  std::uint32_t value = 0;
  for (char byte : take(count, what)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace heed
