// kinds.hpp — models over example sets for tests: made, trained and scored in a few lines.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "models/data/tasks.hpp"
#include "models/run/example_model.hpp"
#include "models/run/trainer.hpp"
#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

using Choices = std::vector<std::pair<const char*, const char*>>;

/// The kind's settings but for some.
inline Settings choose(const ModelKind& kind, const Choices& choices) {
  Settings settings = kind.settings;
  for (auto [name, value] : choices) settings.set(name, value);
  return settings;
}

/// A model of a kind with a task's items to train on and to be scored on.
struct TaskRun {
  ExampleSet train, dev;
  Trained trained;
  ExampleLearner learner;
  TaskRun(const ModelKind& kind, const char* task, const Choices& choices, std::size_t count, std::size_t dev_count,
          std::uint64_t seed = 1)
      : train(make_task(task, count, seed, Split::train)),
        dev(make_task(task, dev_count, seed, Split::dev)),
        trained(kind, train, choose(kind, choices), seed),
        learner(trained, train, dev) {}
};

/// What training reached: the first metric on dev, of the averaged weights, in percent where it is a share.
inline double trained_to(const char* label, TaskRun& run, const TrainOptions& options) {
  auto start = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  Trainer trainer(run.learner, options);
  bool show = std::getenv("HEED_SHOW") != nullptr;
  double best = 0;
  while (!trainer.finished()) {
    trainer.run_round([](const StepResult&) { return true; });
    trainer.swap_average();
    Evaluation now = run.learner.evaluate();
    trainer.swap_average();
    best = now.metrics[0].value;
    if (show)
      std::printf("%-40s %7td parameters  step %6td  %s %8.4f  %6.1f s, %6.1f s of CPU\n", label,
                  run.trained.model.parameter_count(), trainer.step(), now.metrics[0].name.c_str(), best,
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                  static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  trainer.swap_average();  // what is scored and kept
  return best;
}

/// The kind's own way of training, for so many updates, scored a few times.
inline TrainOptions steps_of(const ModelKind& kind, Size steps, Size evaluate = 0) {
  TrainOptions options = kind.training;
  options.steps = steps;
  options.evaluate = evaluate ? evaluate : steps;
  return options;
}

}  // namespace HEED_NAMESPACE::testing
