// Tasks that need the order of a sequence, learned with each kind of positions.
#include <functional>

#include "nn/embedding.hpp"
#include "nn/optim/optimizer.hpp"
#include "nn/optim/schedule.hpp"
#include "tests/nn/positions.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr int symbols = 12;

struct Copier : Module {
  Embedding words;
  std::vector<FloaterPositions> floater;  // one or none, on the input
  bool sinusoidal;
  Encoder encoder;
  Linear head;
  Copier(Rng& rng, const EncoderOptions& options, bool sines, const std::optional<FloaterOptions>& flow)
      : words(sub("words", Embedding(symbols + 1, 32, rng))),
        sinusoidal(sines),
        encoder(sub("encoder", Encoder(32, rng, options))),
        head(sub("head", Linear(32, symbols + 1, rng))) {
    if (flow) floater.push_back(sub("floater", FloaterPositions(32, rng, *flow)));
  }
  Var operator()(const std::vector<int>& ids, const Shape& shape) const {
    Var x = words(ids, shape);
    if (sinusoidal) x = SinusoidalPositions()(x);
    for (const FloaterPositions& layer : floater) x = layer(x);
    return head(encoder(x));
  }
};

struct Batch {
  std::vector<int> ids, targets;
  Shape shape;
};

/// y_i = x_{i-5}; nothing is asked of the first five.
Batch five_back(Rng& rng, Size length) {
  Batch batch{{}, {}, {32, length}};
  for (Size b = 0; b < 32; b++)
    for (Size i = 0; i < length; i++) {
      batch.ids.push_back(1 + static_cast<int>(rng.below(symbols)));
      batch.targets.push_back(i < 5 ? -1 : batch.ids[batch.ids.size() - 6]);
    }
  return batch;
}

double accuracy(const Copier& model, const Batch& batch) {
  Eval eval;
  std::vector<int> best;
  max(model(batch.ids, batch.shape).value(), -1, &best);
  double right = 0, all = 0;
  for (std::size_t i = 0; i < best.size(); i++) {
    if (batch.targets[i] < 0) continue;
    right += best[i] == batch.targets[i];
    all++;
  }
  return right / all;
}

/// Accuracy at the length of training, 24, and at twice that.
std::pair<double, double> learn(int steps, PositionKind kind, bool sinusoidal = false,
                                const std::optional<FloaterOptions>& flow = {},
                                const std::optional<FloaterOptions>& every_layer = {}) {
  Rng rng(1), data(2);
  EncoderOptions options{.layers = 1, .heads = 2, .hidden = 64};
  options.positions = kind, options.floater = every_layer;
  Copier model(rng, options, sinusoidal, flow);
  Adam adam(model.parameters(), {.lr = 3e-3});
  for (int step = 0; step < steps; step++) {
    Batch batch = five_back(data, 24);
    cross_entropy(model(batch.ids, batch.shape), batch.targets).backward();
    adam.lr = warmup_cosine(step, {.base = 3e-3, .warmup = 10, .total = steps, .floor = 0.1});
    adam.step();
  }
  std::pair<double, double> out{accuracy(model, five_back(data, 24)), accuracy(model, five_back(data, 48))};
  MESSAGE("accuracy ", out.first, ", at twice the length ", out.second);
  return out;
}

}  // namespace

TEST_CASE("learning (slow): without positions nothing tells what stood five places back") {
  CHECK(learn(200, PositionKind::none).first < 0.3);
}

TEST_CASE("learning (slow): sinusoidal, rotary and relative positions tell what stood five places back") {
  CHECK(learn(400, PositionKind::none, true).first >= 0.99);
  CHECK(learn(400, PositionKind::rotary).first >= 0.99);
  auto [same, twice] = learn(400, PositionKind::relative);
  CHECK(same >= 0.99);
  CHECK(twice >= 0.95);  // distances mean the same at any length
}

TEST_CASE("learning (slow): FLOATER positions tell what stood five places back, on the input and in the layer") {
  CHECK(learn(500, PositionKind::none, false, FloaterOptions{}).first >= 0.99);
  CHECK(learn(500, PositionKind::none, false, FloaterOptions{.autonomous = true}).first >= 0.99);
  CHECK(learn(500, PositionKind::none, false, FloaterOptions{.residual_sinusoid = true}).first >= 0.99);
  // Learns more slowly; 0.94 to 1 with three seeds.
  CHECK(learn(1000, PositionKind::none, false, {}, FloaterOptions{.residual_sinusoid = true}).first >= 0.9);
}
