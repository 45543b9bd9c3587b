// What each mixer has to learn, and what it cannot: the tasks that show what it is for.
#include "nn/mixer/sinkhorn.hpp"
#include "nn/mixer/topk.hpp"
#include "tests/nn/mixer/tasks.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("learning (slow): MLP-Mixer and gMLP reverse a sequence; recall needs attention in the gate") {
  if (is_double) return;
  CHECK(learned(reversal(), "mlp_mixer", {.steps = 300}) >= 0.99);
  CHECK(learned(reversal(), "gmlp", {.steps = 300}) >= 0.99);
  CHECK(learned(pair_recall(), "gmlp", {.steps = 600}) <= 0.6);
  CHECK(learned(pair_recall(), "gmlp:attention=32", {.steps = 600}) >= 0.95);
}

TEST_CASE("learning (slow): FNet tells frequencies apart") {
  if (is_double) return;
  CHECK(learned(frequency(), "fnet", {.steps = 600, .positions = true, .feedforward = true, .post = true}) >= 0.95);
}

TEST_CASE("learning (slow): Synthesizers reverse a sequence; recall by content needs queries and keys") {
  if (is_double) return;
  CHECK(learned(reversal(), "synthesizer", {.steps = 600}) >= 0.999);
  CHECK(learned(reversal(), "synthesizer:logits=factorised_random", {.steps = 600}) >= 0.99);
  CHECK(learned(reversal(), "synthesizer:logits=dense", {.steps = 600, .positions = true}) >= 0.99);
  CHECK(learned(reversal(), "synthesizer:logits=factorised_dense", {.steps = 600, .positions = true}) >= 0.99);
  CHECK(learned(pair_recall(), "synthesizer", {.steps = 600}) <= 0.3);
  CHECK(learned(pair_recall(), "synthesizer:logits=random+dot", {.steps = 600}) >= 0.95);
}

TEST_CASE("learning (slow): the four largest scores recall pairs; pruning trained weights loses nothing") {
  if (is_double) return;
  CHECK(learned(pair_recall(), "topk:k=4") >= 0.99);
  Task task = pair_recall();
  Rng rng(1);
  MixerModel full(task, "attention", {.steps = 300}, rng);
  train(full);
  Rng test(3);
  double accuracy = full.accuracy(test), dropped = 0;
  CHECK(accuracy >= 0.99);
  for (const char* tau : {"0.01", "0.03", "0.1"}) {
    MixerModel pruned(task, std::string("prune:tau=") + tau, full.how, rng);
    REQUIRE(pruned.parameters().size() == full.parameters().size());
    for (std::size_t i = 0; i < full.parameters().size(); i++)
      Var(pruned.parameters()[i].var).value() = full.parameters()[i].var.value();
    test = Rng(3);
    CHECK(pruned.accuracy(test) >= accuracy - 0.005);
    // The share of weights that falls away for the queries that answer.
    Eval eval;
    TopK layer(32, 2, rng, {.count = 0, .threshold = std::stod(tau)});
    for (std::size_t i = 0; i < layer.parameters().size(); i++)
      Var(layer.parameters()[i].var).value() = full.mixers[0].parameters()[i].var.value();
    Var x = full.norms[0](full.inputs(task.draw(test, 64)));
    Var q = slice(split_heads(layer.q(x), 2), 2, 12, 13), k = split_heads(layer.k(x), 2);
    Edges kept = select_edges(q.value(), k.value(), {.scale = real(0.25), .threshold = layer.options.threshold});
    double share = 1 - static_cast<double>(kept.count()) / static_cast<double>(64 * 2 * 13);
    CHECK(share >= dropped);
    dropped = share;
  }
  CHECK(dropped >= 0.7);
}

TEST_CASE("train: Reformer finds the partner's tag, more rounds find more" * doctest::skip()) {
  if (is_double) return;
  Task task = partner();
  Rng rng(1);
  MixerModel model(task, "reformer:buckets=8,chunk=16", {.dim = 64, .steps = 800, .feedforward = true}, rng);
  train(model);
  double before = 0;
  for (const char* rounds : {"1", "2", "8"}) {
    MixerModel same(task, std::string("reformer:buckets=8,chunk=16,eval_rounds=") + rounds, model.how, rng);
    for (std::size_t i = 0; i < model.parameters().size(); i++)
      Var(same.parameters()[i].var).value() = model.parameters()[i].var.value();
    Rng test(3);
    double accuracy = same.accuracy(test);
    CHECK(accuracy >= before);
    before = accuracy;
  }
  CHECK(before >= 0.95);
}

TEST_CASE("train: Routing finds the partner's tag through centres that follow the data" * doctest::skip()) {
  if (is_double) return;
  CHECK(learned(partner(), "routing:clusters=4,w=24,local=1,keep=0.95",
                {.dim = 64, .steps = 800, .feedforward = true}) >= 0.9);
}

TEST_CASE("train: MLP-Mixer sees which shape is in an image" * doctest::skip()) {
  if (is_double) return;
  CHECK(learned(shapes(), "mlp_mixer:hidden=64",
                {.dim = 64, .layers = 3, .steps = 3000, .lr = 1e-3, .feedforward = true}) >= 0.93);
}

// A row of the sorting network comes from its own block alone, so a block can ask for another one by what it holds, as
// here by number, but not for the one that holds something.
TEST_CASE("train: Sinkhorn puts the block that a query names beside the query's own" * doctest::skip()) {
  if (is_double) return;
  Training how{.dim = 64, .layers = 2, .steps = 1500, .lr = 3e-3, .positions = true, .feedforward = true};
  CHECK(learned(needle_block(), "sinkhorn:block=8,noise=no", how) >= 0.9);
  CHECK(learned(needle_block(), "local:w=16", how) <= 0.2);
}
