// step.hpp — the work that is measured: models, their optimizers and their batches, by name.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/optim/optimizer.hpp"
#include "nn/position/learned.hpp"
#include "nn/recurrent.hpp"

namespace HEED_NAMESPACE::bench {

constexpr Size vocabulary = 5000, tags = 17;

/// An encoder tagger; `length` words in each of `batch` sentences.
struct StepSize {
  std::string_view name;
  Size dim, heads, layers, hidden, batch, length;
};

constexpr std::array<StepSize, 4> step_sizes{{{"tiny", 64, 4, 2, 128, 32, 24},
                                              {"small", 128, 4, 2, 512, 32, 32},
                                              {"base", 256, 8, 4, 1024, 16, 128},
                                              {"large", 512, 8, 6, 2048, 4, 512}}};

/// Throws Error when there is none of that name.
inline const StepSize& step_size(std::string_view name) {
  const auto* it =
      std::find_if(step_sizes.begin(), step_sizes.end(), [&](const StepSize& s) { return s.name == name; });
  check(it != step_sizes.end(), "bench", "no size \"", name, "\": tiny, small, base or large");
  return *it;
}

/// Random words and the classes to find, (B, N) each; padding has target -1 and is left out by `keep`.
struct Batch {
  Shape shape;
  std::vector<int> ids, targets;
  Mask keep = {};
};

inline Batch random_batch(const std::vector<int>& lengths, Size words, Size classes, Rng& rng) {
  int longest = *std::max_element(lengths.begin(), lengths.end());
  Batch batch{{static_cast<Size>(lengths.size()), longest}, {}, {}};
  bool padded = false;
  for (int length : lengths)
    for (int i = 0; i < longest; i++) {
      batch.ids.push_back(i < length ? static_cast<int>(rng.below(words)) : 0);
      batch.targets.push_back(i < length ? static_cast<int>(rng.below(classes)) : -1);
      padded = padded || i >= length;
    }
  if (padded) batch.keep = padding_mask(lengths, longest);
  return batch;
}

/// Word vectors plus positions, then the encoder. Dropout falls where PyTorch's nn.TransformerEncoderLayer puts it: on
/// attention weights, inside the feed-forward network and on both halves.
struct Body : Module {
  Embedding words;
  LearnedPositions positions;
  Encoder encoder;
  Body(Size word_count, Size dim, Size length, const EncoderOptions& options, Rng& rng)
      : words(sub("words", Embedding(word_count, dim, rng))),
        positions(sub("positions", LearnedPositions(length, dim, rng))),
        encoder(sub("encoder", Encoder(dim, rng, options))) {}
  Var operator()(const Batch& batch) const { return encoder(positions(words(batch.ids, batch.shape)), batch.keep); }
};

/// A body and one score a tag.
struct EncoderTagger : Module {
  Body body;
  Linear scores;
  EncoderTagger(const StepSize& size, double dropout, Rng& rng)
      : body(sub("body", Body(vocabulary, size.dim, size.length,
                              {.layers = size.layers,
                               .heads = size.heads,
                               .hidden = size.hidden,
                               .dropout = dropout,
                               .attention_dropout = dropout},
                              rng))),
        scores(sub("scores", Linear(size.dim, tags, rng))) {}
  Var operator()(const Batch& batch) const { return scores(body(batch)); }
};

/// GPT-2's shape, small: 6 layers, 6 heads, 384 wide; the word vectors are the output's weights too.
struct Gpt : Module {
  static constexpr Size dim = 384, heads = 6, length = 128;
  Body body;
  Gpt(Size word_count, double dropout, Rng& rng)
      : body(sub("body", Body(word_count, dim, length,
                              {.layers = 6,
                               .heads = heads,
                               .activation = Activation::gelu_tanh,
                               .dropout = dropout,
                               .attention_dropout = dropout,
                               .causal = true},
                              rng))) {}
  Var operator()(const Batch& batch) const { return linear(body(batch), transpose(body.words.table)); }
};

struct BiLstmTagger : Module {
  Embedding words;
  Bidirectional<Lstm> lstm;
  Linear scores;
  explicit BiLstmTagger(Rng& rng)
      : words(sub("words", Embedding(vocabulary, 128, rng))),
        lstm(sub("lstm", Bidirectional<Lstm>(128, 128, rng))),
        scores(sub("scores", Linear(256, tags, rng))) {}
  Var operator()(const Batch& batch) const { return scores(lstm(words(batch.ids, batch.shape), batch.keep)); }
};

/// A model with what it is trained on. One pass goes over all batches.
struct Task {
  std::shared_ptr<Rng> rng;  // the layers point at it
  std::vector<Parameter> parameters;
  std::function<Var(const Batch&)> scores;
  std::unique_ptr<Optimizer> optimizer;  // none: scores alone, without gradients
  Size heads = 0;
  std::vector<Batch> batches = {};

  Var loss(const Batch& batch) const { return cross_entropy(scores(batch), batch.targets); }

  /// Returns the loss of the last batch before its step; without an optimizer the first score.
  real pass() const {
    real last = 0;
    for (const Batch& batch : batches) {
      if (!optimizer) {
        Eval eval;
        last = *scores(batch).value().data();
        continue;
      }
      Var l = loss(batch);
      l.backward();
      optimizer->step();
      last = l.item();
    }
    return last;
  }
};

/// Names of the tasks apart from the four sizes, see task().
constexpr std::array<std::string_view, 8> other_tasks{"gpt/5000",    "gpt/50257",    "bilstm/1",   "bilstm/32",
                                                      "tag/small/1", "tag/small/32", "tag/base/1", "tag/base/32"};

template <class Optim, class Model>
Task train(const Model& model, std::shared_ptr<Rng> rng, Size heads) {
  auto optimizer = std::make_unique<Optim>(model.parameters());
  optimizer->lr = 1e-4;
  return {std::move(rng), model.parameters(), model, std::move(optimizer), heads};
}

/// SIZE: a training step of that encoder tagger. gpt/WORDS: one of Gpt, with AdamW. bilstm/BATCH: 32 sentences of 9 to
/// 40 words in batches of so many. tag/SIZE/BATCH: tags of so many sentences of 24 words, without gradients. Throws
/// Error for other names.
inline Task task(const std::string& name, double dropout) {
  auto rng = std::make_shared<Rng>(1);
  auto starts = [&](std::string_view with) { return name.starts_with(with); };
  int last = starts("gpt/") || starts("bilstm/") || starts("tag/") ? std::stoi(name.substr(name.rfind('/') + 1)) : 0;
  if (starts("gpt/")) {
    Task result = train<AdamW>(Gpt(last, dropout, *rng), rng, Gpt::heads);
    result.batches = {random_batch(std::vector<int>(4, Gpt::length), last, last, *rng)};
    return result;
  }
  if (starts("bilstm/")) {
    Task result = train<Adam>(BiLstmTagger(*rng), rng, 0);
    std::vector<int> lengths;  // falling, as packed sequences want them
    for (int length = 40; length > 8; length--) lengths.push_back(length);
    for (auto at = lengths.begin(); at != lengths.end(); at += last)
      result.batches.push_back(random_batch({at, at + last}, vocabulary, tags, *rng));
    return result;
  }
  const StepSize& size = step_size(starts("tag/") ? name.substr(4, name.rfind('/') - 4) : name);
  Task result = train<Adam>(EncoderTagger(size, dropout, *rng), rng, size.heads);
  if (last) result.optimizer.reset();
  std::vector<int> lengths(static_cast<std::size_t>(last ? last : size.batch),
                           last ? 24 : static_cast<int>(size.length));
  result.batches = {random_batch(lengths, vocabulary, tags, *rng)};
  return result;
}

}  // namespace HEED_NAMESPACE::bench
