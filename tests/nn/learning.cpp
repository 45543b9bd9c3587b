// Small tasks that only a layer which does what it says can learn.
#include <algorithm>

#include "nn/attention/self.hpp"
#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/optim/clip.hpp"
#include "nn/optim/optimizer.hpp"
#include "nn/optim/schedule.hpp"
#include "nn/position/learned.hpp"
#include "nn/position/sinusoidal.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Batch {
  std::vector<int> ids, targets;
  std::vector<int> lengths;
  Shape shape;
};

/// Sequences of 3 to 8 of 12 symbols; the tag says whether the symbol occurs again. Padding has id 0 and no tag.
Batch occurs_again(Rng& rng, Size sequences, int longest = 8) {
  Batch batch;
  batch.shape = {sequences, longest};
  for (Size b = 0; b < sequences; b++) {
    int n = 3 + static_cast<int>(rng.below(longest - 2));
    std::vector<int> row;
    for (int i = 0; i < n; i++) row.push_back(1 + static_cast<int>(rng.below(12)));
    batch.lengths.push_back(n);
    for (int i = 0; i < longest; i++) {
      batch.ids.push_back(i < n ? row[static_cast<std::size_t>(i)] : 0);
      batch.targets.push_back(i < n ? std::count(row.begin(), row.end(), batch.ids.back()) > 1 : -1);
    }
  }
  return batch;
}

struct Tagger : Module {
  Embedding words;
  Encoder encoder;
  Linear head;
  Tagger(Rng& rng, Size dim, const EncoderOptions& options)
      : words(sub("words", Embedding(13, dim, rng, 0))),
        encoder(sub("encoder", Encoder(dim, rng, options))),
        head(sub("head", Linear(dim, 2, rng))) {}
  Var loss(const Batch& batch) const {
    Mask mask = padding_mask(batch.lengths, batch.shape[1]);
    return cross_entropy(head(encoder(words(batch.ids, batch.shape), mask)), batch.targets);
  }
};

std::vector<double> train_tagger(int steps, Size sequences, Size dim, int longest, double dropout) {
  Rng rng(1), data(2);
  Tagger model(rng, dim, {.layers = 2, .heads = 2, .hidden = 2 * dim, .dropout = dropout});
  AdamW adam(model.parameters());
  std::vector<double> losses;
  for (int step = 0; step < steps; step++) {
    Var loss = model.loss(occurs_again(data, sequences, longest));
    losses.push_back(static_cast<double>(loss.item()));
    loss.backward();
    clip_gradients(model.parameters(), 1);
    adam.lr = warmup_cosine(step, {.base = 5e-3, .warmup = 10, .total = steps, .floor = 0.1});
    adam.step();
  }
  Eval eval;
  losses.push_back(static_cast<double>(model.loss(occurs_again(data, 100, longest)).item()));
  return losses;
}

/// Loss on x -> x reversed (6 symbols, 8 places) after training one layer, with `positions` added to the embeddings.
template <class P>
double reversal(const P& positions, const std::vector<Parameter>& more) {
  Rng rng(3);
  Embedding words(6, 32, rng);
  Encoder encoder(32, rng, {.layers = 1, .heads = 2, .hidden = 32});
  Linear head(32, 6, rng);
  std::vector<Parameter> all = more;
  auto add = [&](const char* owner, const Module& module) {
    for (Parameter p : module.parameters()) {
      p.name = std::string(owner) + "." + p.name;
      all.push_back(p);
    }
  };
  add("words", words), add("encoder", encoder), add("head", head);
  Adam adam(all, {.lr = 5e-3});
  double loss = 0;
  for (int step = 0; step < 250; step++) {
    std::vector<int> ids, targets;
    for (int b = 0; b < 32; b++) {
      for (int i = 0; i < 8; i++) ids.push_back(static_cast<int>(rng.below(6)));
      targets.insert(targets.end(), ids.rbegin(), ids.rbegin() + 8);
    }
    Var y = cross_entropy(head(encoder(positions(words(ids, {32, 8})))), targets);
    y.backward();
    adam.step();
    loss = static_cast<double>(y.item());
  }
  return loss;
}

}  // namespace

TEST_CASE("learning (slow): two encoder layers tag symbols that occur again") {
  std::vector<double> losses = train_tagger(600, 32, 16, 8, 0);
  CHECK(losses.front() > 0.5);
  CHECK(losses.back() < 0.2);
}

TEST_CASE("learning: the same losses with 1, 2 and 3 threads, with dropout") {
  auto run = [] { return train_tagger(4, 24, 32, 24, 0.1); };
  std::vector<double> one = with_threads(1, run);
  CHECK(with_threads(2, run) == one);
  CHECK(with_threads(3, run) == one);
  CHECK(with_threads(1, run) == one);
}

TEST_CASE("learning (slow): attention cannot reverse a sequence without positions, with them it can") {
  double without = reversal([](const Var& x) { return x; }, {});
  CHECK(without > 1);  // knowing which symbols there are, but not where
  CHECK(reversal(SinusoidalPositions(), {}) < 0.1);
  Rng rng(4);
  LearnedPositions learned(8, 32, rng);
  CHECK(reversal(learned, learned.parameters()) < 0.1);
}

TEST_CASE("learning (slow): one head of self-attention as the lectures draw it tells ambiguous words apart") {
  // Word 0 is tagged 1 beside a pronoun (1..3) and 2 beside an article (4..6): the word alone cannot say.
  Rng rng(5);
  Embedding words(7, 16, rng);
  SelfAttention attention(16, 16, rng, {.scaled = false});
  Linear head(16, 3, rng), alone(16, 3, rng);
  std::vector<Parameter> all = words.parameters();
  for (const auto& [name, module] :
       {std::pair<const char*, const Module*>{"attention", &attention}, {"head", &head}, {"alone", &alone}})
    for (Parameter p : module->parameters()) {
      p.name = std::string(name) + "." + p.name;
      all.push_back(p);
    }
  Adam adam(all, {.lr = 1e-2});
  double with = 0, without = 0;
  for (int step = 0; step < 150; step++) {
    std::vector<int> ids, targets;
    for (int b = 0; b < 64; b++) {
      int neighbour = 1 + static_cast<int>(rng.below(6));
      ids.insert(ids.end(), {neighbour, 0});
      targets.insert(targets.end(), {0, neighbour <= 3 ? 1 : 2});
    }
    Var x = words(ids, {64, 2});
    Var a = cross_entropy(head(attention(x)), targets), b = cross_entropy(alone(x), targets);
    (a + b).backward();
    adam.step();
    with = static_cast<double>(a.item());
    without = static_cast<double>(b.item());
  }
  CHECK(with < 0.05);
  CHECK(without > 0.25);  // half of log 2 is the least
}
