// Training: steps, resuming, repeating, and stopping when numbers are none.
#include "tests/models/pos.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// A model and its training; `seed` is that of the weights.
struct Run {
  std::vector<Sentence> data;
  PosModel model;
  Dataset set;
  TaggerTrainer trainer;
  explicit Run(Rung rung = Rung::strong, const TrainOptions& options = {.epochs = 3, .batch_tokens = 60, .lr = 5e-3},
               std::uint64_t seed = 1)
      : data(rich_corpus(30, 1)),
        model(Lexicon(data), small(rung), seed),
        set(model.lexicon, data),
        trainer(model, set, options) {}

  Checkpoint checkpoint() {
    Checkpoint c = to_checkpoint(model);
    trainer.save(c);
    return c;
  }
  // Runs `steps` steps at most.
  void steps(int count) {
    while (count > 0 && !trainer.finished()) trainer.run_round([&](const StepResult&) { return --count > 0; });
  }
};

bool equal(const Checkpoint& a, const Checkpoint& b) {
  if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  for (std::size_t i = 0; i < a.tensors.size(); i++)
    if (a.tensors[i].first != b.tensors[i].first || !same_bits(a.tensors[i].second, b.tensors[i].second)) return false;
  return true;
}

}  // namespace

TEST_CASE("trainer, fault 67: a run taken up again, in an epoch or after one, ends with the same bits") {
  for (Rung rung : {Rung::encoder, Rung::strong}) {
    Run straight(rung);
    train(straight.trainer);
    Run counted(rung);
    int per_epoch = 0;
    counted.trainer.run_round([&](const StepResult&) { return ++per_epoch > 0; });
    REQUIRE(per_epoch > 2);
    for (int stop : {1, per_epoch - 1, per_epoch, per_epoch + 2}) {
      CAPTURE(stop);
      Run first(rung);
      first.steps(stop);
      Checkpoint saved = first.checkpoint();
      Run second(rung, {.epochs = 3, .batch_tokens = 60, .lr = 5e-3}, 99);  // other weights, to be replaced
      assign(second.model.tagger.parameters(), saved);
      second.trainer.load(saved);
      CHECK(second.trainer.round() == first.trainer.round());
      train(second.trainer);
      CHECK(equal(second.checkpoint(), straight.checkpoint()));
    }
  }
}

TEST_CASE("trainer: what is no state, or that of other options, is refused") {
  Run run;
  run.steps(2);
  Checkpoint saved = run.checkpoint();
  CHECK_THROWS_AS(run.trainer.load(to_checkpoint(run.model)), Error);
  for (const TrainOptions& other : {TrainOptions{.epochs = 4, .batch_tokens = 60, .lr = 5e-3},
                                    TrainOptions{.seed = 2, .epochs = 3, .batch_tokens = 60, .lr = 5e-3},
                                    TrainOptions{.epochs = 3, .batch_tokens = 61, .lr = 5e-3},
                                    TrainOptions{.epochs = 3, .batch_tokens = 60, .lr = 4e-3}})
    CHECK_THROWS_WITH_AS(Run(Rung::strong, other).trainer.load(saved), doctest::Contains("options of training differ"),
                         Error);
}

TEST_CASE("trainer, fault 105: the same seed gives the same bits, with any number of threads") {
  auto trained = [](int count, std::uint64_t seed) {
    return with_threads(count, [&] {
      Run run(Rung::strong, {.seed = seed, .epochs = 2, .batch_tokens = 60, .lr = 5e-3});
      train(run.trainer);
      return run.checkpoint();
    });
  };
  Checkpoint one = trained(1, 1);
  CHECK(equal(one, trained(1, 1)));
  CHECK(equal(one, trained(2, 1)));
  CHECK_FALSE(equal(one, trained(1, 2)));
}

TEST_CASE("trainer, fault 25: the graph does not outlive a step") {
  Run run;
  std::vector<Size> nodes;
  while (!run.trainer.finished())
    run.trainer.run_round([&](const StepResult&) {
      nodes.push_back(live_nodes());
      return true;
    });
  REQUIRE(nodes.size() > 10);
  for (Size count : nodes) CHECK(count == nodes[0]);
}

TEST_CASE("trainer: every step says what it did, and the loss falls") {
  Run run(Rung::strong, {.epochs = 8, .batch_tokens = 60, .lr = 1e-2});
  Size step = 0, words = 0;
  std::vector<double> losses;
  while (!run.trainer.finished())
    run.trainer.run_round([&](const StepResult& s) {
      CHECK(s.step == ++step);
      CHECK(std::isfinite(s.norm));
      words += s.count;
      losses.push_back(s.loss);
      return true;
    });
  CHECK(words == 8 * static_cast<Size>(run.set.words()));
  CHECK(losses.back() < 0.7 * losses.front());
  CHECK(run.trainer.lr() < 1e-3);  // the schedule has come down
}

TEST_CASE("trainer: the average is swapped in and out") {
  Run run;
  run.steps(3);
  Checkpoint before = to_checkpoint(run.model);
  run.trainer.swap_average();
  CHECK_FALSE(equal(before, to_checkpoint(run.model)));
  run.trainer.swap_average();
  CHECK(equal(before, to_checkpoint(run.model)));
}

TEST_CASE("trainer, fault 13: a loss that is not finite stops training at once and says where") {
  for (const std::string name : {"tags.b", "feats.b", "words.project.w"}) {  // feats: only the auxiliary loss is NaN
    Run run;
    run.steps(2);
    for (const Parameter& p : run.model.tagger.parameters())
      if (p.name == name) Var(p.var).value().mut()[0] = static_cast<real>(not_a_number);
    std::string message;
    try {
      run.steps(5);
    } catch (const TrainingError& error) {
      message = error.what();
    }
    CAPTURE(message);
    for (const std::string part : {"step 3: ", "the loss is NaN", "not finite: ", "sentences: "})
      CHECK(message.find(part) != std::string::npos);
    CHECK(message.find("not finite: " + name + ";") != std::string::npos);
  }
}

TEST_CASE("trainer, fault 91: words without a tag are left out of the loss; a batch of them alone changes nothing") {
  std::vector<Sentence> data{sentence("I_PRON saw_VERB"), sentence("it . it . it . it . it . it . it . it .")};
  PosModel model(Lexicon(data), small(Rung::encoder), 1);
  Dataset set(model.lexicon, data);
  CHECK(set.gold_words() == 2);
  TaggerTrainer trainer(model, set, {.epochs = 3, .batch_tokens = 1});
  while (!trainer.finished())
    trainer.run_round([&](const StepResult& s) {
      CHECK(std::isfinite(s.loss));
      return true;
    });
  for (const Parameter& p : model.tagger.parameters()) CHECK(all_finite(p.var.value()));
  std::vector<Sentence> none{sentence("a b")};
  Dataset untagged(model.lexicon, none);
  CHECK_THROWS_AS(TaggerTrainer(model, untagged, {}), Error);
}
