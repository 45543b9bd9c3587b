#include "models/run/example_model.hpp"

#include <algorithm>
#include <sstream>

#include "models/run/batches.hpp"
#include "models/run/score.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

BatchLoss class_loss(const Var& logits, const ExampleBatch& batch, const TrainOptions& options) {
  return {
      cross_entropy(logits, batch.targets, {.label_smoothing = options.label_smoothing}), {}, batch.padding.count()};
}

Answers best_classes(const Tensor& logits, const ExampleBatch& batch) {
  std::vector<int> best;
  max(logits, -1, &best);
  auto size = static_cast<std::size_t>(batch.size);
  Answers answers(size);
  std::size_t each = best.size() / size;
  for (std::size_t i = 0; i < best.size(); i++)
    if (each == 1 || batch.padding[static_cast<Size>(i)]) answers[i / each].push_back(best[i]);
  return answers;
}

std::size_t length_of(const ExampleSet& set, const Example& item) {
  return set.symbols ? item.symbols.size()
                     : item.features.size() / static_cast<std::size_t>(std::max<Size>(1, set.width));
}

Size longest(const ExampleSet& set) {
  std::size_t length = 0;
  for (const Example& item : set.items) length = std::max(length, length_of(set, item));
  return static_cast<Size>(length);
}

namespace {
ExampleSet without_items(const ExampleSet& set) {
  ExampleSet bare = set;
  bare.items.clear();
  return bare;
}

// A model that is loaded has no items to measure.
Settings with_length(Settings settings, const ExampleSet& data) {
  for (const Setting& s : settings.list())
    if (s.name == "length" && s.value == "0" && !data.items.empty()) {
      settings.set("length", std::to_string(longest(data)));
      break;
    }
  return settings;
}

std::vector<Group> groups(const ExampleSet& set, std::size_t tokens, Rng* shuffle) {
  std::vector<std::size_t> lengths;
  for (const Example& item : set.items) {
    std::size_t answer = set.answer == Answer::sequence ? item.targets.size() : 0;  // is padded too
    lengths.push_back(std::max(length_of(set, item), answer));
  }
  return batches_of_like_length(lengths, tokens, shuffle);
}
}  // namespace

Trained::Trained(const ModelKind& what, const ExampleSet& data, const Settings& choice, std::uint64_t seed)
    : kind(what),
      settings(with_length(choice, data)),
      set(without_items(data)),
      rng(seed),
      model(what.make(data, settings, rng)) {}

Answers predict(const ExampleModel& model, const ExampleSet& set, std::size_t batch_tokens) {
  check(model.predict != nullptr, "predict", "this model gives no answers");
  Eval eval;
  Answers answers(set.items.size());
  for (const Group& group : groups(set, batch_tokens, nullptr)) {
    Answers some = model.predict(make_batch(set, group));
    for (std::size_t i = 0; i < group.size(); i++) answers[group[i]] = std::move(some[i]);
  }
  return answers;
}

Evaluation evaluate(const ExampleModel& model, const ExampleSet& set) {
  if (model.evaluate) return model.evaluate(set);
  return evaluate(model, set, predict(model, set));
}

Evaluation evaluate(const ExampleModel& model, const ExampleSet& set, const Answers& answers) {
  if (model.evaluate) return model.evaluate(set);
  Score score;
  ClassTable table;
  std::map<std::pair<std::string, std::string>, std::size_t> errors;
  for (std::size_t i = 0; i < set.items.size(); i++) {
    const std::vector<int>& targets = set.items[i].targets;
    if (set.answer == Answer::sequence) {
      score.add(targets == answers[i]);
      continue;
    }
    for (std::size_t k = 0; k < targets.size(); k++) {
      if (targets[k] < 0) continue;
      score.add(targets[k] == answers[i][k]);
      auto name = [&](int id) { return set.classes.at(static_cast<std::size_t>(id)); };
      std::string gold = name(targets[k]), given = name(answers[i][k]);
      count(table, gold, given);
      if (gold != given) errors[{gold, given}]++;
    }
  }
  std::ostringstream text;
  print(text, "accuracy", score);
  if (!table.empty()) print(text, table, "class", "items");
  std::vector<Confusion> confusions;
  for (const auto& [names, count] : errors) confusions.push_back({names.first, names.second, "", count});
  return {{{"dev accuracy", score.percent()}}, false, text.str(), to_json({{"all", score}}, table, confusions)};
}

ExampleLearner::ExampleLearner(Trained& trained, const ExampleSet& train, const ExampleSet& dev)
    : trained_(trained), train_(train), dev_(dev) {
  check(dev.answer == train.answer && dev.symbols == train.symbols && dev.width == train.width &&
            dev.classes == train.classes,
        dev.task.c_str(), "the development set differs from the training set in its symbols, width or classes");
  check(!dev.items.empty(), dev.task.c_str(),
        "the development set is empty; there is nothing to choose the best model by");
}

std::vector<Group> ExampleLearner::batches(std::size_t tokens, Rng* shuffle) const {
  return groups(train_, tokens, shuffle);
}

std::string ExampleLearner::items_text(const Group& items) const {
  std::string text = "items:";
  for (std::size_t i : items) text += ' ' + std::to_string(i + 1);
  return text;
}

Evaluation ExampleLearner::evaluate() const {
  Eval eval;
  return heed::evaluate(trained_.model, dev_);
}

std::string ExampleLearner::headline() const {
  return train_.task + ": " + std::to_string(train_.items.size()) + " items to train on, " +
         std::to_string(dev_.items.size()) + " to choose by; " + std::to_string(trained_.model.parameter_count()) +
         " parameters";
}

std::string ExampleLearner::log_text() const {
  return "\"model\": " + describe(trained_.settings) +
         ", \"parameters\": " + std::to_string(trained_.model.parameter_count()) +
         ", \"items\": " + std::to_string(train_.items.size());
}

}  // namespace HEED_NAMESPACE
