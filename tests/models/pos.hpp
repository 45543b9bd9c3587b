// pos.hpp — sentences and small models for the tests of the tagger.
#pragma once

#include <sstream>

#include "models/data/corpus.hpp"
#include "models/pos/learner.hpp"
#include "models/pos/report.hpp"
#include "models/run/trainer.hpp"
#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

inline constexpr Rung all_rungs[] = {Rung::word,      Rung::window,  Rung::attention, Rung::positions,
                                     Rung::multihead, Rung::encoder, Rung::strong};

/// "I_PRON saw_VERB it": words with their tags; one without is not tagged.
inline Sentence sentence(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words, tags;
  for (std::string word; in >> word;) {
    std::size_t mark = word.rfind('_');
    words.push_back(word.substr(0, mark));
    tags.push_back(mark == std::string::npos ? "_" : word.substr(mark + 1));
  }
  return make_sentence(words, tags);
}

/// `count` sentences of the built-in corpus.
inline std::vector<Sentence> corpus(std::size_t count, std::uint64_t seed, const ToyOptions& options = {},
                                    const std::vector<Sentence>& avoid = {}) {
  Rng rng(seed);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
  return toy_corpus(Language::english, count, below, options, avoid);
}

/// The same with XPOS and FEATS.
inline std::vector<Sentence> rich_corpus(std::size_t count, std::uint64_t seed) {
  std::ostringstream text;
  for (const Sentence& s : corpus(count, seed)) {
    for (std::size_t i = 0; i < s.size(); i++)
      text << i + 1 << '\t' << s.form(i) << "\t_\t" << s.upos(i) << "\tX" << s.upos(i).substr(0, 1)
           << (s.form(i).size() < 4 ? "\tLength=Short" : "\t_") << "\t_\t_\t_\t_\n";
    text << '\n';
  }
  std::istringstream in(text.str());
  return read_conllu(in, "corpus");
}

/// A sentence of `length` words, a few of them distinct.
inline Sentence long_sentence(std::size_t length) {
  std::vector<std::string> words, tags;
  for (std::size_t i = 0; i < length; i++) {
    words.push_back(i % 7 ? "saw" : i % 2 ? "the" : "word" + std::to_string(i % 11));
    tags.push_back(i % 7 ? "VERB" : "DET");
  }
  return make_sentence(words, tags);
}

inline TaggerOptions small(Rung rung) {
  return {.rung = rung,
          .dim = 16,
          .heads = 2,
          .layers = 2,
          .hidden = 24,
          .word_dim = 12,
          .char_dim = 8,
          .char_filters = 12,
          .affix_dim = 4,
          .shape_dim = 4};
}

/// Scores of the tags of every sentence, alone or in one batch; padding is left out.
inline std::vector<Tensor> scores(const PosModel& model, const std::vector<Sentence>& sentences) {
  Eval eval;
  Dataset data(model.lexicon, sentences);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < data.pieces().size(); i++) all.push_back(i);
  Tensor tags = model.tagger(data.batch(all)).tags.value();
  std::vector<Tensor> out;
  for (std::size_t i : all)
    out.push_back(tags.slice(0, static_cast<Size>(i), static_cast<Size>(i) + 1)
                      .slice(1, 0, static_cast<Size>(data.pieces()[i].size()))
                      .compact());
  return out;
}

/// A tagger's trainer with the learner it needs.
struct TaggerTrainer : TaggerLearner, Trainer {
  TaggerTrainer(PosModel& model, const Dataset& data, const TrainOptions& options)
      : TaggerLearner(model, data, no_dev()), Trainer(static_cast<const Learner&>(*this), options) {}

 private:
  static const std::vector<Sentence>& no_dev() {
    static const std::vector<Sentence> none;
    return none;
  }
};

/// Runs whole epochs; returns the loss of the last step.
inline double train(Trainer& trainer) {
  double loss = 0;
  while (!trainer.finished())
    trainer.run_round([&](const StepResult& s) {
      loss = s.loss;
      return true;
    });
  return loss;
}

}  // namespace HEED_NAMESPACE::testing
