// Tests of nn/encoder.hpp: attention and feed-forward in turn, where the norms stand, and the stack.
#include "nn/encoder.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

EncoderOptions small(NormPlace place, double dropout = 0, double attention_dropout = 0) {
  EncoderOptions options;
  options.layers = 2, options.heads = 2, options.hidden = 10, options.norm = place;
  options.dropout = dropout, options.attention_dropout = attention_dropout;
  return options;
}
constexpr NormPlace places[] = {NormPlace::pre, NormPlace::post, NormPlace::plain};

}  // namespace

TEST_CASE("encoder: the three orders of norm, attention, feed-forward and residual") {
  Rng rng(1);
  Tensor x = random(rng, {2, 5, 8}, -2, 2);
  std::vector<int> lengths{5, 3};
  Mask mask = padding_mask(lengths, 5);
  for (NormPlace place : places) {
    CAPTURE(static_cast<int>(place));
    EncoderBlock b(8, rng, small(place));
    randomise(b.parameters());
    Var expected;
    if (place == NormPlace::pre) {
      Var y = Var(x) + b.attention[0](b.norm1(x), mask);
      expected = y + b.feedforward(b.norm2(y));
    } else if (place == NormPlace::post) {
      Var y = b.norm1(Var(x) + b.attention[0](x, mask));
      expected = b.norm2(y + b.feedforward(y));
    } else {
      expected = b.feedforward(b.attention[0](x, mask));
    }
    CHECK(same_bits(b(x, mask).value(), expected.value()));
  }
}

TEST_CASE("encoder: a stack runs its blocks in order and, with norms before, ends with one") {
  Rng rng(2);
  Tensor x = random(rng, {2, 4, 8});
  for (NormPlace place : places) {
    Encoder encoder(8, rng, small(place));
    randomise(encoder.parameters());
    REQUIRE(encoder.blocks.size() == 2);
    Var y = encoder.blocks[1](encoder.blocks[0](x));
    CHECK(encoder.last.size() == (place == NormPlace::pre ? 1 : 0));
    if (place == NormPlace::pre) y = encoder.last[0](y);
    CHECK(same_bits(encoder(x).value(), y.value()));
  }
}

TEST_CASE("encoder: names, counts and defaults of the parameters") {
  Rng rng(3);
  Size attention = 4 * (8 * 8 + 8), norm = 2 * 8, wide = 2 * 8 * 32 + 32 + 8;
  CHECK(Encoder(8, rng).parameter_count() == 2 * (attention + wide + 2 * norm) + norm);
  CHECK(Encoder(8, rng, small(NormPlace::post)).parameter_count() == 2 * (attention + 2 * 80 + 18 + 2 * norm));
  CHECK(Encoder(8, rng, small(NormPlace::plain)).parameter_count() == 2 * (attention + 2 * 80 + 18));
  Encoder encoder(8, rng);
  std::vector<std::string> names;
  for (const Parameter& p : encoder.parameters()) {
    names.push_back(p.name);
    CHECK(p.decay == (p.var.rank() == 2));
  }
  REQUIRE(names.size() == 34);
  for (const char* name : {"0.norm1.gain", "0.attention.q.w", "1.attention.o.b", "1.norm2.bias", "0.feedforward.in.w",
                           "1.feedforward.out.b", "norm.gain", "norm.bias"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  CHECK(encoder.blocks[0].feedforward.activation == Activation::gelu);
}

TEST_CASE("encoder: both dropouts, with a fixed generator: gradients") {
  Rng rng(4);
  Tensor x = random(rng, {2, 4, 8}, -2, 2);
  std::vector<int> lengths{4, 2};
  Mask mask = padding_mask(lengths, 4);
  for (NormPlace place : places) {
    CAPTURE(static_cast<int>(place));
    EncoderBlock block(8, rng, small(place, 0.2, 0.3));
    randomise(block.parameters());
    auto fixed = [&](const Vars& v) {
      rng.set_state(11);
      return block(v[0], mask);
    };
    CHECK(layer_gradcheck(fixed, {x}, block.parameters()) < 2 * gradient_tolerance);
  }
}

TEST_CASE("fault 63: in an encoder every rate is on in training and off under Eval") {
  Rng rng(5);
  Tensor x = random(rng, {2, 4, 8});
  for (NormPlace place : places)
    for (bool on_weights : {false, true}) {
      double rate = on_weights ? 0 : 0.5, weights = on_weights ? 0.5 : 0;
      Encoder with(8, rng, small(place, rate, weights)), without(8, rng, small(place));
      for (std::size_t i = 0; i < with.parameters().size(); i++) {
        Var to = without.parameters()[i].var;
        to.value() = with.parameters()[i].var.value();
      }
      CHECK_FALSE(same_bits(with(x).value(), with(x).value()));
      Eval eval;
      std::uint64_t state = rng.state();
      CHECK(same_bits(with(x).value(), with(x).value()));
      CHECK(same_bits(with(x).value(), without(x).value()));
      CHECK(rng.state() == state);
    }
}

TEST_CASE("encoder: dropout falls on both halves before the residual") {
  Rng rng(6);
  EncoderBlock block(64, rng, small(NormPlace::pre, 0.5));
  Var w = block.feedforward.out.w, b = block.feedforward.out.b;
  w.value() = Tensor(w.shape(), 0);
  b.value() = Tensor(b.shape(), 0);
  auto untouched = [&](const Tensor& x) {  // elements that only the residual reached
    Tensor y = block(x).value();
    int same = 0;
    for (Size i = 0; i < x.numel(); i++) same += x.data()[i] == y.data()[i];
    return same;
  };
  Tensor x = random(rng, {1, 4, 64});
  int by_attention = untouched(x);
  CHECK(by_attention > 90);
  CHECK(by_attention < 166);
  w.value() = random(rng, w.shape());
  b.value() = random(rng, b.shape());
  Var o = block.attention[0].o.w;
  o.value() = Tensor(o.shape(), 0);
  int by_feedforward = untouched(x);
  CHECK(by_feedforward > 90);
  CHECK(by_feedforward < 166);
}

TEST_CASE("encoder: a window gives neighbours directly, and only before the attention of pre-norm") {
  Rng rng(7);
  EncoderOptions options = small(NormPlace::pre);
  options.window = 1;
  EncoderBlock b(8, rng, options);
  randomise(b.parameters());
  Tensor x = random(rng, {2, 4, 8});
  std::vector<int> lengths{4, 2};
  Mask mask = padding_mask(lengths, 4);
  Var y = Var(x) + gelu(b.local[0](b.norm0[0](x), mask));
  y = y + b.attention[0](b.norm1(y), mask);
  y = y + b.feedforward(b.norm2(y));
  CHECK(same_bits(b(x, mask).value(), y.value()));
  CHECK(b.parameter_count() == EncoderBlock(8, rng, small(NormPlace::pre)).parameter_count() + 16 + 3 * 64 + 8);
  options.norm = NormPlace::post;
  CHECK_THROWS_AS(EncoderBlock(8, rng, options), Error);
}

TEST_CASE("encoder: causal with a window that looks ahead is refused, or looks back only") {
  Rng rng(8);
  EncoderOptions options = small(NormPlace::pre);
  options.window = 1;
  options.causal = true;
  Tensor x = random(rng, {1, 4, 8}), other = x;
  for (Size i = 24; i < 32; i++) other.mut()[i] = 5;
  bool refused = false;
  try {
    Encoder encoder(8, rng, options);
    CHECK(same_bits(encoder(x).value().slice(1, 0, 3), encoder(other).value().slice(1, 0, 3)));
  } catch (const Error&) {
    refused = true;
  }
  CAPTURE(refused);
}

TEST_CASE("fault 41: one causal encoder at lengths 8, 5 and 12") {
  Rng rng(9);
  EncoderOptions options = small(NormPlace::pre);
  options.causal = true;
  Encoder encoder(8, rng, options);
  for (Size n : {Size(8), Size(5), Size(12)}) {
    Encoder fresh(8, rng, options);
    for (std::size_t i = 0; i < encoder.parameters().size(); i++) {
      Var to = fresh.parameters()[i].var;
      to.value() = encoder.parameters()[i].var.value();
    }
    Tensor x = random(rng, {2, n, 8});
    CHECK(same_bits(encoder(x).value(), fresh(x).value()));
  }
}

TEST_CASE("fault 47: a sentence of 5 alone and beside one of 30") {
  Rng rng(10);
  for (NormPlace place : places) {
    Encoder encoder(8, rng, small(place));
    randomise(encoder.parameters());
    Tensor x = random(rng, {2, 30, 8});
    std::vector<int> lengths{5, 30};
    Tensor batch = encoder(x, padding_mask(lengths, 30)).value().slice(0, 0, 1).slice(1, 0, 5);
    CHECK(close(batch, encoder(x.slice(0, 0, 1).slice(1, 0, 5)).value(), 1e-5));
  }
}

TEST_CASE("encoder: any mixer in place of the attention, with its options, under names of its own") {
  Rng rng(31);
  Tensor x = random(rng, {2, 5, 8}, -2, 2);
  Mask mask = padding_mask(std::vector<int>{5, 3}, 5);
  for (const MixerKind& kind : mixer_kinds()) {
    CAPTURE(kind.name);
    EncoderOptions options = small(NormPlace::pre);
    options.mixer = kind.name, options.length = 9;
    EncoderBlock b(8, rng, options);
    CHECK(b.attention.empty());
    Eval eval;
    Var y = Var(x) + b.mixer[0](b.norm1(x), mask);
    CHECK(same_bits(b(x, mask).value(), (y + b.feedforward(b.norm2(y))).value()));
  }
  EncoderOptions options = small(NormPlace::post);
  options.mixer = "linformer:rank=3", options.length = 9;
  Encoder encoder(8, rng, options);
  auto has = [&](const char* name) {
    const auto& all = encoder.parameters();
    return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
  };
  CHECK(has("1.mixer.e"));
  CHECK_FALSE(has("1.attention.q.w"));
  CHECK_THROWS_WITH_AS(encoder(Tensor({1, 10, 8}, 0)), doctest::Contains("at most 9"), Error);
  options.causal = true;
  CHECK_THROWS_WITH_AS(Encoder(8, rng, options), doctest::Contains("linformer cannot be causal"), Error);
  options.causal = false, options.positions = PositionKind::rotary;
  CHECK_THROWS_WITH_AS(Encoder(8, rng, options), doctest::Contains("positions"), Error);
}
