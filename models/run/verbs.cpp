#include "models/run/verbs.hpp"

#include <iostream>

#include "models/data/example_file.hpp"
#include "models/data/tasks.hpp"
#include "models/run/flags.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string task = {}, train = {}, dev = {}, model = {}, file = {};
  RunOptions run = {};
  TrainOptions training = {};
  Settings settings = {};
  double min_accuracy = 0;
  std::size_t count = 0;
};
using Shared = std::shared_ptr<Options>;  // lives as long as the callbacks

ExampleSet built_in(const std::string& task, std::size_t TaskKind::*count, std::uint64_t seed, Split split) {
  ExampleSet set = make_task(task, task_kind(task).*count, seed, split);
  set.task = task;  // with its size
  return set;
}

// A model with the sets that it learns from and is scored on.
struct Sets {
  ExampleSet train, dev;
  Sets(const ModelKind& kind, const Options& o) {
    if (o.train.empty() != o.dev.empty()) throw UsageError("--train and --dev go together");
    if (o.train.empty()) {
      train = built_in(o.task, &TaskKind::train, o.training.seed, Split::train);
      dev = built_in(o.task, &TaskKind::dev, o.training.seed, Split::dev);
    } else {
      train = read_set(kind, o.train, o.settings);
      dev = read_set(kind, o.dev, o.settings, &train);
    }
  }
};
struct SetLearner : Sets, Trained, ExampleLearner {
  SetLearner(const ModelKind& what, const Options& o)
      : Sets(what, o),
        Trained(what, train, o.settings, o.training.seed),
        ExampleLearner(static_cast<Trained&>(*this), train, dev) {}
};

void add_train(CLI::App* app, const ModelKind& kind, const Shared& o, Program& program) {
  app->add_option("--task", o->task, "built-in task to learn")->capture_default_str();
  app->add_option("--train", o->train, "file to learn from, in place of the task");
  app->add_option("--dev", o->dev, "file to choose the best model by");
  run_flags(app, o->run);
  training_flags(app, o->training);
  for (const Setting& s : kind.settings.list()) {
    auto set = [o, name = s.name](const std::string& value) -> std::string {
      try {
        o->settings.set(name, value);
        return "";
      } catch (const Error& e) {
        return e.what() + std::string_view("heed: ").size();
      }
    };
    app->add_option("--" + s.name, s.help)->check(set)->default_str(s.value);
  }
  app->callback([&kind, o, &program] {
    o->run.next = program.name + " " + kind.name + " eval " + o->run.out;
    auto make = [&] { return std::make_unique<SetLearner>(kind, *o); };
    program.code = train_run(o->run, o->training, make, interrupted());
  });
}

ExampleSet test_set(const Trained& trained, const Options& o) {
  if (!o.file.empty()) return read_set(trained.kind, o.file, trained.settings, &trained.set);
  return built_in(trained.set.task, &TaskKind::test, o.training.seed, Split::test);
}

}  // namespace

std::unique_ptr<Trained> load_trained(const ModelKind& kind, const std::string& folder_or_file) {
  return from_checkpoint(kind, load_checkpoint(model_path(folder_or_file)));
}

ExampleSet read_set(const ModelKind& kind, const std::string& path, const Settings& settings, const ExampleSet* like) {
  if (!path.ends_with(".jsonl") && kind.read) return kind.read(path, like, settings);
  return read_examples(path);
}

std::string answer_text(const ExampleSet& set, const std::vector<int>& answer) {
  std::vector<std::string> names;
  for (int id : answer) names.push_back(set.classes.at(static_cast<std::size_t>(id)));
  bool apart = std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.size() > 1; });
  std::string text;
  for (const std::string& name : names) text += (apart && !text.empty() ? " " : "") + name;
  return text;
}

CLI::App* add_kind(CLI::App& heed, Program& program, const ModelKind& kind) {
  auto o = std::make_shared<Options>(
      Options{.task = kind.tasks.at(0), .training = kind.training, .settings = kind.settings});
  CLI::App* app = heed.add_subcommand(kind.name, kind.help);
  app->require_subcommand(1);
  add_train(app->add_subcommand("train", "train on a built-in task or on files"), kind, o, program);
  CLI::App* eval = app->add_subcommand("eval", "score a model on a file, or on its built-in task");
  CLI::App* predict = app->add_subcommand("predict", "answer the items of a file, one line each");
  for (CLI::App* verb : {eval, predict}) {
    verb->add_option("model", o->model, "folder written by train, or a model file")->required();
    verb->add_option("file", o->file, "items; none: the test items of the built-in task");
    seed_flag(verb, o->training.seed);
  }
  number(eval, "--min-accuracy", o->min_accuracy, 0.0, 100.0, "exit with 1 when a share is below this, in percent");
  eval->callback([&kind, o, &program] {
    std::unique_ptr<Trained> trained = load_trained(kind, o->model);
    Evaluation now = evaluate(trained->model, test_set(*trained, *o));
    std::cout << now.report;
    program.code = 0;
    for (const Metric& m : now.metrics)
      if (std::string_view(m.unit) == "%") program.code |= m.value < o->min_accuracy;
  });
  predict->callback([&kind, o] {
    std::unique_ptr<Trained> trained = load_trained(kind, o->model);
    for (const std::vector<int>& answer : heed::predict(trained->model, test_set(*trained, *o)))
      std::cout << answer_text(trained->set, answer) << '\n';
  });
  return app;
}

void add_data(CLI::App& heed, Program&) {
  auto o = std::make_shared<Options>();
  CLI::App* app = heed.add_subcommand("data", "write a built-in task as a file that --train reads");
  std::string help = "one of";
  for (const TaskKind& kind : task_kinds()) help += std::string("\n  ") + kind.name + ": " + kind.help;
  app->add_option("task", o->task, help)->required();
  app->add_option("--out", o->file, "the file, *.jsonl")->required();
  number(app, "--count", o->count, 0, 10000000, "how many items; 0: as many as the task trains on");
  seed_flag(app, o->training.seed);
  auto split = std::make_shared<Split>(Split::train);
  choice(app, "--split", *split, {{"train", Split::train}, {"dev", Split::dev}, {"test", Split::test}},
         "train (default), dev or test: no item is in two of them");
  app->callback([o, split] {
    std::size_t count = o->count ? o->count : task_kind(o->task).train;
    write_examples(o->file, make_task(o->task, count, o->training.seed, *split));
  });
}

}  // namespace HEED_NAMESPACE
