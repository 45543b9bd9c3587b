#include "nn/train/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace HEED_NAMESPACE {

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)), quiet_(quiet), terminal_(isatty(STDERR_FILENO)), start_(Clock::now()), last_(start_) {}

void Progress::show(Size done, Size total, const std::string& text) {
  total = std::max<Size>(1, total);
  using namespace std::chrono_literals;
  Clock::time_point now = Clock::now();
  if (quiet_ || now - last_ < (terminal_ ? Clock::duration(100ms) : Clock::duration(10s))) return;
  last_ = now;
  double seconds = std::chrono::duration<double>(now - start_).count();
  double left = seconds * static_cast<double>(total - done) / static_cast<double>(std::max<Size>(1, done));
  int percent = static_cast<int>(100 * done / total);
  if (terminal_) {
    std::string bar(20, ' ');
    std::fill_n(bar.begin(), std::min<Size>(20, 20 * done / total), '#');
    std::fprintf(stderr, "\r\033[K%s %3d%% |%s| %.0fs, %.0fs left, %s", label_.c_str(), percent, bar.c_str(), seconds,
                 left, text.c_str());
  } else {
    std::fprintf(stderr, "%s %3d%%  %.0fs, %.0fs left, %s\n", label_.c_str(), percent, seconds, left, text.c_str());
  }
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace HEED_NAMESPACE
