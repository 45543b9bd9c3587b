// What ends training, what is skipped, and what a long run holds in memory; a model of two numbers is enough.
#include "models/text/commands.hpp"
#include "tensor/counters.hpp"
#include "tests/models/kinds.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// Learns w -> 0 from four items. At step `bad` something goes wrong.
struct Small : Learner {
  enum class Fault { none, loss, gradient, operation, no_answer };
  Var w = Var::parameter(Tensor({2}, {1, 2}));
  mutable Rng draws{1};
  mutable Size step = 0;
  Fault fault;
  Size bad;
  explicit Small(Fault what = Fault::none, Size when = 3) : fault(what), bad(when) {}

  std::vector<Parameter> parameters() const override { return {{"w", w}}; }
  Rng& rng() const override { return draws; }
  std::vector<Group> batches(std::size_t, Rng*) const override { return {{0}, {1}, {2, 3}}; }
  BatchLoss loss(const Group& items, const TrainOptions&) const override {
    Var loss = sum(w * w);
    if (++step == bad) {
      Tensor spoiled({2}, {static_cast<real>(not_a_number), 1});
      if (fault == Fault::loss) loss = loss + Var(Tensor::scalar(static_cast<real>(not_a_number)));
      if (fault == Fault::gradient)
        loss = op("spoil", loss.value(), {{w, [spoiled](const Tensor&) { return spoiled; }}});
      if (fault == Fault::operation) matmul(w, w);
      if (fault == Fault::no_answer) loss = Var(Tensor::scalar(0));
    }
    return {loss, {}, static_cast<Size>(items.size())};
  }
  std::string items_text(const Group& items) const override { return "items: " + std::to_string(items[0] + 1); }
  std::string data_text() const override { return "items 4"; }
  Evaluation evaluate() const override { return {{{"dev loss", 0, ""}}, true, "", "{}"}; }
  Checkpoint checkpoint() const override { return {named_values(parameters()), {}}; }
  std::string headline() const override { return "small"; }
  std::string log_text() const override { return ""; }
  const char* unit() const override { return "items"; }
};

// Runs to the end, or to what stops it: the message.
std::string message_of(Small& learner, Size steps = 12, Size* skipped = nullptr) {
  Trainer trainer(learner, {.lr = 0.01, .average = 0.9, .steps = steps, .evaluate = 6});
  try {
    while (!trainer.finished())
      trainer.run_round([&](const StepResult& s) {
        if (skipped) *skipped += s.skipped;
        return true;
      });
  } catch (const TrainingError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("stops, fault 13: the first loss or gradient that is not finite, with step, parameter and items") {
  Small loss(Small::Fault::loss), gradient(Small::Fault::gradient), operation(Small::Fault::operation), none;
  CHECK(message_of(none).empty());
  CHECK(message_of(loss) == "training stopped at step 3: the loss is NaN; all parameters are finite; items: 3");
  CHECK(message_of(gradient).starts_with("training stopped at step 3: the loss is "));
  Small again(Small::Fault::gradient);
  CHECK(message_of(again).ends_with(" but the gradient of w is not finite; all parameters are finite; items: 3"));
  CHECK(all_finite(again.w.value()));
  std::string refused = message_of(operation);
  CHECK(refused.starts_with("training stopped at step 3: matmul: "));
  CHECK(refused.ends_with("; all parameters are finite; items: 3"));
}

TEST_CASE("stops: a weight that an update made infinite is found before anything is saved") {
  Small learner;
  Trainer trainer(learner, {.lr = 1e39, .average = 0, .steps = 2, .evaluate = 1});
  CHECK_THROWS_WITH_AS(trainer.run_round([](const StepResult&) { return true; }),
                       doctest::Contains("after step 1: parameter w is not finite"), TrainingError);
}

TEST_CASE("stops, fault 71: a batch without an answer is skipped and counted, and changes nothing") {
  Small learner(Small::Fault::no_answer), other;
  Size skipped = 0;
  CHECK(message_of(learner, 6, &skipped).empty());
  CHECK(skipped == 1);
  CHECK(message_of(other, 6).empty());
  CHECK_FALSE(same_bits(learner.w.value(), other.w.value()));
}

namespace {
// Trains; after the first steps, nothing may pile up.
void soak(const Learner& learner, Size steps) {
  Trainer trainer(learner, {.batch_tokens = 16, .lr = 1e-3, .average = 0.9, .steps = steps, .evaluate = steps / 10});
  Size bytes = 0, nodes = 0;
  while (!trainer.finished()) {
    trainer.run_round([&](const StepResult& s) {
      if (s.step == steps / 10) bytes = counters().live_bytes, nodes = live_nodes();
      return true;
    });
    CHECK(counters().live_bytes <= bytes);
    CHECK(live_nodes() <= nodes);
  }
  CHECK(bytes > 0);
}
}  // namespace

TEST_CASE("stops: 100 000 steps hold no more memory at their end than at their start") { soak(Small(), 100000); }
TEST_CASE("train: 100 000 steps of an encoder hold no more memory at their end than at their start" * doctest::skip()) {
  TaskRun run(text_kind(), "vote:4", {{"dim", "8"}, {"heads", "2"}, {"hidden", "8"}, {"layers", "1"}}, 40, 4);
  soak(run.learner, 100000);
}
