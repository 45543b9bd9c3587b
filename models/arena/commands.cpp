#include "models/arena/commands.hpp"

#include <iostream>

#include "models/arena/cell.hpp"
#include "models/arena/processes.hpp"
#include "models/arena/runner.hpp"
#include "models/run/flags.hpp"
#include "nn/mixer/mixer.hpp"
#include "tensor/threads.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string preset = "mini", out = {}, mixer = {}, at = {};
  std::vector<std::string> mixers = {}, tasks = {};
  std::vector<Size> lengths = {};
  Size updates = 0;
  std::uint64_t seed = 1;
  bool quiet = false;
};
using Shared = std::shared_ptr<Options>;  // lives as long as the callbacks

void size_flags(CLI::App* app, const Shared& o) {
  app->add_option("--preset", o->preset,
                  "smoke: minutes; mini: an hour on two cores; full: the Long Range Arena's sizes")
      ->check(CLI::IsMember(arena_preset_names()))
      ->capture_default_str();
  number(app, "--updates", o->updates, 0, 100000000, "updates of every cell; 0: the preset's");
  seed_flag(app, o->seed);
}

ArenaPreset preset_of(const Options& o) {
  ArenaPreset preset = arena_preset(o.preset);
  if (o.updates) preset.updates = o.updates;
  return preset;
}

const ArenaTask& task_of(const ArenaPreset& preset, const std::string& name) {
  std::string known;
  for (const ArenaTask& task : preset.tasks) {
    if (task.name == name) return task;
    known += " " + task.name;
  }
  throw UsageError("arena: there is no task \"" + name + "\"; known:" + known);
}

ArenaRun run_of(const Options& o, const Program& program) {
  ArenaRun run{.preset = preset_of(o), .entrants = arena_entrants(), .seed = o.seed, .quiet = o.quiet};
  run.out = o.out.empty() ? "arena-" + o.preset : o.out;
  run.program = own_program(program.name), run.jobs = static_cast<std::size_t>(threads());
  if (!o.mixers.empty()) run.entrants.clear();
  for (const std::string& name : o.mixers) run.entrants.push_back(arena_entrant(name));
  if (!o.tasks.empty()) {
    std::vector<ArenaTask> chosen;
    for (const std::string& name : o.tasks) chosen.push_back(task_of(run.preset, name));
    run.preset.tasks = chosen;
  }
  if (!o.lengths.empty()) run.preset.lengths = o.lengths;
  return run;
}

void add_run(CLI::App* app, const Shared& o, Program& program) {
  size_flags(app, o);
  std::string names;
  for (const Entrant& each : arena_entrants()) names += (names.empty() ? "" : ", ") + each.name;
  app->add_option("--mixers", o->mixers, "some of " + names + ", or what docs/mixers.md has; \";\" between them")
      ->delimiter(';');
  app->add_option("--tasks", o->tasks, "some of recall, listops, text, retrieval, image, path; \",\" between them")
      ->delimiter(',');
  app->add_option("--lengths", o->lengths, "lengths at which a training step is measured; \",\" between them")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  app->add_option("--out", o->out, "folder for the results; default arena-PRESET. What is there is not done again");
  quiet_flag(app, o->quiet);
  app->callback([o, &program] {
    ArenaRun run = run_of(*o, program);
    program.code = run_arena(run, interrupted());
    if (program.code == 0)
      std::cout << run.out << "/results.csv is complete; next: heed arena plot " << run.out << '\n';
  });
}

// What a process of a run does. Its lines are the part that is done, and last a row.
void add_parts(CLI::App* arena, const Shared& o) {
  CLI::App* cell = arena->add_subcommand("cell", "train one mixer on one task and print its row");
  CLI::App* step = arena->add_subcommand("step", "measure one mixer's training step at one length and print its row");
  for (CLI::App* app : {cell, step}) {
    app->group("");
    app->add_option("mixer", o->mixer)->required();
    app->add_option("at", o->at)->required();
    size_flags(app, o);
  }
  cell->callback([o] {
    ArenaPreset preset = preset_of(*o);
    auto after = [](Size step, Size steps) {
      if (10 * step / steps != 10 * (step - 1) / steps)
        std::cout << static_cast<double>(step) / static_cast<double>(steps) << std::endl;
    };
    ArenaRow row = arena_cell(preset, task_of(preset, o->at), arena_entrant(o->mixer), o->seed, after);
    std::cout << to_csv(row) << '\n';
  });
  step->callback([o] {
    std::cout << to_csv(arena_step(preset_of(*o), arena_entrant(o->mixer), std::stol(o->at), o->seed)) << '\n';
  });
}

}  // namespace

void add_arena(CLI::App& heed, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App* arena = heed.add_subcommand("arena", "score, speed and memory of all mixers, compared");
  arena->require_subcommand(1);
  add_run(arena->add_subcommand("run", "train every mixer on every task, and measure its training steps"), o, program);
  add_parts(arena, o);
}

}  // namespace HEED_NAMESPACE
