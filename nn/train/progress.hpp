// progress.hpp — a progress line on standard error: redrawn in place on a terminal, whole lines now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// Shows how far a loop is. On a terminal one line is redrawn at most ten times a second; elsewhere a line is written
/// at most every ten seconds, never a carriage return. Nothing at all when `quiet`.
class Progress {
 public:
  /// `label` leads every line.
  explicit Progress(std::string label, bool quiet = false);
  /// `done` of `total` steps are behind us; `text` is what else to say, such as the loss.
  void show(Size done, Size total, const std::string& text);
  /// Clears the line on a terminal, so that other output can follow.
  void clear();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool quiet_, terminal_, drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace HEED_NAMESPACE
