#include "models/arena/cell.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "models/run/trainer.hpp"
#include "tensor/counters.hpp"

namespace HEED_NAMESPACE {

namespace {

// Of the whole process: with one thread, what the clock on the wall says when nothing else runs.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The share of the items that have the most frequent answer.
double best_constant(const ExampleSet& set) {
  std::vector<double> count(set.classes.size());
  double all = 0;
  for (const Example& item : set.items)
    for (int target : item.targets)
      if (target >= 0) count.at(static_cast<std::size_t>(target))++, all++;
  return *std::max_element(count.begin(), count.end()) / all;
}

// To the microsecond, which is what the clock knows.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

ArenaRow row_of(const Entrant& entrant, const Trained& trained, const std::string& at, bool cell) {
  ArenaRow row{
      .cell = cell, .mixer = entrant.name, .group = entrant.group, .spec = trained.settings.word("mixer"), .at = at};
  row.parameters = trained.model.parameter_count();
  return row;
}

}  // namespace

ArenaRow arena_cell(const ArenaPreset& preset, const ArenaTask& task, const Entrant& entrant, std::uint64_t seed,
                    const std::function<void(Size, Size)>& after) {
  ExampleSet train = arena_set(task, preset.train, seed, Split::train);
  ExampleSet test = arena_set(task, preset.test, seed, Split::test);
  Trained trained(arena_kind(), train, arena_settings(entrant, std::max(longest(train), longest(test))), seed);
  ExampleLearner learner(trained, train, test);
  TrainOptions options = trained.kind.training;
  options.seed = seed, options.steps = options.evaluate = preset.updates, options.batch_tokens = preset.positions;
  double start = processor_seconds();
  Trainer trainer(learner, options);
  trainer.run_round([&](const StepResult& s) {
    after(s.step, s.steps);
    return true;
  });
  ArenaRow row = row_of(entrant, trained, task.name, true);
  row.seconds = rounded(processor_seconds() - start);
  trainer.swap_average();
  row.accuracy = learner.evaluate().metrics.at(0).value / 100, row.chance = best_constant(test);
  row.items = static_cast<Size>(test.items.size()), row.updates = preset.updates;
  return row;
}

ArenaRow arena_step(const ArenaPreset& preset, const Entrant& entrant, Size length, std::uint64_t seed) {
  constexpr Size symbols = 20, classes = 10, least = 3, most = 50;
  constexpr double enough = 0.7;  // seconds of a round
  ExampleSet set;
  set.task = "random", set.symbols = symbols;
  for (Size k = 0; k < classes; k++) set.classes.push_back(std::to_string(k));
  Rng rng(seed);
  for (Size b = 0; b < std::max<Size>(1, preset.measured / length); b++) {
    Example item;
    item.targets = {static_cast<int>(rng.below(classes))};
    for (Size i = 0; i < length; i++) item.symbols.push_back(1 + static_cast<int>(rng.below(symbols - 1)));
    set.items.push_back(std::move(item));
  }
  Trained trained(arena_kind(), set, arena_settings(entrant, length), seed);
  ExampleLearner learner(trained, set, set);
  TrainOptions options = trained.kind.training;
  options.steps = options.evaluate = most;
  options.batch_tokens = set.items.size() * static_cast<std::size_t>(length);
  Trainer trainer(learner, options);
  double last = 0, sum = 0, fastest = 1e300;
  reset_counters();
  trainer.run_round([&](const StepResult& s) {
    double now = processor_seconds();
    if (s.step > 1) fastest = std::min(fastest, now - last), sum += now - last;  // the first one fetches its memory
    last = processor_seconds();
    return s.step <= least || sum < enough;
  });
  ArenaRow row = row_of(entrant, trained, std::to_string(length), false);
  row.items = static_cast<Size>(set.items.size()), row.rounds = {rounded(fastest)},
  row.peak_bytes = counters().peak_bytes;
  return row;
}

}  // namespace HEED_NAMESPACE
