#include "nn/train/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace HEED_NAMESPACE {

namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

bool on_terminal() { return isatty(STDERR_FILENO) && variable("TERM") != "dumb"; }

// Whether the terminal's text is UTF-8: what is set first decides, as POSIX has it.
bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = variable(name); !value.empty())
      return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  return false;
}

int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string clock_text(double seconds) {
  auto whole = static_cast<long>(std::min(seconds, 359999.0));
  char text[32];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%02ld:%02ld", whole / 60, whole % 60);
  return text;
}

std::string bar(Size done, Size total, bool blocks) {
  constexpr Size cells = 10;
  const Size parts = blocks ? 8 : 10;
  const Size filled = cells * parts * std::clamp<Size>(done, 0, total) / total;
  std::string text;
  for (Size cell = 0; cell < cells; cell++) {
    Size part = std::clamp<Size>(filled - cell * parts, 0, parts);
    if (part == 0)
      text += ' ';
    else if (blocks)
      text += std::string("\xe2\x96") + static_cast<char>(0x90 - part);  // U+2588 is full, U+258F one eighth
    else
      text += part == parts ? '#' : static_cast<char>('0' + part);
  }
  return text;
}

// The first `width` characters of UTF-8 text.
std::string cut(const std::string& text, int width) {
  std::size_t at = 0;
  for (; at < text.size(); at++) {
    bool starts = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (starts && width-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

bool may_colour() { return on_terminal() && variable("NO_COLOR").empty(); }

std::string bar_line(const ProgressLine& line, int width, bool blocks) {
  const Size total = std::max<Size>(1, line.total);
  std::string text = line.label + "  " + std::to_string(100 * std::min(line.done, total) / total) + "%|" +
                     bar(line.done, total, blocks) + "| " + std::to_string(line.done) + '/' + std::to_string(total) +
                     " [" + clock_text(line.elapsed) + '<' + clock_text(line.left) +
                     (line.text.empty() ? "" : ", " + line.text) + ']';
  return cut(text, width);
}

Progress::Progress(std::string label, ProgressMode mode)
    : label_(std::move(label)), mode_(mode), start_(Clock::now()), last_(start_) {
  if (mode_ == ProgressMode::automatic) mode_ = on_terminal() ? ProgressMode::bar : ProgressMode::lines;
}

void Progress::show(Size done, Size total, const std::string& text) {
  using namespace std::chrono_literals;
  auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  Clock::time_point now = Clock::now();
  if (last_done_ < 0) last_done_ = std::max<Size>(0, done - 1);  // a loop may begin in its middle
  bool bar = mode_ == ProgressMode::bar;
  if (mode_ == ProgressMode::none || done <= last_done_ ||
      now - last_ < (bar ? Clock::duration(100ms) : Clock::duration(10s)))
    return;
  double pace = seconds(now - last_) / static_cast<double>(done - last_done_);
  pace_ = pace_ > 0 ? 0.3 * pace + 0.7 * pace_ : pace;
  last_ = now;
  last_done_ = done;
  ProgressLine line{label_, done, total, seconds(now - start_), pace_ * static_cast<double>(total - done), text};
  if (bar)
    std::fprintf(stderr, "\r\033[K%s", bar_line(line, columns() - 1, utf8_locale()).c_str());
  else
    std::fprintf(stderr, "%s  %td%%, %s, %s left, %s\n", label_.c_str(), 100 * done / std::max<Size>(1, total),
                 clock_text(line.elapsed).c_str(), clock_text(line.left).c_str(), text.c_str());
  std::fflush(stderr);
  drawn_ = bar;
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace HEED_NAMESPACE
