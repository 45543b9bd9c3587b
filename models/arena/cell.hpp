// cell.hpp — one cell of the arena's grid, and one measurement of a training step.
#pragma once

#include <functional>

#include "models/arena/grid.hpp"
#include "models/arena/results.hpp"

namespace HEED_NAMESPACE {

/// Trains the arena's model with an entrant on a task, and scores it on items that training never saw. `after` hears of
/// every update and of how many there are. Throws TrainingError.
ArenaRow arena_cell(const ArenaPreset& preset, const ArenaTask& task, const Entrant& entrant, std::uint64_t seed,
                    const std::function<void(Size step, Size steps)>& after);

/// Measures training steps of the arena's model on random symbols in 10 classes: `measured` / `length` items of that
/// length a batch. One round: the fastest of several steps, in seconds of processor time.
ArenaRow arena_step(const ArenaPreset& preset, const Entrant& entrant, Size length, std::uint64_t seed);

}  // namespace HEED_NAMESPACE
