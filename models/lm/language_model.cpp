#include "models/lm/language_model.hpp"

#include <numbers>
#include <sstream>

#include "models/run/batches.hpp"
#include "models/run/score.hpp"

namespace HEED_NAMESPACE {

Evaluation LanguageModel::evaluate(const ExampleSet& set) const {
  Eval eval;
  double nats = 0;
  Score score;
  std::vector<std::size_t> lengths;
  for (const Example& item : set.items) lengths.push_back(item.symbols.size());
  for (const Group& group : batches_of_like_length(lengths, 4096, nullptr)) {
    ExampleBatch batch = make_batch(set, group);
    Var logits = model(batch);
    auto answers = static_cast<double>(
        std::count_if(batch.targets.begin(), batch.targets.end(), [](int target) { return target >= 0; }));
    nats += answers * static_cast<double>(cross_entropy(logits, batch.targets).item());
    Answers best = best_classes(logits.value(), batch);
    for (std::size_t i = 0; i < group.size(); i++) {
      const std::vector<int>& targets = set.items[group[i]].targets;
      for (std::size_t k = 0; k < targets.size(); k++)
        if (targets[k] >= 0) score.add(targets[k] == best[i][k]);
    }
  }
  double bits = score.all ? nats / std::numbers::ln2 / static_cast<double>(score.all) : 0;
  std::ostringstream text;
  text << "bits a symbol     " << bits << '\n';
  print(text, "accuracy", score);
  return {{{"dev bits", bits, ""}, {"accuracy", score.percent()}}, true, text.str()};
}

std::vector<int> LanguageModel::generate(const std::vector<int>& prompt, std::size_t count,
                                         const SampleOptions& options, Rng& rng, bool whole) const {
  check(!prompt.empty(), "lm", "expected a prompt of at least one symbol");
  Eval eval;
  std::vector<int> all = prompt;
  std::vector<std::any> states;
  bool steps = !whole && model.context.encoder.has_steps();
  std::size_t done = 0;
  while (all.size() < prompt.size() + count) {
    ExampleBatch batch;
    batch.symbols.assign(all.begin() + static_cast<Size>(done), all.end());
    batch.size = 1;
    batch.length = static_cast<Size>(batch.symbols.size());
    Var x = model.vectors(batch);
    x = steps ? model.context.step(x, static_cast<Size>(done), states) : model.context(x, {});
    Tensor scores = model.head(slice(x, 1, x.size(1) - 1, x.size(1)), {}).value().compact();
    if (steps) done = all.size();
    all.push_back(1 + sample({scores.data(), static_cast<std::size_t>(scores.numel())}, options, rng));
  }
  return {all.begin() + static_cast<Size>(prompt.size()), all.end()};
}

}  // namespace HEED_NAMESPACE
