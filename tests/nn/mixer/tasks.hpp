// tasks.hpp — small generated tasks that only a mixer which does what it says can learn, and a model around the mixer.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "nn/embedding.hpp"
#include "nn/feedforward.hpp"
#include "nn/mixer/mixer.hpp"
#include "nn/norm.hpp"
#include "nn/optim/clip.hpp"
#include "nn/optim/optimizer.hpp"
#include "nn/optim/schedule.hpp"
#include "nn/pooling.hpp"
#include "nn/position/learned.hpp"
#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

/// A batch: one or two symbols a position (0 stands for none), or features; a class for each position, -1 for no
/// answer, or one a sequence.
struct Sample {
  std::vector<int> first, second, targets;
  Tensor features;  // (B, N, F), instead of symbols
  std::vector<int> lengths;
};

struct Task {
  Size length, symbols, classes;
  Size features = 0;  // width, when inputs are numbers
  bool pooled = false;
  std::function<Sample(Rng&, Size batch)> draw;
};

inline int below(Rng& rng, int n) { return static_cast<int>(rng.below(n)); }

/// Pair recall: `pairs` positions emb(key) + emb(value), keys of 32 and values of 16, then one position with a key.
inline Task pair_recall(int pairs = 12) {
  return {pairs + 1, 33, 16, 0, false, [=](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch; b++) {
              std::vector<int> keys = rng.permutation(32), values;
              for (int i = 0; i < pairs; i++) values.push_back(below(rng, 16));
              int asked = below(rng, pairs);
              for (int i = 0; i <= pairs; i++) {
                s.first.push_back(1 + keys[static_cast<std::size_t>(i == pairs ? asked : i)]);
                s.second.push_back(i == pairs ? 0 : 1 + values[static_cast<std::size_t>(i)]);
                s.targets.push_back(i == pairs ? values[static_cast<std::size_t>(asked)] : -1);
              }
            }
            return s;
          }};
}

/// Partner's tag: 32 symbols, each twice in random order, each time with a tag of 8; answer the other one's tag.
inline Task partner() {
  return {64, 33, 8, 0, false, [](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch; b++) {
              std::vector<int> order = rng.permutation(64), tags;
              for (int i = 0; i < 64; i++) tags.push_back(below(rng, 8));
              for (int at : order) {  // `at` and the number next to it, at ^ 1, are partners
                s.first.push_back(1 + at / 2);
                s.second.push_back(1 + tags[static_cast<std::size_t>(at)]);
                s.targets.push_back(tags[static_cast<std::size_t>(at ^ 1)]);
              }
            }
            return s;
          }};
}

/// Fixed permutation: y_i = x_{15-i}, 12 symbols.
inline Task reversal() {
  return {16, 13, 12, 0, false, [](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch; b++) {
              std::vector<int> row;
              for (int i = 0; i < 16; i++) row.push_back(below(rng, 12));
              for (int symbol : row) s.first.push_back(1 + symbol);
              s.targets.insert(s.targets.end(), row.rbegin(), row.rend());
            }
            return s;
          }};
}

/// Frequency: a sine of one of 8 frequencies, any phase, with noise of deviation 0.5; 64 numbers.
inline Task frequency() {
  return {64, 0, 8, 1, true, [](Rng& rng, Size batch) {
            Sample s;
            s.features = rng.normal({batch, 64, 1}, 0.5);
            for (Size b = 0; b < batch; b++) {
              int k = below(rng, 8);
              double phase = 2 * std::numbers::pi * rng.uniform();
              for (Size i = 0; i < 64; i++)
                s.features.mut()[b * 64 + i] += static_cast<real>(
                    std::sin(2 * std::numbers::pi * (2 + 3 * k) * static_cast<double>(i) / 64 + phase));
              s.targets.push_back(k);
            }
            return s;
          }};
}

/// Needle block: 16 blocks of 8; each of the first 15 holds its number and a value among noise, the last position a
/// number.
inline Task needle_block() {
  return {128, 49, 16, 0, false, [](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch; b++) {
              int asked = below(rng, 15), answer = 0;
              for (int block = 0; block < 16; block++) {
                int place = below(rng, 8), value = below(rng, 16);
                if (block == asked) answer = value;
                for (int i = 0; i < 8; i++) {
                  bool query = block == 15 && i == 7, needle = block < 15 && i == place;
                  s.first.push_back(query || needle ? 1 + (query ? asked : block) : 33 + below(rng, 16));
                  s.second.push_back(needle ? 1 + value : 0);
                  s.targets.push_back(query ? answer : -1);
                }
              }
            }
            return s;
          }};
}

/// Shape images: one of 8 shapes anywhere on 16 x 16 x 3, in any colour, 5 to 8 wide, noise 0.2; as 4 x 4 patches.
inline Task shapes() {
  return {16, 0, 8, 48, true, [](Rng& rng, Size batch) {
            Sample s;
            s.features = rng.normal({batch, 16, 48}, 0.2);
            for (Size b = 0; b < batch; b++) {
              int kind = below(rng, 8), size = 5 + below(rng, 4), top = below(rng, 17 - size),
                  left = below(rng, 17 - size);
              std::array<double, 3> colour;
              do
                for (double& c : colour) c = rng.uniform();
              while (colour[0] + colour[1] + colour[2] < 1);
              auto inside = [&](int i, int j) {
                double y = i + 0.5 - size / 2.0, x = j + 0.5 - size / 2.0, r = std::hypot(x, y), half = size / 2.0;
                switch (kind) {
                  case 0:
                    return true;  // square
                  case 1:
                    return r <= half;  // disc
                  case 2:
                    return std::abs(std::abs(x) - std::abs(y)) < 1;  // cross
                  case 3:
                    return std::abs(x) < 1 || std::abs(y) < 1;  // plus
                  case 4:
                    return std::abs(x) <= (i + 1) / 2.0;  // triangle
                  case 5:
                    return j < 2 || i >= size - 2;  // L
                  case 6:
                    return r <= half && r > half - 1.5;  // ring
                  default:
                    return i == size / 2 || i == size / 2 - 1;  // bar
                }
              };
              for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++)
                  if (inside(i, j)) {
                    int y = top + i, x = left + j;
                    for (int c = 0; c < 3; c++)
                      s.features.mut()[((b * 16 + y / 4 * 4 + x / 4) * 16 + y % 4 * 4 + x % 4) * 3 + c] +=
                          static_cast<real>(colour[static_cast<std::size_t>(c)]);
                  }
              s.targets.push_back(kind);
            }
            return s;
          }};
}

/// Byte sentiment: words of a lexicon of 20 good, 20 bad and 60 plain ones, "not" turns the next; bytes, at most 256.
inline Task sentiment() {
  std::vector<std::string> words;
  Rng lexicon(66);
  while (words.size() < 100) {
    std::string word;
    for (int i = 2 + below(lexicon, 4); i > 0; i--) word += static_cast<char>('a' + below(lexicon, 26));
    if (word != "not" && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return {256, 28, 2, 0, true, [words](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch;) {
              std::string text;
              int total = 0;
              for (int i = 10 + below(rng, 31); i > 0; i--) {
                bool carries = below(rng, 4) == 0, turned = carries && below(rng, 10) < 3;
                int word = carries ? below(rng, 40) : 40 + below(rng, 60);
                if (carries) total += (word < 20) == turned ? -1 : 1;
                std::string part = (turned ? "not " : "") + words[static_cast<std::size_t>(word)] + " ";
                if (text.size() + part.size() > 256) {
                  total = 0;  // drawn again
                  break;
                }
                text += part;
              }
              if (std::abs(total) < 2) continue;
              for (std::size_t i = 0; i < 256; i++)
                s.first.push_back(i >= text.size() ? 0 : text[i] == ' ' ? 27 : 1 + text[i] - 'a');
              s.lengths.push_back(static_cast<int>(text.size()));
              s.targets.push_back(total > 0);
              b++;
            }
            return s;
          }};
}

struct Training {
  Size dim = 32, heads = 2, layers = 1, batch = 64, steps = 400;
  double lr = 5e-3;
  bool positions = false;    // learned ones, on the inputs
  bool feedforward = false;  // after each mixer
  bool post = false;         // norms after the sums
};

/// Inputs, blocks of a mixer and perhaps a feed-forward network, a norm and classes.
struct MixerModel : Module {
  const Task& task;
  Training how;
  std::vector<Embedding> symbols;  // two or none
  std::vector<Linear> features;    // one or none
  std::vector<LearnedPositions> positions;
  std::vector<Mixer> mixers;
  std::vector<LayerNorm> norms;
  std::vector<FeedForward> feedforward;
  Linear head;
  MixerModel(const Task& what, const std::string& spec, const Training& training, Rng& rng)
      : task(what), how(training), head(sub("head", Linear(how.dim, task.classes, rng))) {
    if (task.features) features.push_back(sub("features", Linear(task.features, how.dim, rng)));
    for (int i = 0; i < 2 && !task.features; i++)
      symbols.push_back(sub("symbols" + std::to_string(i), Embedding(task.symbols, how.dim, rng, 0)));
    if (how.positions) positions.push_back(sub("positions", LearnedPositions(task.length, how.dim, rng)));
    for (Size i = 0; i < how.layers; i++) {
      std::string name = std::to_string(i);
      mixers.push_back(sub(name, make_mixer(spec, how.dim, rng, {.heads = how.heads, .length = task.length})));
      if (how.feedforward) feedforward.push_back(sub("feedforward" + name, FeedForward(how.dim, 2 * how.dim, rng)));
    }
    for (Size i = 0; i < 2 * how.layers + 1; i++) norms.push_back(sub("norm" + std::to_string(i), LayerNorm(how.dim)));
  }
  /// What the first block gets.
  Var inputs(const Sample& s) const {
    Shape shape{static_cast<Size>(s.targets.size()) / (task.pooled ? 1 : task.length), task.length};
    Var x = task.features ? features[0](s.features) : symbols[0](s.first, shape);
    if (!s.second.empty()) x = x + symbols[1](s.second, shape);
    for (const LearnedPositions& p : positions) x = p(x);
    return x;
  }
  Var operator()(const Sample& s) const {
    Mask mask = s.lengths.empty() ? Mask() : padding_mask(s.lengths, task.length);
    Var x = inputs(s);
    std::size_t norm = 0;
    auto half = [&](const auto& f) {
      const LayerNorm& n = norms[norm++];
      x = how.post ? n(x + f(x)) : x + f(n(x));
    };
    for (std::size_t i = 0; i < mixers.size(); i++) {
      half([&](const Var& y) { return mixers[i](y, mask); });
      if (how.feedforward) half([&](const Var& y) { return feedforward[i](y); });
    }
    x = norms.back()(x);
    return head(task.pooled ? masked_mean(x, mask) : x);
  }
  Var loss(const Sample& s) const { return cross_entropy((*this)(s), s.targets); }
  /// The share of right answers in `count` new sequences.
  double accuracy(Rng& rng, Size count = 512) const {
    Eval eval;
    double right = 0, all = 0;
    for (Size done = 0; done < count; done += how.batch) {
      Sample s = task.draw(rng, how.batch);
      std::vector<int> best;
      max((*this)(s).value(), -1, &best);
      for (std::size_t i = 0; i < best.size(); i++)
        if (s.targets[i] >= 0) all++, right += best[i] == s.targets[i];
    }
    return right / all;
  }
};

inline void train(const MixerModel& model, std::uint64_t seed = 2) {
  Rng data(seed);
  AdamW adam(model.parameters());
  for (Size step = 0; step < model.how.steps; step++) {
    model.loss(model.task.draw(data, model.how.batch)).backward();
    clip_gradients(model.parameters(), 1);
    adam.lr = warmup_cosine(step, {.base = model.how.lr, .warmup = 20, .total = model.how.steps, .floor = 0.05});
    adam.step();
  }
}

/// Accuracy on new sequences after training.
inline double learned(const Task& task, const std::string& spec, const Training& how = {}) {
  Rng rng(1), test(3);
  MixerModel model(task, spec, how, rng);
  train(model);
  double accuracy = model.accuracy(test);
  if (std::getenv("HEED_SHOW")) std::printf("%s: %.3f\n", spec.c_str(), accuracy);
  return accuracy;
}

}  // namespace HEED_NAMESPACE::testing
