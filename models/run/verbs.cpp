#include "models/run/verbs.hpp"

#include <iostream>

#include "models/data/example_file.hpp"
#include "models/data/tasks.hpp"
#include "models/run/flags.hpp"
#include "models/run/score.hpp"
#include "models/show/commands.hpp"

namespace HEED_NAMESPACE {

namespace {

struct Options {
  std::string task = {}, train = {}, dev = {}, model = {}, file = {};
  RunOptions run = {};
  TrainOptions training = {};
  Settings settings = {};
  std::size_t max_tokens = 65536;
  double min_accuracy = 0;
  bool json = false;
  std::size_t count = 0;
};
using Shared = std::shared_ptr<Options>;  // lives as long as the callbacks

ExampleSet built_in(const std::string& task, std::size_t TaskKind::*count, std::uint64_t seed, Split split) {
  ExampleSet set = make_task(task, task_kind(task).*count, seed, split);
  set.task = task;  // with its size
  return set;
}

// Refuses what would make a batch larger than memory may be.
void check_lengths(const ExampleSet& set, std::size_t most) {
  for (std::size_t i = 0; i < set.items.size(); i++) {
    std::size_t length = std::max(length_of(set, set.items[i]), set.items[i].targets.size());
    check(length <= most, set.task.c_str(), "item ", i + 1, " has ", length, " positions, expected at most ", most,
          "; cut it, or give --max-tokens ", length);
  }
}

void length_flag(CLI::App* app, const Shared& o) {
  number(app, "--max-tokens", o->max_tokens, 1, 100000000, "positions that an item may have; a longer one is refused");
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
    for (const ExampleSet* set : {&train, &dev}) check_lengths(*set, o.max_tokens);
  }
};
struct SetLearner : Sets, Trained, ExampleLearner {
  SetLearner(const ModelKind& what, const Options& o)
      : Sets(what, o),
        Trained(what, train, o.settings, o.training.seed),
        ExampleLearner(static_cast<Trained&>(*this), train, dev) {}
};

// What is wrong with the name of a task, as CLI11 asks.
std::string task_fault(const std::string& name) {
  try {
    make_task(name, 0, 1, Split::train);
    return "";
  } catch (const Error& e) {
    return e.what() + std::string_view("heed: make_task: ").size();
  }
}

// An option for a setting.
void setting_flag(CLI::App* app, const Setting& s, Settings& settings) {
  auto set = [&settings, name = s.name](const std::string& value) -> std::string {
    try {
      settings.set(name, value);
      return "";
    } catch (const Error& e) {
      return e.what() + std::string_view("heed: : ").size() + name.size();
    }
  };
  std::string range;
  for (const std::string& word : s.words) range += (range.empty() ? "" : "|") + word;
  bool number = s.form == Setting::Form::whole || s.form == Setting::Form::number;
  app->add_option("--" + s.name, s.help)
      ->check(CLI::Validator(set, number ? range_text(s.low, s.high) : range))
      ->type_name(s.form == Setting::Form::whole  ? "N"
                  : number                        ? "X"
                  : s.form == Setting::Form::word ? "WORD"
                                                  : "TEXT")
      ->default_str(s.value)
      ->group("Model");
}

void add_train(CLI::App* app, const ModelKind& kind, const Shared& o, Program& program) {
  app->add_option("--task", o->task, "built-in task to learn, as vote or vote:12 with a size")
      ->check(CLI::Validator(task_fault, ""))
      ->capture_default_str();
  file_flag(app, "--train", o->train, "file to learn from, in place of the task");
  file_flag(app, "--dev", o->dev, "file to choose the best model by");
  length_flag(app, o);
  run_flags(app, o->run);
  training_flags(app, o->training);
  for (const Setting& s : kind.settings.list()) setting_flag(app, s, o->settings);
  app->callback([&kind, o, &program] {
    o->run.call = program.call;
    o->run.next = program.name + " " + kind.name + " eval " + o->run.out;
    auto make = [&] { return std::make_unique<SetLearner>(kind, *o); };
    program.code = train_run(o->run, o->training, make, interrupted());
  });
}

ExampleSet test_set(const Trained& trained, const Options& o) {
  ExampleSet set = o.file.empty() ? built_in(trained.set.task, &TaskKind::test, o.training.seed, Split::test)
                                  : read_set(trained.kind, o.file, trained.settings, &trained.set);
  check_lengths(set, o.max_tokens);
  return set;
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
    model_argument(verb, o->model);
    length_flag(verb, o);
    verb->add_option("file", o->file, "items; none: the test items of the built-in task")->type_name("FILE");
    seed_flag(verb, o->training.seed);
  }
  number(eval, "--min-accuracy", o->min_accuracy, 0.0, 100.0, "exit with 1 when a share is below this, in percent");
  eval->add_flag("--json", o->json, "print the report as JSON");
  eval->callback([&kind, o, &program] {
    std::unique_ptr<Trained> trained = load_trained(kind, o->model);
    Evaluation now = evaluate(trained->model, test_set(*trained, *o));
    std::cout << (o->json ? to_json(now) + "\n" : now.report);
    program.code = 0;
    for (const Metric& m : now.metrics)
      if (std::string_view(m.unit) == "%") program.code |= m.value < o->min_accuracy;
  });
  predict->callback([&kind, o] {
    std::unique_ptr<Trained> trained = load_trained(kind, o->model);
    for (const std::vector<int>& answer : heed::predict(trained->model, test_set(*trained, *o)))
      std::cout << answer_text(trained->set, answer) << '\n';
  });
  add_show(app, kind,
           [](const Trained& trained, const std::string& file) { return test_set(trained, {.file = file}); });
  return app;
}

void add_data(CLI::App& heed, Program&) {
  auto o = std::make_shared<Options>();
  CLI::App* app = heed.add_subcommand("data", "write a built-in task as a file that --train reads");
  std::string help = "one of";
  for (const TaskKind& kind : task_kinds()) help += std::string("\n  ") + kind.name + ": " + kind.help;
  app->add_option("task", o->task, help)->required()->check(CLI::Validator(task_fault, ""));
  file_flag(app, "--out", o->file, "the file, *.jsonl")->required();
  number(app, "--count", o->count, 0, 10000000, "how many items; 0: as many as the task trains on");
  seed_flag(app, o->training.seed);
  auto split = std::make_shared<Split>(Split::train);
  choice(app, "--split", *split, {{"train", Split::train}, {"dev", Split::dev}, {"test", Split::test}},
         "part of the task: no item is in two of them");
  app->callback([o, split] {
    std::size_t count = o->count ? o->count : task_kind(o->task).train;
    write_examples(o->file, make_task(o->task, count, o->training.seed, *split));
  });
}

}  // namespace HEED_NAMESPACE
