// grid.hpp — what competes in the arena, in which tasks, and how large everything is.
#pragma once

#include "models/data/tasks.hpp"
#include "models/run/example_model.hpp"

namespace HEED_NAMESPACE {

/// A mixer that competes, with arguments that suit a length: a query sees about arena_keys(N) keys where a mixer
/// chooses.
struct Entrant {
  std::string name;   ///< as on the command line: "linformer", "synthesizer:dense"
  const char* group;  ///< as Hung-yi Lee's last slide on self-attention groups them (2022), and two groups more
  std::string (*spec)(const std::string& name, Size length);
  /// What make_mixer() takes, for sequences of at most `length`.
  std::string at(Size length) const { return spec(name, length); }
};

/// Keys that a query sees, of N: 8 up to 64, 32 up to 512, 64 beyond.
Size arena_keys(Size length);
/// The groups, in the order of the entrants.
const std::vector<std::string>& arena_groups();
/// Full attention as its formula says, with all N x N weights kept for backward: measured beside the rest, since it is
/// what "full" costs in most comparisons. heed's own `attention` keeps none and scores the same.
extern const char* const written_out;
/// Those that compete by default, `written_out` last.
const std::vector<Entrant>& arena_entrants();
/// One of these by its name, or anything that make_mixer() takes. Throws Error for what it does not take.
Entrant arena_entrant(const std::string& name);

/// A task in one of the comparison's roles.
struct ArenaTask {
  std::string name;    ///< "recall", "listops", "text", "retrieval", "image", "path"
  std::string source;  ///< what make_task() takes
  bool grey = false;   ///< an image, as one symbol a pixel: 8 levels of grey
};

/// Items of a task from its generator.
ExampleSet arena_set(const ArenaTask& task, std::size_t count, std::uint64_t seed, Split split);

/// Sizes of a whole comparison: the same for every entrant.
struct ArenaPreset {
  std::string name;
  std::vector<ArenaTask> tasks;
  Size updates;               ///< of every cell
  std::size_t positions;      ///< in a batch, padding included
  std::size_t train, test;    ///< items
  std::vector<Size> lengths;  ///< at which a training step is measured, with `measured` positions in all
  Size measured = 4096;
};

/// "smoke" or "mini". Throws Error for another name.
ArenaPreset arena_preset(const std::string& name);
std::vector<std::string> arena_preset_names();

/// The one model: symbols or numbers, sinusoidal positions, 2 blocks of 64 with 4 heads and 128 hidden units, mean,
/// classes.
const ModelKind& arena_kind();
/// Its settings with an entrant's mixer. `length` is the longest sequence.
Settings arena_settings(const Entrant& entrant, Size length);

}  // namespace HEED_NAMESPACE
