// One task, a value by its key among twelve pairs, by the three ways of attending that the lectures name: soft
// attention asked from outside, hard attention that reads one place, and self-attention.
#include "models/classify/classifier.hpp"
#include "models/data/tasks.hpp"
#include "nn/attention/additive.hpp"
#include "nn/attention/hard.hpp"
#include "nn/attention/self.hpp"
#include "nn/optim/optimizer.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr Size width = 32;

// The last position asks, the others are what it may read.
struct Asked {
  Var query, memory;
  std::vector<int> answers;
};

struct Reader : Module {
  ItemVectors vectors;
  Linear out;
  Reader(const ExampleSet& set, Rng& rng)
      : vectors(sub("vectors", ItemVectors(set, width, rng))), out(sub("out", Linear(width, 16, rng))) {}
  Asked ask(const ExampleBatch& batch) const {
    Var x = vectors(batch);
    Asked asked{slice(x, 1, batch.length - 1, batch.length), slice(x, 1, 0, batch.length - 1), {}};
    for (Size b = 0; b < batch.size; b++)
      asked.answers.push_back(batch.targets[static_cast<std::size_t>((b + 1) * batch.length - 1)]);
    return asked;
  }
};

// Trains by `loss(asked)` and returns the share of new items that `read(asked)`, the values that were read, gets right.
template <class Loss, class Read>
double learn(const Reader& reader, std::vector<Parameter> parameters, const ExampleSet& train, Size steps, Loss loss,
             Read read) {
  for (const Parameter& p : reader.parameters()) parameters.push_back(p);
  AdamW adam(parameters, {.lr = 3e-3, .weight_decay = 0});
  Rng order(2);
  for (Size step = 0; step < steps; step++) {
    std::vector<std::size_t> ids;
    for (int i = 0; i < 64; i++) ids.push_back(static_cast<std::size_t>(order.below(Size(train.items.size()))));
    loss(reader.ask(make_batch(train, ids))).backward();
    adam.step();
  }
  Eval eval;
  ExampleSet test = make_task("recall", 500, 1, Split::test);
  std::vector<std::size_t> ids(test.items.size());
  std::iota(ids.begin(), ids.end(), std::size_t(0));
  Asked asked = reader.ask(make_batch(test, ids));
  std::vector<real> scores = reader.out(read(asked)).value().to_vector();
  int right = 0;
  for (std::size_t i = 0; i < ids.size(); i++) {
    auto row = scores.begin() + static_cast<std::ptrdiff_t>(16 * i);
    right += std::max_element(row, row + 16) - row == asked.answers[i];
  }
  return right / 500.0;
}

}  // namespace

TEST_CASE("recall by driver: soft attention from outside, and self-attention") {
  ExampleSet train = make_task("recall", 8000, 1, Split::train);
  Rng rng(1);
  Reader reader(train, rng), other(train, rng);
  AdditiveAttention soft(width, width, width, rng);
  auto read = [&](const Asked& a) { return soft(a.query, a.memory, {}); };
  auto loss = [&](const Asked& a) { return cross_entropy(reader.out(read(a)), a.answers); };
  double cross = learn(reader, soft.parameters(), train, 600, loss, read);
  MESSAGE("soft: " << cross);
  CHECK(cross >= 0.95);
  SelfAttention self(width, width, rng);
  auto read_self = [&](const Asked& a) {
    Var y = self(concat({a.memory, a.query}, 1));
    return slice(y, 1, y.size(1) - 1, y.size(1));
  };
  auto loss_self = [&](const Asked& a) { return cross_entropy(other.out(read_self(a)), a.answers); };
  double within = learn(other, self.parameters(), train, 600, loss_self, read_self);
  MESSAGE("self: " << within);
  CHECK(within >= 0.95);
}

TEST_CASE("recall by driver: hard attention, straight through") {
  ExampleSet train = make_task("recall", 8000, 1, Split::train);
  Rng rng(1);
  Reader reader(train, rng);
  HardAttention hard(width, width, rng);
  double step = 0;
  auto loss = [&](const Asked& a) {
    real temperature = static_cast<real>(std::max(0.3, 1 - step++ / 800));
    return cross_entropy(reader.out(hard.straight_through(a.query, a.memory, {}, temperature)), a.answers);
  };
  auto read = [&](const Asked& a) { return hard.read(a.query, a.memory).y; };
  double right = learn(reader, hard.parameters(), train, 1000, loss, read);
  MESSAGE("straight through: " << right);
  CHECK(right >= 0.95);
}

TEST_CASE("train: recall by driver, hard attention by REINFORCE" * doctest::skip()) {
  ExampleSet train = make_task("recall", 8000, 1, Split::train);
  Rng rng(1);
  Reader reader(train, rng);
  HardAttention hard(width, width, rng);
  Linear baseline(width, 1, rng);
  std::vector<Parameter> parameters = hard.parameters();
  for (Parameter p : baseline.parameters()) {
    p.name = "baseline." + p.name;
    parameters.push_back(p);
  }
  auto loss = [&](const Asked& a) {
    HardRead read = hard.read(a.query, a.memory);
    Var log_p = log_softmax(reshape(reader.out(read.y), {a.query.size(0), 16}));
    Var chance = gather(log_p, a.answers);
    Var guess = reshape(baseline(a.query.value()), {a.query.size(0)});
    return -mean(chance) + reinforce(read, chance.value(), guess);
  };
  auto read = [&](const Asked& a) { return hard.read(a.query, a.memory).y; };
  double right = learn(reader, parameters, train, 6000, loss, read);
  MESSAGE("REINFORCE: " << right);
  CHECK(right >= 0.85);
}
