// tagger.hpp — the part-of-speech tagger of the notes, one rung of the ladder after another, and the strong one for
// real text.
//
// Every rung is the same three steps: a vector for each word, vectors that know their context, one score a tag. The
// rungs differ in how context gets in.
#pragma once

#include <optional>

#include "models/pos/dataset.hpp"
#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/pooling.hpp"
#include "nn/position/sinusoidal.hpp"

namespace HEED_NAMESPACE {

enum class Rung {
  word,       ///< fully connected on each word alone: equal words get equal tags
  window,     ///< fully connected on the word and `window` neighbours each side
  attention,  ///< one layer of self-attention, one head, no positions: sees all words but not their order
  positions,  ///< the same with sinusoidal positions
  multihead,  ///< the same with several heads
  encoder,    ///< several layers of them
  strong      ///< for real text: characters, affixes and shapes of words; windowed layers inside the encoder
};

struct TaggerOptions {
  Rung rung = Rung::strong;
  Size dim = 128, heads = 4, layers = 2, hidden = 256;
  int window = 1;
  Size word_dim = 128, char_dim = 32, char_filters = 128, affix_dim = 32, shape_dim = 16;  // strong only
  double dropout = 0.2, attention_dropout = 0.1, input_dropout = 0.3;
  double feature_dropout = 0.1,
         vector_dropout = 0.15;  ///< how often a whole feature, or a whole word vector, is hidden
  double word_dropout = 0.5;     ///< a: a word seen c times in training is hidden with probability a / (a + c)
};

/// Scores for every word of a batch; xpos and feats are undefined when the lexicon has none.
struct TagScores {
  Var tags, xpos, feats;  // (B, N, number of labels)
};

/// Features of single words -> (B, N, dim).
struct WordVectors : Module {
  TaggerOptions options;
  Rng* rng;
  Embedding words;
  std::vector<Embedding> chars, shapes, affixes;  // strong only
  std::vector<WindowedLinear> filters;            // five characters wide
  std::optional<Linear> project;                  // features side by side -> dim
  WordVectors(const Lexicon& lexicon, const TaggerOptions& choice, Rng& generator);
  Var operator()(const Batch& batch) const;

 private:
  std::vector<int> hide_words(const Batch& batch) const;
  Var spell(const Batch& batch) const;
};

/// The tagger: WordVectors, context by rung, and a linear layer to the tags.
struct Tagger : Module {
  TaggerOptions options;
  WordVectors words;
  std::vector<WindowedLinear> window;  // rungs word (reach 0) and window
  std::vector<Encoder> encoder;        // the others
  Dropout drop;
  Linear tags;
  std::vector<Linear> xpos, feats;  // strong only, when the lexicon has them
  /// The generator, used by dropout too, must outlive the model.
  Tagger(const Lexicon& lexicon, const TaggerOptions& choice, Rng& rng);
  TagScores operator()(const Batch& batch) const;
};

}  // namespace HEED_NAMESPACE
