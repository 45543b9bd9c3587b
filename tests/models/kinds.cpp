// Every kind of model in a few steps: its loss falls, it comes back from its file the same, and goes on to the bit.
#include "tests/models/kinds.hpp"
#include "models/detect/commands.hpp"
#include "models/glimpse/commands.hpp"
#include "models/graph/commands.hpp"
#include "models/image/commands.hpp"
#include "models/lm/commands.hpp"
#include "models/speech/commands.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "models/words/commands.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Case {
  const ModelKind& kind;
  const char* task;
  Choices choices;
};

std::vector<Case> cases() {
  Choices small{{"dim", "16"}, {"heads", "2"}, {"hidden", "32"}, {"layers", "1"}};
  auto with = [&](Choices more) {
    more.insert(more.begin(), small.begin(), small.end());
    return more;
  };
  return {
      {text_kind(), "sentiment", small},
      {text_kind(), "listops", with({{"pool", "first"}, {"positions", "learned"}})},
      {text_kind(), "vote", with({{"mixer", "linear"}, {"pool", "token"}})},
      {text_kind(), "parity_whole", with({{"mixer", "fnet"}, {"pool", "last"}})},
      {text_kind(), "recall", with({{"window", "0"}, {"mixer", "performer:m=8"}})},
      {speech_kind(), "phones", small},
      {speech_kind(), "frequency", with({{"reach", "0"}, {"mixer", "gmlp"}, {"positions", "none"}, {"pool", "max"}})},
      {image_kind(), "shapes:8", small},
      {image_kind(), "shapes:9", with({{"model", "mlp_mixer"}})},
      {image_kind(), "shapes:8", with({{"model", "gmlp"}})},
      {image_kind(), "shapes:8", with({{"model", "fnet"}})},
      {image_kind(), "shapes:8", {{"model", "cnn"}, {"channels", "8"}}},
      {image_kind(), "shapes:8", {{"model", "sagan"}, {"channels", "8"}}},
      {graph_kind(), "nodes:20", small},
      {graph_kind(), "nodes:20", with({{"model", "gat"}})},
      {graph_kind(), "molecules", small},
      {graph_kind(), "molecules", with({{"model", "set"}})}};
}

TrainOptions few(const ModelKind& kind) {
  TrainOptions o = kind.training;
  o.steps = 12, o.evaluate = 5, o.batch_tokens = 2048, o.lr = 5e-3, o.average = 0;
  return o;
}

}  // namespace

TEST_CASE("kinds: the loss falls in a few steps, and a model comes back from its file with the same answers") {
  for (const Case& c : cases()) {
    CAPTURE(c.kind.name);
    CAPTURE(c.task);
    TaskRun run(c.kind, c.task, c.choices, 60, 20);
    Trainer trainer(run.learner, few(c.kind));
    std::vector<double> losses;
    while (!trainer.finished())
      trainer.run_round([&](const StepResult& s) {
        losses.push_back(s.loss);
        return true;
      });
    REQUIRE(losses.size() == 12);
    CHECK(losses[10] + losses[11] < losses[0] + losses[1]);
    std::unique_ptr<Trained> again = from_checkpoint(c.kind, to_checkpoint(run.trained));
    if (run.trained.model.predict) CHECK(predict(again->model, run.dev) == predict(run.trained.model, run.dev));
    Evaluation a = run.learner.evaluate(), b = evaluate(again->model, run.dev);
    CHECK(a.metrics[0].value == b.metrics[0].value);
    CHECK(a.report == b.report);
    for (const ModelKind* other : {&text_kind(), &image_kind()})
      if (other->name != c.kind.name)
        CHECK_THROWS_WITH_AS(from_checkpoint(*other, to_checkpoint(run.trained)), doctest::Contains("has format"),
                             Error);
  }
}

TEST_CASE("kinds: an answer does not depend on the batch it is asked in") {
  for (const Case& c : cases()) {
    CAPTURE(c.kind.name);
    CAPTURE(c.task);
    TaskRun run(c.kind, c.task, c.choices, 30, 20);
    if (!run.trained.model.predict) continue;
    CHECK(predict(run.trained.model, run.dev, 1) == predict(run.trained.model, run.dev, 100000));
  }
}

TEST_CASE("kinds: a run by steps that is taken up again ends with the same bits") {
  for (Size stop : {3, 5, 7}) {
    CAPTURE(stop);
    auto make = [] {
      return std::make_unique<TaskRun>(
          text_kind(), "listops", Choices{{"dim", "16"}, {"heads", "2"}, {"layers", "1"}, {"dropout", "0.2"}}, 60, 20);
    };
    auto finish = [](Trainer& trainer) {
      while (!trainer.finished()) trainer.run_round([](const StepResult&) { return true; });
    };
    auto straight = make(), first = make(), second = make();
    Trainer whole(straight->learner, few(text_kind()));
    finish(whole);
    Trainer before(first->learner, few(text_kind()));
    while (before.step() < stop && before.run_round([&](const StepResult& s) { return s.step < stop; })) {
    }
    Checkpoint saved = first->learner.checkpoint();
    before.save(saved);
    Trainer after(second->learner, few(text_kind()));
    assign(second->learner.parameters(), saved);
    after.load(saved);
    finish(after);
    CHECK(after.step() == 12);
    std::vector<Parameter> a = straight->learner.parameters(), b = second->learner.parameters();
    for (std::size_t i = 0; i < a.size(); i++) CHECK(same_bits(a[i].var.value(), b[i].var.value()));
  }
}

TEST_CASE("settings: names, values and their bounds") {
  Settings s{whole("dim", 64, 1, 100, ""), share("dropout", 0.1, ""), word("pool", {"mean", "max"}, ""),
             text("mixer", "attention", "")};
  s.set("dim", "8");
  s.set("pool", "max");
  s.set("mixer", "linear");
  s.set("dropout", "0.25");
  CHECK(s.size("dim") == 8);
  CHECK(s.number("dropout") == 0.25);
  CHECK(s.word("pool") == "max");
  CHECK(describe(s) == R"({"dim":8,"dropout":0.25,"pool":"max","mixer":"linear"})");
  for (const auto& bad : {std::pair("dim", "0"),
                          {"dim", "101"},
                          {"dim", "1.5"},
                          {"dim", ""},
                          {"dim", "x"},
                          {"dim", "nan"},
                          {"dropout", "1"},
                          {"dropout", "-0.1"},
                          {"pool", "min"},
                          {"none", "1"}}) {
    CAPTURE(bad.first);
    CAPTURE(bad.second);
    CHECK_THROWS_AS(s.set(bad.first, bad.second), Error);
  }
}
