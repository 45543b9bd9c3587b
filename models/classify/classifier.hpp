// classifier.hpp — one class for each position or for the whole set, of text, speech, images and graphs alike.
//
// Every classifier is the same three steps: a vector for each position, vectors that know of each other, scores of
// classes. Text and speech differ from each other in the first alone; images and graphs have steps of their own.
#pragma once

#include <optional>

#include "models/run/example_model.hpp"
#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/position/learned.hpp"

namespace HEED_NAMESPACE {

/// Vectors of symbols, of second symbols and of numbers, as many as a set has, added up: -> (B, N, dim).
struct ItemVectors : Module {
  std::vector<Embedding> symbols, second;  // one or none each
  std::optional<Linear> numbers;
  ItemVectors(const ExampleSet& set, Size dim, Rng& rng);
  Var operator()(const ExampleBatch& batch) const;
};

/// dim, layers, heads, hidden, dropout, mixer, reach, window, positions, length: what a ContextEncoder is made by.
Settings encoder_settings();

/// Positions, then an encoder with any mixer: (B, N, dim) -> (B, N, dim), with the mask. With a `token`, a learned
/// vector comes first and the result has N + 1 rows.
struct ContextEncoder : Module {
  bool sinusoidal, fixed_length;
  Size length;
  std::vector<LearnedPositions> learned;  // one or none
  Var token;
  Dropout drop;
  Encoder encoder;
  ContextEncoder(const Settings& s, Rng& rng, bool causal = false, bool with_token = false);
  Var operator()(Var x, Mask key_padding_mask) const;
  /// The next positions x (B, n, dim) of a sequence, the first of which is number `first`; see Encoder::step().
  Var step(Var x, Size first, std::vector<std::any>& states) const;
};

/// pool: how many vectors become one; head: the width of a hidden layer after that, 0 for none.
Settings head_settings();

/// Scores of classes: of each position, (B, N, D) -> (B, N, C), or of their mean, maximum, first or last, -> (B, C).
struct ClassHead : Module {
  Answer answer;
  std::string pool;
  Mlp out;
  ClassHead(const ExampleSet& set, const Settings& s, Rng& rng);
  Var operator()(const Var& x, const Mask& key_padding_mask) const;

 private:
  Var pooled(const Var& x, const Mask& key_padding_mask) const;
};

/// Text and speech: vectors, encoder, classes.
struct Classifier : Module {
  ItemVectors vectors;
  ContextEncoder context;
  ClassHead head;
  Classifier(const ExampleSet& set, const Settings& s, Rng& rng, bool causal = false)
      : vectors(sub("vectors", ItemVectors(set, s.size("dim"), rng))),
        context(sub("context", ContextEncoder(s, rng, causal, s.word("pool") == "token"))),
        head(sub("head", ClassHead(set, s, rng))) {}
  Var operator()(const ExampleBatch& batch) const {
    return head(context(vectors(batch), batch.padding), batch.padding);
  }
};

}  // namespace HEED_NAMESPACE
