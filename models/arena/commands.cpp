#include "models/arena/commands.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/arena/cell.hpp"
#include "models/arena/page.hpp"
#include "models/arena/processes.hpp"
#include "models/arena/runner.hpp"
#include "models/arena/tables.hpp"
#include "models/arena/verdicts.hpp"
#include "models/data/nearest.hpp"
#include "models/run/flags.hpp"
#include "nn/file.hpp"
#include "tensor/threads.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string preset = "mini", out = {}, mixer = {}, at = {}, page = {};
  std::vector<std::string> mixers = {}, tasks = {};
  std::vector<Size> lengths = {};
  Size updates = 0;
  std::uint64_t seed = 1;
};
using Shared = std::shared_ptr<Options>;  // lives as long as the callbacks

void size_flags(CLI::App* app, const Shared& o) {
  app->add_option("--preset", o->preset, "smoke: minutes; mini: an hour on two cores")
      ->check(one_of(arena_preset_names()))
      ->type_name("WORD")
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
  std::vector<std::string> known;
  for (const ArenaTask& task : preset.tasks) {
    if (task.name == name) return task;
    known.push_back(task.name);
  }
  std::string listed;
  for (const std::string& each : known) listed += " " + each;
  throw UsageError("arena: there is no task \"" + name + "\"" + did_you_mean(name, known) + "; known:" + listed);
}

// What stood between commas; arguments of a mixer, "key=value", belong to the one before.
std::vector<std::string> mixer_names(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words)
    if (!names.empty() && word.find('=') < word.find(':'))
      names.back() += ',' + word;
    else
      names.push_back(word);
  return names;
}

ArenaRun run_of(const Options& o, const Program& program) {
  ArenaRun run{.preset = preset_of(o), .entrants = arena_entrants(), .seed = o.seed};
  run.out = o.out.empty() ? "arena-" + o.preset : o.out;
  run.program = own_program(program.name), run.progress = program.call.progress;
  run.jobs = static_cast<std::size_t>(threads());
  if (!o.mixers.empty()) run.entrants.clear();
  for (const std::string& name : mixer_names(o.mixers)) run.entrants.push_back(arena_entrant(name));
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
  app->add_option("--mixers", o->mixers, "some of " + names + ", or what docs/mixers.md has; \",\" between them")
      ->type_name("TEXT,...")
      ->delimiter(',');
  app->add_option("--tasks", o->tasks, "some of recall, listops, text, retrieval, image, path; \",\" between them")
      ->type_name("WORD,...")
      ->delimiter(',');
  app->add_option("--lengths", o->lengths, "lengths at which a training step is measured; \",\" between them")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(in_range(1, 1 << 20, true));
  app->add_option("--out", o->out, "folder for the results; default arena-PRESET. What is there is not done again")
      ->type_name("FOLDER");
  app->callback([o, &program] {
    ArenaRun run = run_of(*o, program);
    program.code = run_arena(run, interrupted());
    if (program.code == 0)
      std::cout << run.out << "/results.csv is complete; next: heed arena plot " << run.out << '\n';
  });
}

Size length_of(const std::string& text) {
  std::string fault = number_fault(text, 1, 1 << 20, true);
  if (!fault.empty()) throw UsageError("arena: length: " + fault);
  return std::stol(text);
}

// What a process of a run does. Its lines are the part that is done, and last a row.
void add_parts(CLI::App* arena, const Shared& o) {
  CLI::App* cell = arena->add_subcommand("cell", "train one mixer on one task and print its row");
  CLI::App* step = arena->add_subcommand("step", "measure one mixer's training step at one length and print its row");
  for (CLI::App* app : {cell, step}) {
    app->add_option("mixer", o->mixer, "as for --mixers of `arena run`")->required()->type_name("TEXT");
    app->add_option("at", o->at, app == cell ? "the task" : "the length")
        ->required()
        ->type_name(app == cell ? "WORD" : "N");
    size_flags(app, o);
  }
  cell->callback([o] {
    ArenaPreset preset = preset_of(*o);
    auto after = [](Size at, Size steps) {
      if (10 * at / steps != 10 * (at - 1) / steps)
        std::cout << static_cast<double>(at) / static_cast<double>(steps) << std::endl;
    };
    ArenaRow row = arena_cell(preset, task_of(preset, o->at), arena_entrant(o->mixer), o->seed, after);
    std::cout << to_csv(row) << '\n';
  });
  step->callback([o] {
    std::cout << to_csv(arena_step(preset_of(*o), arena_entrant(o->mixer), length_of(o->at), o->seed)) << '\n';
  });
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  check(file.good(), "arena", "cannot read ", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// How the results of a folder came about, in lines for a page.
std::vector<std::string> circumstances(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  if (!std::filesystem::exists(folder / "run.json")) return lines;
  nlohmann::ordered_json run = nlohmann::ordered_json::parse(text_of((folder / "run.json").string()), nullptr, false);
  for (const auto& [name, value] : run.items())
    lines.push_back(name + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return lines;
}

void add_plot(CLI::App* app, const Shared& o) {
  app->add_option("folder", o->out, "folder that `heed arena run` wrote")->required()->type_name("FOLDER");
  file_flag(app, "--page", o->page, "Markdown file whose blocks `<!-- arena: NAME -->` … `<!-- /arena -->` are filled");
  app->callback([o] {
    std::filesystem::path folder = o->out;
    std::vector<ArenaRow> rows = read_arena((folder / "results.csv").string());
    Standings all = standings(rows);
    const std::vector<std::pair<const char*, std::string>> files{
        {"bubbles.svg", arena_bubbles(all)},     {"times.svg", arena_times(all)},
        {"memory.svg", arena_memory(all)},       {"matrix.svg", arena_matrix(all)},
        {"standings.json", standings_json(all)}, {"arena.html", arena_page(all, circumstances(folder))}};
    for (const auto& [name, text] : files) {
      write_file((folder / name).string(), text);
      std::cout << (folder / name).string() << '\n';
    }
    if (o->page.empty()) return;
    write_file(o->page, with_blocks(text_of(o->page), rows));
    std::cout << o->page << '\n';
  });
}

void add_check(CLI::App* app, const Shared& o, Program& program) {
  app->add_option("file", o->out, "results.csv of `heed arena run`")->required()->type_name("FILE");
  app->callback([o, &program] {
    for (const Verdict& verdict : arena_verdicts(read_arena(o->out))) {
      std::cout << (verdict.kept ? "kept      " : "not kept  ") << verdict.promise << '\n';
      for (const std::string& detail : verdict.details) std::cout << "          " << detail << '\n';
      if (!verdict.kept) program.code = 1;
    }
  });
}

}  // namespace

void add_arena(CLI::App& heed, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App* arena = heed.add_subcommand("arena", "score, speed and memory of all mixers, compared");
  arena->require_subcommand(1);
  add_run(arena->add_subcommand("run", "train every mixer on every task, and measure its training steps"), o, program);
  add_plot(arena->add_subcommand("plot", "pictures and a page from the results"), o);
  add_check(arena->add_subcommand("check", "whether the results keep the comparison's promises; exit code 1: no"), o,
            program);
  add_parts(arena, o);
}

}  // namespace HEED_NAMESPACE
