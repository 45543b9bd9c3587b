// progress.hpp — how far a loop is, on standard error: a bar redrawn in place on a terminal, whole lines now and then
// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// `automatic` is a bar on a terminal and lines elsewhere.
enum class ProgressMode { automatic, bar, lines, none };

/// Shows how far a loop is: `epoch 3/8  41%|████      | 512/1250 [00:03<00:04, loss 0.084]`. A bar is redrawn at most
/// ten times a second and fits the terminal; a line is written at most every ten seconds, never with a carriage return.
/// Block characters only in a UTF-8 locale; TERM=dumb is no terminal.
class Progress {
 public:
  /// `label` leads every line.
  explicit Progress(std::string label, ProgressMode mode = ProgressMode::automatic);
  /// `done` of `total` steps are behind us; `text` is what else to say, such as the loss.
  void show(Size done, Size total, const std::string& text);
  /// Clears the bar, so that other output can follow.
  void clear();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  ProgressMode mode_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
  Size last_done_ = -1;
  double pace_ = 0;  // seconds a step, of late
};

/// What a line of progress says.
struct ProgressLine {
  std::string label;             ///< before the bar
  Size done = 0, total = 1;      ///< steps
  double elapsed = 0, left = 0;  ///< seconds
  std::string text;              ///< behind the bar
};

/// The line, with a bar of ten cells that are drawn in eighths with `blocks`, else in tenths as digits; cut to `width`
/// columns.
std::string bar_line(const ProgressLine& line, int width, bool blocks);

/// Whether standard error may be coloured: a terminal, not TERM=dumb, and NO_COLOR unset or empty (no-color.org).
bool may_colour();

}  // namespace HEED_NAMESPACE
