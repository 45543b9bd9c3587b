// translator.hpp — from one sequence to another, whose length the model decides: RNNs without and with soft attention,
// and the Transformer.
#pragma once

#include "models/classify/classifier.hpp"
#include "nn/attention/additive.hpp"
#include "nn/attention/local_p.hpp"
#include "nn/decoder.hpp"
#include "nn/recurrent.hpp"

namespace HEED_NAMESPACE {

/// What the source says: a vector for each of its positions, which of them are real, and, for RNNs, all in one.
struct Memory {
  Var positions;  // (B, N, D)
  Mask padding;   // (B, N)
  Var whole;      // (B, D)
  /// The entries of some items, in any order and number.
  Memory select(const std::vector<int>& items) const;
};

/// Encoder: two GRUs, one from each end. Decoder: c_t = Σ_j a_tj h_j W, a = softmax over j of w · tanh(s_{t-1} W_s +
/// h_j W_h); s_t = GRU([y_{t-1}; c_t], s_{t-1}); scores from [s_t; c_t]; s_0 = tanh(mean h · W). Bahdanau, Cho, Bengio
/// 2015, arXiv 1409.0473. With local attention c_t comes from a window whose place s_{t-1} predicts. Without attention
/// c_t is always the encoder's last state (Cho et al. 2014, arXiv 1406.1078).
struct RecurrentTranslator : Module {
  ItemVectors source;
  Bidirectional<Gru> encoder;
  Linear start;
  Embedding target;
  std::optional<AdditiveAttention> attention;
  std::optional<LocalPredictedAttention> local;  // in its place
  Gru decoder;
  Linear out;
  RecurrentTranslator(const ExampleSet& set, const Settings& s, Rng& rng);
  Memory encode(const ExampleBatch& batch) const;
  /// Scores of what follows each of the tokens (B, M) -> (B, M, V).
  Var decode(const Memory& memory, const std::vector<int>& tokens, Size length) const;
};

/// Encoder blocks with any mixer; decoder blocks of causal self-attention, attention to the memory, feed-forward.
/// Vaswani et al. 2017, arXiv 1706.03762.
struct TransformerTranslator : Module {
  ItemVectors source;
  ContextEncoder encoder;
  Embedding target;
  Decoder decoder;
  Linear out;
  TransformerTranslator(const ExampleSet& set, const Settings& s, Rng& rng);
  Memory encode(const ExampleBatch& batch) const;
  Var decode(const Memory& memory, const std::vector<int>& tokens, Size length) const;
};

/// Training and translation around either.
struct Translator : Module {
  std::function<Memory(const ExampleBatch&)> encode;
  std::function<Var(const Memory&, const std::vector<int>&, Size)> decode;
  int vocabulary, beam;
  Translator(const ExampleSet& set, const Settings& s, Rng& rng);
  /// Cross entropy of each token given the true ones before it.
  BatchLoss loss(const ExampleBatch& batch, const TrainOptions& options) const;
  /// The model's own tokens, fed back, up to its end sign or twice the source and 10: the best of `beam` at a time by
  /// log probability a token.
  Answers predict(const ExampleBatch& batch) const;
};

Settings translate_settings();

}  // namespace HEED_NAMESPACE
