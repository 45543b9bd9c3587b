// Tests of nn/attention/multihead.hpp: several heads side by side.
#include "nn/attention/multihead.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// Every head on its own from its columns of W and b, joined, times W^o.
Var heads_by_hand(const MultiHeadAttention& m, const Var& x, const Mask& keep) {
  std::vector<Var> outputs;
  Size d = m.head_dim;
  for (Size h = 0; h < m.heads; h++) {
    auto part = [&](const Linear& layer) {
      Var w = slice(layer.w, 1, h * d, (h + 1) * d);
      return linear(x, w, layer.b.defined() ? slice(layer.b, 0, h * d, (h + 1) * d) : Var());
    };
    Var scores = matmul(part(m.q), transpose(part(m.k))) / static_cast<real>(std::sqrt(static_cast<double>(d)));
    outputs.push_back(matmul(softmax(scores, keep), part(m.v)));
  }
  return linear(concat(outputs, -1), m.o.w, m.o.b);
}

void copy_parameters(const Module& from, const Module& to) {
  REQUIRE(from.parameters().size() == to.parameters().size());
  for (std::size_t i = 0; i < from.parameters().size(); i++) {
    Var target = to.parameters()[i].var;
    target.value() = from.parameters()[i].var.value();
  }
}

}  // namespace

TEST_CASE("multi-head: splitting and merging heads; head h owns columns h d to h d + d - 1") {
  Tensor x = iota({2, 3, 8});
  Var heads = split_heads(x, 4);
  CHECK(heads.shape() == Shape{2, 4, 3, 2});
  CHECK(heads.value().shares(x));
  for (Size b = 0; b < 2; b++)
    for (Size h = 0; h < 4; h++)
      for (Size n = 0; n < 3; n++)
        for (Size c = 0; c < 2; c++) CHECK(heads.value().at({b, h, n, c}) == x.at({b, n, h * 2 + c}));
  CHECK(same_bits(merge_heads(heads).value(), x));
}

TEST_CASE("multi-head: the same as separate heads by hand, values and gradients") {
  Rng rng(1);
  Tensor x = random(rng, {3, 5, 12}, -2, 2), seed = random(rng, {3, 5, 12});
  std::vector<int> lengths{5, 2, 4};
  struct Case {
    Size heads;
    MultiHeadOptions options;
  };
  for (const Case& c : {Case{1, {}}, Case{3, {}}, Case{4, {.causal = true}}, Case{5, {.head_dim = 2}},
                        Case{2, {.head_dim = 7, .bias = false}}, Case{12, {.causal = true, .bias = false}}}) {
    CAPTURE(c.heads);
    MultiHeadAttention layer(12, c.heads, rng, c.options);
    randomise(layer.parameters());
    for (const Mask& padding : {Mask(), padding_mask(lengths, 5)}) {
      Mask keep = padding.defined() ? padding.reshape({3, 1, 5}) : Mask();
      if (c.options.causal) keep = keep & causal_mask(5, 5);
      auto run = [&](const std::function<Var(const Var&)>& f) {
        Var leaf = Var::parameter(x);
        Var y = f(leaf);
        y.backward(seed);
        std::vector<Tensor> all{y.value(), leaf.grad()};
        for (Parameter p : layer.parameters()) all.push_back(std::exchange(p.var.grad(), Tensor()));
        return all;
      };
      std::vector<Tensor> a = run([&](const Var& v) { return layer(v, padding); });
      std::vector<Tensor> b = run([&](const Var& v) { return heads_by_hand(layer, v, keep); });
      for (std::size_t i = 0; i < a.size(); i++) CHECK(close(a[i], b[i], tolerance(1e-13, 1e-5)));
    }
    CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
  }
}

TEST_CASE("multi-head: names and sizes of parameters, with and without biases and a head width of its own") {
  Rng rng(2);
  MultiHeadAttention layer(12, 3, rng), bare(12, 3, rng, {.bias = false}), narrow(12, 3, rng, {.head_dim = 2});
  CHECK(layer.head_dim == 4);
  CHECK(layer.parameter_count() == 4 * (12 * 12 + 12));
  CHECK(bare.parameter_count() == 4 * 12 * 12);
  CHECK(narrow.parameter_count() == 3 * (12 * 6 + 6) + 6 * 12 + 12);
  std::vector<std::string> names;
  for (const Parameter& p : layer.parameters()) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"q.w", "q.b", "k.w", "k.b", "v.w", "v.b", "o.w", "o.b"});
  CHECK(bare.parameters().size() == 4);
}

TEST_CASE("multi-head: heads that do not divide the width are refused unless the head width is given") {
  Rng rng(3);
  CHECK_THROWS_WITH_AS(MultiHeadAttention(12, 5, rng),
                       "heed: MultiHeadAttention: 5 heads do not divide 12; give head_dim", Error);
  CHECK_THROWS_AS(MultiHeadAttention(12, 0, rng), Error);
  CHECK_THROWS_AS(MultiHeadAttention(12, -2, rng), Error);
  CHECK_THROWS_AS(MultiHeadAttention(12, 0, rng, {.head_dim = 3}), Error);
  CHECK_THROWS_AS(MultiHeadAttention(12, 3, rng)(Tensor({2, 5, 11}, 0)), Error);
}

TEST_CASE("multi-head: a query that sees nothing gets the bias of W^o alone") {
  Rng rng(4);
  MultiHeadAttention layer(4, 2, rng);
  randomise(layer.parameters());
  std::vector<int> lengths{0};
  Tensor y = layer(random(rng, {1, 3, 4}), padding_mask(lengths, 3)).value();
  CHECK(same_bits(y, layer.o.b.value().reshape({1, 1, 4}).expand({1, 3, 4}).compact()));
}

TEST_CASE("multi-head: alone, a vector is multiplied by W^v and W^o only") {
  Rng rng(5);
  MultiHeadAttention layer(6, 3, rng);
  randomise(layer.parameters());
  Tensor x = random(rng, {2, 1, 6});
  Var y = layer(x);
  CHECK(close(y.value(), layer.o(layer.v(x)).value()));
  y.backward(random(rng, {2, 1, 6}));
  for (const Linear* part : {&layer.q, &layer.k}) {
    CHECK(close(part->w.grad(), Tensor({6, 6}, 0), 0, 1e-30));
    CHECK(close(part->b.grad(), Tensor({6}, 0), 0, 1e-30));
  }
}

TEST_CASE("multi-head: follows permutations of the inputs") {
  Rng rng(6);
  MultiHeadAttention layer(6, 2, rng);
  randomise(layer.parameters());
  Tensor x = random(rng, {1, 5, 6});
  std::vector<int> order{3, 0, 4, 2, 1};
  auto permuted = [&](const Tensor& t) {
    std::vector<Var> rows;
    for (int i : order) rows.push_back(t.slice(1, i, i + 1));
    return concat(rows, 1).value();
  };
  CHECK(close(layer(permuted(x)).value(), permuted(layer(x).value())));
}

TEST_CASE("fault 41: one causal layer at lengths 8, 5 and 12 (multi-head)") {
  Rng rng(7);
  MultiHeadAttention layer(6, 2, rng, {.causal = true});
  for (Size n : {Size(8), Size(5), Size(12)}) {
    MultiHeadAttention fresh(6, 2, rng, {.causal = true});
    copy_parameters(layer, fresh);
    Tensor x = random(rng, {2, n, 6});
    CHECK(same_bits(layer(x).value(), fresh(x).value()));
  }
}

TEST_CASE("fault 63: dropout on attention weights is off under Eval") {
  Rng rng(8);
  MultiHeadAttention layer(8, 2, rng, {.dropout = 0.5}), without(8, 2, rng);
  copy_parameters(layer, without);
  Tensor x = random(rng, {2, 6, 8});
  {
    Eval eval;
    std::uint64_t state = rng.state();
    CHECK(same_bits(layer(x).value(), layer(x).value()));
    CHECK(same_bits(layer(x).value(), without(x).value()));
    CHECK(rng.state() == state);
  }
  CHECK_FALSE(same_bits(layer(x).value(), layer(x).value()));
  auto fixed = [&](const Vars& v) {
    rng.set_state(5);
    return layer(v[0]);
  };
  CHECK(same_bits(fixed({x}).value(), fixed({x}).value()));
  CHECK(layer_gradcheck(fixed, {x}, layer.parameters()) < gradient_tolerance);
  // The mean over patterns is the value without dropout: W^v and W^o are linear in the weights.
  Tensor total({2, 6, 8}, 0);
  for (int run = 0; run < 10000; run++) add_into(total, layer(x).value());
  CHECK(close(map([](real t) { return t / 10000; }, total), without(x).value(), 0.02, 0.02));
}
