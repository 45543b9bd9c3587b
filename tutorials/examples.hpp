// examples.hpp — models over sets of examples for the chapters: a classifier by its settings, trained, then scored.
#pragma once

#include "models/classify/classifier.hpp"
#include "models/data/tasks.hpp"
#include "models/run/batches.hpp"
#include "models/run/score.hpp"
#include "tutorials/train.hpp"

namespace heed::tutorial {

/// A set's items in groups of like length and of about so many positions.
inline std::vector<Group> groups(const ExampleSet& set, std::size_t positions, Rng* order = nullptr) {
  std::vector<std::size_t> lengths;
  for (const Example& item : set.items) lengths.push_back(length_of(set, item));
  return batches_of_like_length(lengths, positions, order);
}

/// Trains any module that turns a batch into logits: fit() on groups of `positions`, in a new order each round.
template <class M>
void learn(const M& model, const ExampleSet& set, const Fit& how, std::size_t positions = 1000) {
  Rng order(1);
  std::vector<Group> left;
  fit(model.parameters(), how, [&](Size) {
    if (left.empty()) left = groups(set, positions, &order);
    ExampleBatch batch = make_batch(set, left.back());
    left.pop_back();
    return cross_entropy(model(batch), batch.targets);
  });
}

/// Right answers in percent of those that are known.
template <class M>
double score(const M& model, const ExampleSet& set) {
  Eval eval;
  Score score;
  for (const Group& group : groups(set, 4000)) {
    ExampleBatch batch = make_batch(set, group);
    Answers answers = best_classes(model(batch).value(), batch);
    for (std::size_t i = 0; i < group.size(); i++)
      for (std::size_t at = 0; at < answers[i].size(); at++)
        if (int target = set.items[group[i]].targets[at]; target >= 0) score.add(answers[i][at] == target);
  }
  return score.percent();
}

/// A classifier's settings, some of them changed: {{"mixer", "linear"}, {"layers", "1"}}.
inline Settings settings(std::initializer_list<std::pair<const char*, std::string>> choices) {
  Settings all = encoder_settings().with(head_settings());
  for (const auto& [name, value] : choices) all.set(name, value);
  return all;
}

}  // namespace heed::tutorial
