// runner.hpp — the whole grid: cells side by side, measurements alone, and nothing done twice.
#pragma once

#include <atomic>

#include "models/arena/grid.hpp"
#include "models/arena/results.hpp"
#include "nn/train/progress.hpp"

namespace HEED_NAMESPACE {

/// What a run compares. `preset` has all sizes; its tasks and lengths may have been cut down.
struct ArenaRun {
  ArenaPreset preset;
  std::vector<Entrant> entrants;
  std::uint64_t seed = 1;
  std::string out = {};      ///< the folder, for results.csv and run.json
  std::string program = {};  ///< the file of the program, whose `arena cell` and `arena step` are run
  std::size_t jobs = 1;      ///< cells side by side
  ProgressMode progress = ProgressMode::automatic;
};

/// Runs what results.csv does not have yet: each length of each entrant measured once, alone; the cells, side by side,
/// one thread each; then each length again until its two fastest rounds differ by less than a tenth, five times at
/// most. The file is complete after every one of them. Returns the exit code: 0 all is there, 1 something failed (the
/// rest is there), 128 + signal interrupted. Throws UsageError when the folder holds a run of other sizes or another
/// seed.
int run_arena(const ArenaRun& run, const std::atomic<int>& stop);

/// The options of `arena cell` and `arena step` that make another process see the same sizes.
std::vector<std::string> size_arguments(const ArenaRun& run);

}  // namespace HEED_NAMESPACE
