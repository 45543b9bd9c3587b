// train.hpp — how the chapters train: one loop for every model, and the course's corpus as numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/data/corpus.hpp"
#include "models/pos/dataset.hpp"

namespace heed::tutorial {

/// How many updates, and how large the greatest of them.
struct Fit {
  Size steps = 1000;
  double lr = 3e-3;  ///< reached after a twentieth of the steps, then falling to a hundredth of it along a cosine
  double clip = 1;   ///< greatest norm of all gradients together
};

/// Calls `loss` for every step, counted from 0, and lets AdamW take one step down from what it returns. Returns the
/// mean loss of the last tenth of the steps.
double fit(const std::vector<Parameter>& parameters, const Fit& how, const std::function<Var(Size step)>& loss);

/// The built-in corpus, 4000 sentences to train on and 1000 others to test.
struct Corpus {
  std::vector<Sentence> test_text, train_text;
  Lexicon lexicon;
  Dataset train, test;
  /// Lists have up to `max_list` items, so their first word is up to 2 max_list words away.
  explicit Corpus(std::size_t max_list = 40, Language language = Language::english, std::size_t count = 4000);
  int words() const { return lexicon.words.size(); }
  int tags() const { return lexicon.tags.size(); }
};

/// A tagger: scores (B, N, tags) for every word of a batch.
using TagModel = std::function<Var(const Batch& batch)>;

/// Trains a tagger for so many rounds through the corpus, in batches of about 400 words. Returns the last loss.
double train(const TagModel& tagger, const std::vector<Parameter>& parameters, const Corpus& corpus, int rounds = 5,
             double lr = 3e-3);

/// Accuracy in percent: of all words, and of words that are noun or verb, in phrases and in lists.
struct Accuracy {
  double all = 0, phrases = 0, lists = 0;
};
Accuracy accuracy(const TagModel& tagger, const Corpus& corpus);

/// The tags that a tagger gives to the words of one text.
std::vector<std::string> tag(const TagModel& tagger, const Corpus& corpus, const std::string& text);

}  // namespace heed::tutorial
