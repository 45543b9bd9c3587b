// step.hpp — the training step that is measured: a pre-norm encoder that tags random words, at four sizes.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/optim/optimizer.hpp"
#include "nn/position/learned.hpp"

namespace HEED_NAMESPACE::bench {

constexpr Size vocabulary = 5000, tags = 17;

/// What is measured; `length` words in each of `batch` sentences.
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

/// Word vectors plus positions, the encoder, and one score a tag. Dropout falls where PyTorch's
/// nn.TransformerEncoderLayer puts it: on attention weights, inside the feed-forward network and on both halves.
struct StepModel : Module {
  Embedding words;
  LearnedPositions positions;
  Encoder encoder;
  Linear scores;
  StepModel(const StepSize& size, double dropout, Rng& rng)
      : words(sub("words", Embedding(vocabulary, size.dim, rng))),
        positions(sub("positions", LearnedPositions(size.length, size.dim, rng))),
        encoder(sub("encoder", Encoder(size.dim, rng,
                                       {.layers = size.layers,
                                        .heads = size.heads,
                                        .hidden = size.hidden,
                                        .dropout = dropout,
                                        .attention_dropout = dropout}))),
        scores(sub("scores", Linear(size.dim, tags, rng))) {}
  Var operator()(std::span<const int> ids, const Shape& shape) const {
    return scores(encoder(positions(words(ids, shape))));
  }
};

/// A model, its optimizer and one batch.
struct StepBench {
  StepSize size;
  Rng rng{1};
  StepModel model;
  Adam adam;
  std::vector<int> ids, targets;
  StepBench(const StepSize& step_size, double dropout)
      : size(step_size), model(size, dropout, rng), adam(model.parameters(), {.lr = 1e-4}) {
    for (Size i = 0; i < size.batch * size.length; i++) {
      ids.push_back(static_cast<int>(rng.below(vocabulary)));
      targets.push_back(static_cast<int>(rng.below(tags)));
    }
  }
  StepBench(const StepBench&) = delete;  // the layers point at rng
  StepBench& operator=(const StepBench&) = delete;

  Var loss() const { return cross_entropy(model(ids, {size.batch, size.length}), targets); }
  /// One step; returns the loss before it.
  real step() {
    Var l = loss();
    l.backward();
    adam.step();
    return l.item();
  }
};

}  // namespace HEED_NAMESPACE::bench
