// Tests of nn/mixer/mlp_mixer.hpp, gmlp.hpp and fnet.hpp: what PyTorch computes, short and padded inputs, errors.
#include "tests/golden.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

const Golden& golden() {
  static const Golden file("mixers.txt");
  return file;
}

/// The positions [0, n) of a layer for length n, given what a layer for more positions holds.
Tensor corner(const Tensor& w, Size rows, Size columns) { return w.slice(0, 0, rows).slice(1, 0, columns); }

}  // namespace

TEST_CASE("golden: TokenMlp") {
  Rng rng(1);
  TokenMlp layer(4, 5, rng, {.hidden = 3});
  check_golden(golden(), "token_mlp", {"x", "w1", "b1", "w2", "b2"}, [&](const Vars& v) {
    TokenMlp copy = layer;
    copy.in.w = v[1], copy.in.b = v[2], copy.out.w = v[3], copy.out.b = v[4];
    return copy(v[0]);
  });
}

TEST_CASE("golden: gMLP, causal or not") {
  Rng rng(1);
  for (bool causal : {false, true}) {
    Gmlp layer(4, 5, rng, {.hidden = 6, .causal = causal});
    check_golden(golden(), causal ? "gmlp.causal" : "gmlp", {"x", "u", "ub", "gain", "bias", "w", "b", "v", "vb"},
                 [&](const Vars& v) {
                   Gmlp copy = layer;
                   copy.in.w = v[1], copy.in.b = v[2], copy.norm.gain = v[3], copy.norm.bias = v[4];
                   copy.w = v[5], copy.b = v[6], copy.out.w = v[7], copy.out.b = v[8];
                   return copy(v[0]);
                 });
  }
}

TEST_CASE("TokenMlp and gMLP: a shorter sequence is one padded with zeros, and uses the first weights") {
  Rng rng(2);
  Tensor x = random(rng, {2, 3, 4});
  TokenMlp mlp(4, 7, rng);
  randomise(mlp.parameters());
  Tensor longer({2, 7, 4}, 5);
  paste(longer, 1, 0, x);
  Mask mask = padding_mask(std::vector<int>{3, 3}, 7);
  CHECK(close(mlp(x).value(), mlp(longer, mask).value().slice(1, 0, 3)));
  Gmlp gated(4, 7, rng), small(4, 3, rng);
  randomise(gated.parameters());
  for (std::size_t i = 0; i < gated.parameters().size(); i++)
    if (gated.parameters()[i].var.shape() == small.parameters()[i].var.shape())
      Var(small.parameters()[i].var).value() = gated.parameters()[i].var.value();
  small.w.value() = corner(gated.w.value(), 3, 3).compact();
  small.b.value() = gated.b.value().slice(0, 0, 3).compact();
  CHECK(close(gated(x).value(), small(x).value()));
  CHECK(close(gated(x).value(), gated(longer, mask).value().slice(1, 0, 3)));
}

TEST_CASE("fault 37: gMLP for 8 positions takes 3, starts as the identity gate, and names 9 and 8") {
  Rng rng(3);
  Gmlp layer(4, 8, rng);
  layer.w.value() = Tensor({8, 8}, 0);
  Tensor x = random(rng, {1, 3, 4});
  Var z = gelu(layer.in(x));
  CHECK(close(layer(x).value(), layer.out(slice(z, -1, 0, 8)).value()));
  CHECK_THROWS_WITH_AS(layer(Tensor({1, 9, 4}, 1)), "heed: Gmlp: a sequence of 9 positions, but the weights are for 8",
                       Error);
  CHECK_THROWS_WITH_AS(TokenMlp(4, 8, rng)(Tensor({1, 9, 4}, 1)),
                       "heed: TokenMlp: a sequence of 9 positions, but the weights are for 8", Error);
  CHECK_THROWS_WITH_AS(Gmlp(4, 8, rng, {.hidden = 5}), "heed: Gmlp: hidden is split in two and has to be even, got 5",
                       Error);
}

TEST_CASE("gMLP starts as a feed-forward network: positions hardly mix") {
  Rng rng(4);
  Gmlp layer(6, 16, rng);
  for (real w : layer.w.value().to_vector()) CHECK(std::abs(w) <= 1e-3 / 16);
  CHECK(same_bits(layer.b.value(), Tensor({16}, 1)));
  Tensor x = random(rng, {1, 16, 6}), y = layer(x).value();
  paste(x, 1, 15, Tensor({1, 1, 6}, 9));
  CHECK(close(layer(x).value().slice(1, 0, 15), y.slice(1, 0, 15), 0, 2e-3));
}

TEST_CASE("aMLP: the gate is that of gMLP plus one head of attention") {
  Rng rng(5);
  Gmlp layer(6, 9, rng, {.hidden = 8, .attention = 3});
  randomise(layer.parameters());
  std::vector<int> lengths{7, 3};
  Mask mask = padding_mask(lengths, 7);
  auto oracle = [&](const Vars& v) {
    Var z = gelu(layer.in(v[0])), first = slice(z, -1, 0, 4);
    Var rows = masked_fill(layer.norm(slice(z, -1, 4, 8)), mask.reshape({2, 7, 1}), 0);
    Var gate = matmul(Var(corner(layer.w.value(), 7, 7)), rows) + Var(layer.b.value().slice(0, 0, 7).reshape({7, 1}));
    const SelfAttention& a = layer.attention[0];
    gate = gate + layer.project[0](dense_attention(a.q(v[0]), a.k(v[0]), a.v(v[0]), mask.reshape({2, 1, 7})));
    return layer.out(first * gate);
  };
  CHECK(difference([&](const Vars& v) { return layer(v[0], mask); }, oracle, {random(rng, {2, 7, 6})}) <
        same_attention);
}

TEST_CASE("FNet: padded rows are zero, and the padded length counts") {
  Rng rng(6);
  Tensor x = random(rng, {1, 5, 3}), zeroed = x;
  paste(zeroed, 1, 3, Tensor({1, 2, 3}, 0));
  FNet layer;
  CHECK(same_bits(layer(x, padding_mask(std::vector<int>{3}, 5)).value(), fourier_mix(zeroed).value()));
  CHECK_FALSE(close(layer(x.slice(1, 0, 3)).value(), fourier_mix(zeroed).value().slice(1, 0, 3), 1e-3));
  CHECK(layer.parameters().empty());
}
