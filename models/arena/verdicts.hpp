// verdicts.hpp — whether a comparison holds what it promises.
#pragma once

#include "models/arena/results.hpp"

namespace HEED_NAMESPACE {

/// A promise, whether the rows keep it, and what they say in detail.
struct Verdict {
  std::string promise;
  bool kept = true;
  std::vector<std::string> details = {};
};

/// How many standard errors a share must lie above chance to count as above it.
inline constexpr double chance_errors = 2;
/// Whether a cell's accuracy lies above chance by more than an accident of the items: accuracy > p + 2 √(p (1 - p) /
/// n).
bool above_chance(const ArenaRow& cell);

/// In order: every mixer above chance on three tasks; full attention within two points of the best mean; at 4096
/// positions local, linear, Performer and Linformer five times as fast as full attention, and with an eighth of the
/// memory of full attention whose weights are kept; every measurement repeated within a tenth. What is missing breaks a
/// promise.
std::vector<Verdict> arena_verdicts(const std::vector<ArenaRow>& rows);

}  // namespace HEED_NAMESPACE
