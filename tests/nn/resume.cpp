// Fault 67: a run that is saved, ended and taken up again gives the same bits as one that was never interrupted.
#include <memory>

#include "nn/checkpoint.hpp"
#include "nn/embedding.hpp"
#include "nn/encoder.hpp"
#include "nn/optim/average.hpp"
#include "nn/optim/schedule.hpp"
#include "tests/nn/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Model : Module {
  Embedding words;
  Encoder encoder;
  Linear head;
  explicit Model(Rng& rng)
      : words(sub("words", Embedding(11, 8, rng, 0))),
        encoder(
            sub("encoder",
                Encoder(8, rng, {.layers = 2, .heads = 2, .hidden = 12, .dropout = 0.2, .attention_dropout = 0.1}))),
        head(sub("head", Linear(8, 3, rng))) {}
};

using Maker = std::function<std::unique_ptr<Optimizer>(const std::vector<Parameter>&)>;

/// Everything that a training run consists of.
struct Run {
  Rng rng;
  Model model;
  std::unique_ptr<Optimizer> optimizer;
  WeightAverage average;
  std::vector<int> order;

  Run(const Maker& make, std::uint64_t seed)
      : rng(seed), model(rng), optimizer(make(model.parameters())), average(model.parameters(), 0.9) {}

  void step() {
    if (order.size() < 4) order = rng.permutation(10);  // shuffled anew when used up, in the middle of the run
    std::vector<int> ids, targets;
    for (int i = 0; i < 4; i++) {
      int item = order.back();
      order.pop_back();
      for (int n = 0; n < 5; n++) {
        ids.push_back((item * 7 + n * n) % 11);
        targets.push_back((item + n) % 3);
      }
    }
    cross_entropy(model.head(model.encoder(model.words(ids, {4, 5}))), targets).backward();
    optimizer->lr = warmup_cosine(optimizer->steps(), {.base = 0.01, .warmup = 3, .total = 10});
    optimizer->step();
    average.update();
  }

  Checkpoint checkpoint() const {
    Checkpoint c{named_values(model.parameters()), {{"rng", std::to_string(rng.state())}}};
    for (int item : order) c.metadata["order"] += static_cast<char>('0' + item);
    for (const auto& part : {optimizer->state(), average.state()})
      c.tensors.insert(c.tensors.end(), part.begin(), part.end());
    return c;
  }
  void restore(const Checkpoint& c) {
    assign(model.parameters(), c);
    optimizer->load_state(c.tensors);
    average.load_state(c.tensors);
    rng.set_state(std::stoull(c.metadata.at("rng")));
    order.clear();
    for (char item : c.metadata.at("order")) order.push_back(item - '0');
  }
};

bool equal(const Checkpoint& a, const Checkpoint& b) {
  bool same = a.metadata == b.metadata && a.tensors.size() == b.tensors.size();
  for (std::size_t i = 0; same && i < a.tensors.size(); i++) {
    INFO(a.tensors[i].first);
    same = a.tensors[i].first == b.tensors[i].first && same_bits(a.tensors[i].second, b.tensors[i].second);
    CHECK(same);
  }
  return same;
}

const std::vector<std::pair<const char*, Maker>> kinds = {
    {"momentum", [](const std::vector<Parameter>& p) { return std::make_unique<Sgd>(p, SgdOptions{.momentum = 0.9}); }},
    {"Adam", [](const std::vector<Parameter>& p) { return std::make_unique<Adam>(p); }},
    {"AdamW", [](const std::vector<Parameter>& p) { return std::make_unique<AdamW>(p); }}};

}  // namespace

TEST_CASE("fault 67: ten steps straight are five, a file, fresh objects and five more") {
  for (const auto& kind : kinds) {
    const char* name = kind.first;
    const Maker& make = kind.second;
    CAPTURE(name);
    Folder folder;
    Run straight(make, 1);
    for (int i = 0; i < 10; i++) straight.step();
    {
      Run first(make, 1);
      for (int i = 0; i < 5; i++) first.step();
      save_checkpoint(folder / "run", first.checkpoint());
    }
    Run second(make, 999);
    second.restore(load_checkpoint(folder / "run"));
    CHECK(second.optimizer->steps() == 5);
    for (int i = 0; i < 5; i++) second.step();
    CHECK(equal(straight.checkpoint(), second.checkpoint()));
    straight.average.swap();
    second.average.swap();
    CHECK(equal(straight.checkpoint(), second.checkpoint()));
  }
}

TEST_CASE("fault 67: each part that is saved matters") {
  for (const auto& kind : kinds) {
    const char* name = kind.first;
    const Maker& make = kind.second;
    Run straight(make, 1);
    for (int i = 0; i < 5; i++) straight.step();
    Checkpoint saved = straight.checkpoint();
    for (int i = 0; i < 5; i++) straight.step();
    for (int without = 0; without < 3; without++) {
      CAPTURE(name);
      CAPTURE(without);
      Run second(make, 999);
      second.restore(saved);
      if (without == 0) second.rng.set_state(5);
      if (without == 1) second.order.clear();
      if (without == 2) second.optimizer = make(second.model.parameters());
      for (int i = 0; i < 5; i++) second.step();
      bool same = true;
      for (std::size_t i = 0; i < second.model.parameters().size(); i++)
        same = same && same_bits(second.model.parameters()[i].var.value(), straight.model.parameters()[i].var.value());
      CHECK_FALSE(same);
    }
  }
}
