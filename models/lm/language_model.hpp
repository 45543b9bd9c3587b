// language_model.hpp — what comes next: a causal classifier of every position, and text made with it.
#pragma once

#include "models/classify/classifier.hpp"
#include "models/lm/sample.hpp"

namespace HEED_NAMESPACE {

/// Scores of the next symbol at every position. Class c stands for symbol c + 1.
struct LanguageModel : Module {
  Classifier model;
  LanguageModel(const ExampleSet& set, const Settings& s, Rng& rng) : model(set, s, rng, true) {
    check(set.answer == Answer::each && set.symbols > static_cast<Size>(set.classes.size()), "lm",
          "expected symbols, and the next of them at each position");
    adopt(model);
  }
  Var operator()(const ExampleBatch& batch) const { return model(batch); }

  /// Bits a symbol, over the positions that have an answer, and how often the likeliest symbol is the right one.
  Evaluation evaluate(const ExampleSet& set) const;

  /// `count` symbols after `prompt`, which needs at least one. By steps with a cache or a state, O(1) passes a symbol,
  /// where the mixer has them; otherwise (or with `whole`) the whole sequence runs again for each.
  std::vector<int> generate(const std::vector<int>& prompt, std::size_t count, const SampleOptions& options, Rng& rng,
                            bool whole = false) const;
};

}  // namespace HEED_NAMESPACE
