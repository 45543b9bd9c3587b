// Tests of nn/attention/hook.hpp.
#include "nn/attention/hook.hpp"

#include "nn/attention/multihead.hpp"
#include "nn/mixer/features.hpp"
#include "nn/mixer/linear.hpp"
#include "nn/mixer/mixer.hpp"
#include "nn/mixer/reformer.hpp"
#include "nn/mixer/synthesizer.hpp"
#include "nn/mixer/topk.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

// Keeps what passes.
struct Seen : AttentionHook {
  std::vector<Tensor> weights;
  std::vector<std::string> names;
  Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) override {
    weights.push_back(attention_weights(q, k, options));
    names.emplace_back("attention");
    return attention(q, k, v, options);
  }
  void see(const char* mixer, const Tensor& w) override {
    weights.push_back(w);
    names.emplace_back(mixer);
  }
};

// The weights that a layer shows are those it uses: with its values and its last product they give its output.
template <class Layer>
void check_shown(const char* name, const Layer& layer, const Var& x, const Mask& padding) {
  CAPTURE(name);
  Eval eval;
  Tensor plain = layer(x, padding).value(), watched;
  std::vector<Tensor> weights;
  {
    Seen seen;
    watched = layer(x, padding).value();
    weights = seen.weights;
  }
  CHECK(same_bits(plain, watched));
  REQUIRE(weights.size() == 1);
  Tensor again = layer.o(merge_heads(matmul(weights[0], split_heads(layer.v(x), layer.heads)))).value();
  CHECK(close(again, plain, loose));
}

}  // namespace

TEST_CASE("hook: the weights that mixers show are those that they use") {
  Rng rng(3);
  Var x = random(rng, {2, 9, 8});
  std::vector<std::uint8_t> kept(18, 1);
  kept[16] = kept[17] = 0;
  for (const Mask& padding : {Mask(), Mask({2, 9}, kept)}) {
    check_shown("attention", MultiHeadAttention(8, 2, rng), x, padding);
    check_shown("local", MultiHeadAttention(8, 2, rng, {.causal = true, .patterns = {local(2)}}), x, padding);
    check_shown("alibi", MultiHeadAttention(8, 2, rng, {.positions = PositionKind::alibi}), x, padding);
    check_shown("rotary", MultiHeadAttention(8, 2, rng, {.positions = PositionKind::rotary}), x, padding);
    check_shown("topk", TopK(8, 2, rng, {.count = 3}), x, padding);
    check_shown("prune", TopK(8, 2, rng, {.count = 0, .threshold = 0.1}), x, padding);
    check_shown("reformer", Reformer(8, 2, rng, {.buckets = 4, .chunk = 4, .causal = true}), x, padding);
    check_shown("synthesizer", Synthesizer(8, 2, 9, rng, {.parts = {Synthesis::dense}}), x, padding);
    check_shown("linear", LinearAttention(8, 2, rng), x, padding);
    check_shown("linear, causal", LinearAttention(8, 2, rng, {.causal = true, .eps = 0.01}), x, padding);
    check_shown("efficient", EfficientAttention(8, 2, rng), x, padding);
    check_shown("performer", Performer(8, 2, rng), x, padding);
  }
}

TEST_CASE("hook: it sees every attention while it lives and no other, and the one before comes back") {
  Rng rng(4);
  MultiHeadAttention layer(8, 2, rng);
  Var x = random(rng, {1, 5, 8}), memory = random(rng, {1, 7, 8});
  Seen outer;
  layer(x);
  {
    Seen inner;
    layer(x, memory, Mask());
    REQUIRE(inner.weights.size() == 1);
    CHECK(inner.weights[0].shape() == Shape{1, 2, 5, 7});
    CHECK(AttentionHook::current() == &inner);
  }
  CHECK(AttentionHook::current() == &outer);
  CHECK(outer.weights.size() == 1);
  layer(x);
  CHECK(outer.weights.size() == 2);
}

TEST_CASE("hook: what attend() gives is what the layer goes on with, and gradients pass through it") {
  struct Cut : AttentionHook {
    Tensor of_output;
    Var attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) override {
      Var y = attention(q, k, v, options) * Var(array({1, 2, 1, 1}, {0, 1}));  // without head 0
      return op("watch", y.value(), {{y, [this](const Tensor& g) {
                                        of_output = g;
                                        return g;
                                      }}});
    }
  };
  Rng rng(5);
  MultiHeadAttention layer(8, 2, rng);
  Var x = random(rng, {1, 5, 8});
  Cut cut;
  Var y = layer(x);
  sum(y * y).backward();
  CHECK(cut.of_output.shape() == Shape{1, 2, 5, 4});
  Tensor of_values = layer.v.w.grad();  // (8, 8): nothing reaches the columns of head 0
  CHECK(close(of_values.slice(1, 0, 4), Tensor({8, 4}, 0), 0));
  CHECK_FALSE(close(of_values.slice(1, 4, 8), Tensor({8, 4}, 0), 0));
}

TEST_CASE("hook: it is gone after an exception") {
  Rng rng(6);
  MultiHeadAttention layer(8, 2, rng);
  struct Refuse : AttentionHook {
    Var attend(const Var&, const Var&, const Var&, const AttentionOptions&) override { fail("test", "refused"); }
  };
  Var x = random(rng, {1, 5, 8});
  {
    Refuse refuse;
    CHECK_THROWS_AS(layer(x), Error);
    CHECK(AttentionHook::current() == &refuse);
  }
  CHECK(AttentionHook::current() == nullptr);
  layer(x);
}
