// What mixers that cost less than N² learn: the tasks that their pages name. `make test-train` runs those named train.
#include "nn/encoder.hpp"
#include "nn/mixer/linear.hpp"
#include "tests/nn/mixer/tasks.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// Global vote: 64 positions of 3 symbols; each answers the one that stands there most often (in ties the lowest).
Task vote() {
  return {64, 4, 3, 0, false, [](Rng& rng, Size batch) {
            Sample s;
            for (Size b = 0; b < batch; b++) {
              std::vector<int> counts(3, 0);
              for (int i = 0; i < 64; i++) {
                int symbol = below(rng, 3);
                s.first.push_back(1 + symbol);
                counts[static_cast<std::size_t>(symbol)]++;
              }
              auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
              s.targets.insert(s.targets.end(), 64, static_cast<int>(most));
            }
            return s;
          }};
}

const Training recall{.steps = 2500, .feedforward = true};
const Training voting{.steps = 300, .feedforward = true};

/// Byte sentiment, read by an encoder: embeddings, a window of 3 bytes to each side, the mixer, the mean. Without the
/// window full attention does not find the words in 1500 steps (0.59).
struct Reader : Module {
  Embedding bytes;
  Encoder encoder;
  Linear head;
  Reader(const std::string& mixer, Rng& rng)
      : bytes(sub("bytes", Embedding(28, 64, rng, 0))),
        encoder(sub("encoder", Encoder(64, rng, options(mixer)))),
        head(sub("head", Linear(64, 2, rng))) {}
  Var operator()(const Sample& s) const {
    Mask mask = padding_mask(s.lengths, 256);
    Var x = bytes(s.first, {static_cast<Size>(s.targets.size()), 256});
    return head(masked_mean(encoder(x, mask), mask));
  }
  static EncoderOptions options(const std::string& mixer) {
    EncoderOptions o;
    o.layers = mixer == "fnet" ? 2 : 1;  // the mean of one transform's rows is the first position alone
    o.heads = 4, o.hidden = 128, o.window = 3, o.mixer = mixer, o.length = 256;
    return o;
  }
};

double reading(const std::string& mixer, Size steps) {
  Rng rng(1), data(2), test(3);
  Task task = sentiment();
  Reader model(mixer, rng);
  AdamW adam(model.parameters());
  for (Size step = 0; step < steps; step++) {
    Sample s = task.draw(data, 32);
    cross_entropy(model(s), s.targets).backward();
    clip_gradients(model.parameters(), 1);
    adam.lr = warmup_cosine(step, {.base = 3e-3, .warmup = 20, .total = steps, .floor = 0.05});
    adam.step();
  }
  Eval eval;
  int right = 0;
  for (int i = 0; i < 32; i++) {
    Sample s = task.draw(test, 32);
    std::vector<int> best;
    max(model(s).value(), -1, &best);
    for (std::size_t b = 0; b < 32; b++) right += best[b] == s.targets[b];
  }
  if (std::getenv("HEED_SHOW")) std::printf("sentiment %s: %.3f\n", mixer.c_str(), right / 1024.0), std::fflush(stdout);
  return right / 1024.0;
}

/// A language model of one causal layer, which can also write word by word.
struct Writer : Module {
  Embedding words;
  LearnedPositions places;
  LayerNorm norm1, norm2, norm3;
  LinearAttention attention;
  FeedForward feedforward;
  Linear head;
  explicit Writer(Rng& rng)
      : words(sub("words", Embedding(13, 64, rng))),
        places(sub("places", LearnedPositions(32, 64, rng))),
        norm1(sub("norm1", LayerNorm(64))),
        norm2(sub("norm2", LayerNorm(64))),
        norm3(sub("norm3", LayerNorm(64))),
        attention(sub("attention", LinearAttention(64, 4, rng, {.causal = true}))),
        feedforward(sub("feedforward", FeedForward(64, 128, rng))),
        head(sub("head", Linear(64, 13, rng))) {}
  template <class F>
  Var logits(const Var& x, const F& attend) const {
    Var y = x + attend(norm1(x));
    return head(norm3(y + feedforward(norm2(y))));
  }
  Var operator()(const std::vector<int>& ids, Size batch) const {
    Var x = places(words(ids, {batch, static_cast<Size>(ids.size()) / batch}));
    return logits(x, [&](const Var& y) { return attention(y); });
  }
  Var step(const std::vector<int>& ids, Size position, LinearState& state) const {
    Var x = words(ids, {static_cast<Size>(ids.size()), 1}) + slice(places.table, 0, position, position + 1);
    return logits(x, [&](const Var& y) { return attention.step(y, state); });
  }
};

/// 16 of 12 symbols, a separator, the same again: inputs, and what comes next where that can be known.
void copy_task(Rng& rng, Size batch, std::vector<int>& ids, std::vector<int>& targets) {
  ids.clear(), targets.clear();
  for (Size b = 0; b < batch; b++) {
    std::vector<int> row;
    for (int i = 0; i < 16; i++) row.push_back(below(rng, 12));
    ids.insert(ids.end(), row.begin(), row.end());
    ids.push_back(12);
    ids.insert(ids.end(), row.begin(), row.end() - 1);
    targets.insert(targets.end(), 16, -1);
    targets.insert(targets.end(), row.begin(), row.end());
  }
}

}  // namespace

TEST_CASE("train: linear attention recalls pairs, if slowly" * doctest::skip()) {
  CHECK(learned(pair_recall(), "linear", recall) >= 0.98);
}

TEST_CASE("train: random features recall pairs" * doctest::skip()) {
  CHECK(learned(pair_recall(), "rfa:m=32", recall) >= 0.8);
  CHECK(learned(pair_recall(), "performer:m=64", recall) >= 0.9);
}

TEST_CASE("learning (slow): two softmaxes and compressed keys vote") {
  CHECK(learned(vote(), "efficient", voting) >= 0.98);
  CHECK(learned(vote(), "compressed", voting) >= 0.97);
}

TEST_CASE("learning (slow): Linformer tells frequencies apart") {
  CHECK(learned(frequency(), "linformer:rank=16", {.steps = 300, .positions = true, .feedforward = true}) >= 0.95);
}

TEST_CASE("train: causal linear attention copies, and writes the same word by word with a state that does not grow" *
          doctest::skip()) {
  Rng rng(1), data(2), test(3);
  Writer model(rng);
  AdamW adam(model.parameters());
  std::vector<int> ids, targets;
  const Size steps = 1500;
  for (Size step = 0; step < steps; step++) {
    copy_task(data, 32, ids, targets);
    cross_entropy(model(ids, 32), targets).backward();
    clip_gradients(model.parameters(), 1);
    adam.lr = warmup_cosine(step, {.base = 3e-3, .warmup = 50, .total = steps, .floor = 0.05});
    adam.step();
  }
  Eval eval;
  copy_task(test, 64, ids, targets);
  std::vector<int> best, one;
  max(model(ids, 64).value(), -1, &best);
  int right = 0, same = 0;
  LinearState state;
  std::vector<int> now(64);
  for (std::size_t i = 0; i < 32; i++) {
    for (std::size_t b = 0; b < 64; b++) now[b] = i <= 16 ? ids[b * 32 + i] : one[b];  // its own words
    max(model.step(now, static_cast<Size>(i), state).value(), -1, &one);
    for (std::size_t b = 0; b < 64 && i >= 16; b++) {
      right += one[b] == targets[b * 32 + i];
      same += one[b] == best[b * 32 + i];
    }
  }
  if (std::getenv("HEED_SHOW")) std::printf("copy: %.3f, same %.3f\n", right / 1024.0, same / 1024.0);
  CHECK(right >= 0.95 * 1024);
  CHECK(same >= 0.95 * 1024);  // where all that was written before is right, both are equal
}

// Steps and how far below full attention. Linformer with rank 16 stays at 0.65 after 1000 steps: 16 fixed mixtures of
// 256 positions say little about where words stand.
TEST_CASE("train: each reads sentiment from bytes nearly as well as full attention" * doctest::skip()) {
  double full = reading("attention", 300);
  CHECK(full > 0.95);
  struct Reading {
    const char* mixer;
    Size steps;
    double below;
  };
  for (const Reading& r : {Reading{"linear", 300, 0.03},
                           {"efficient", 300, 0.03},
                           {"rfa", 300, 0.03},
                           {"performer", 300, 0.03},
                           {"linformer:rank=64", 1000, 0.03},
                           {"compressed", 600, 0.03},
                           {"longformer:w=8", 300, 0.03},
                           {"local:w=8", 300, 0.03},
                           {"bigbird:block=8", 500, 0.03},
                           {"synthesizer", 600, 0.1},
                           {"synthesizer:logits=dense", 600, 0.06},
                           {"synthesizer:logits=random+dot", 600, 0.03},
                           {"gmlp:hidden=128", 600, 0.03},
                           {"fnet", 600, 0.1}}) {
    CAPTURE(std::string(r.mixer));
    CHECK(reading(r.mixer, r.steps) > full - r.below);
  }
}
