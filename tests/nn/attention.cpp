// Tests of nn/attention/attention.hpp and self.hpp: one head.
#include "nn/attention/attention.hpp"

#include "nn/attention/self.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// b_i = Σ_j softmax_j(scale q_i · k_j) v_j over the kept j, one vector at a time; q (Nq, d), k (Nk, d), v (Nk, dv).
Tensor vector_by_vector(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Mask& keep = {}) {
  Size rows = q.size(0), keys = k.size(0), width = v.size(1);
  Tensor out({rows, width}, 0);
  for (Size i = 0; i < rows; i++) {
    std::vector<double> weight(static_cast<std::size_t>(keys));
    double largest = -infinity, total = 0;
    auto kept = [&](Size j) { return !keep.defined() || keep[i * keys + j]; };
    for (Size j = 0; j < keys; j++) {
      double& w = weight[static_cast<std::size_t>(j)];
      for (Size c = 0; c < q.size(1); c++) w += static_cast<double>(q.at({i, c})) * static_cast<double>(k.at({j, c}));
      w *= scale;
      if (kept(j)) largest = std::max(largest, w);
    }
    for (Size j = 0; j < keys; j++) {
      double& w = weight[static_cast<std::size_t>(j)];
      total += w = kept(j) ? std::exp(w - largest) : 0;
    }
    for (Size c = 0; c < width && total > 0; c++) {
      double b = 0;
      for (Size j = 0; j < keys; j++)
        b += weight[static_cast<std::size_t>(j)] / total * static_cast<double>(v.at({j, c}));
      out.mut()[i * width + c] = static_cast<real>(b);
    }
  }
  return out;
}

Var attend(const Var& q, const Var& k, const Var& v, real scale, const Mask& mask = {}) {
  return attention(q, k, v, {.scale = scale, .mask = mask});
}

const Tensor nothing({3, 1}, 0);  // q = k = 0: all scores equal

}  // namespace

TEST_CASE("fault 1: a query that sees nothing gets zeros, and no gradient that is not finite") {
  Mask keep({2, 2}, {1, 1, 0, 0});
  Var q = Var::parameter(array({2, 2}, {1, 0, 0, 1})), k = Var::parameter(q.value());
  Var v = Var::parameter(array({2, 2}, {1, 2, 3, 4}));
  Var b = attend(q, k, v, real(0.7071067811865476), keep);
  CHECK(close(b.value(), array({2, 2}, {1.6604769013466862, 2.6604769013466862, 0, 0})));
  b.backward(array({2, 2}, {1, 2, 3, 4}));
  for (const Var& x : {q, k, v}) CHECK(all_finite(x.grad()));
  CHECK(same_bits(q.grad().slice(0, 1, 2), Tensor({1, 2}, 0)));
  CHECK(same_bits(softmax(matmul(q, transpose(k)), keep).value().slice(0, 1, 2), Tensor({1, 2}, 0)));
}

TEST_CASE("fault 45: true in a mask means keep") {
  Tensor zeros({2, 1}, 0), v = array({2, 1}, {1, 3});
  CHECK(close(attend(zeros, zeros, v, 1, Mask({2, 2}, {1, 0, 1, 1})).value(), array({2, 1}, {1, 2})));
}

TEST_CASE("fault 47: padding is not attended") {
  Mask keep = padding_keys("test", Mask({1, 3}, {1, 1, 0}), 1, 3);
  CHECK(keep.shape() == Shape{1, 1, 1, 3});
  Tensor v = array({3, 1}, {1, 3, 1e30});
  Var b = attend(nothing, nothing, v, 1, keep.reshape({1, 3}));
  CHECK(close(b.value(), array({3, 1}, {2, 2, 2})));
}

TEST_CASE("fault 51: a window that lies in the padding gives zeros") {
  Tensor zeros({5, 1}, 0), v = array({5, 1}, {1, 2, 3, 4, 5});
  std::vector<std::uint8_t> near;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) near.push_back(std::abs(i - j) <= 1 && j < 2);
  Var q = Var::parameter(zeros), k = Var::parameter(zeros), x = Var::parameter(v);
  Var b = attend(q, k, x, 1, Mask({5, 5}, near));
  CHECK(close(b.value(), array({5, 1}, {1.5, 1.5, 2, 0, 0})));
  b.backward(Tensor({5, 1}, 1));
  for (const Var& leaf : {q, k, x}) CHECK(all_finite(leaf.grad()));
}

TEST_CASE("attention: a padding mask of another shape is refused") {
  CHECK_FALSE(padding_keys("Layer", {}, 3, 3).defined());
  CHECK_THROWS_WITH_AS(padding_keys("Layer", Mask({1, 2}, {1, 1}), 1, 3),
                       "heed: Layer: expected a key_padding_mask of shape (1, 3), got (1, 2)", Error);
  CHECK_THROWS_AS(padding_keys("Layer", Mask({3}, {1, 1, 1}), 1, 3), Error);
}

TEST_CASE("attention: the matrix form is the loop over vectors, also with other keys than queries; gradients") {
  Rng rng(1);
  Tensor q = random(rng, {4, 3}, -2, 2), k = random(rng, {6, 3}, -2, 2), v = random(rng, {6, 5});
  Mask keep = causal_mask(4, 6);
  for (double scale : {1.0, 0.3}) {
    auto s = static_cast<real>(scale);
    CHECK(close(attend(q, k, v, s).value(), vector_by_vector(q, k, v, scale)));
    CHECK(close(attend(q, k, v, s, keep).value(), vector_by_vector(q, k, v, scale, keep)));
    auto f = [&](const Vars& x) { return attend(x[0], x[1], x[2], s, keep); };
    CHECK(layer_gradcheck(f, {q, k, v}, {}) < gradient_tolerance);
  }
  CHECK_THROWS_WITH_AS(attend(Tensor({0, 3}), k, v, 1),
                       "heed: attention: the sequence is empty: queries (1, 1, 0, 3), keys (1, 1, 6, 3)", Error);
  CHECK_THROWS_AS(attend(q, Tensor({0, 3}), Tensor({0, 5}), 1), Error);
}

TEST_CASE("attention: scores of ±800 choose one key") {
  Tensor q = array({1, 1}, {1}), k = array({3, 1}, {-800, 800, 799}), v = array({3, 1}, {1, 2, 3});
  CHECK(close(attend(q, k, v, 1).value(), array({1, 1}, {2 / (1 + std::exp(-1)) + 3 / (1 + std::exp(1))})));
  Tensor dq = input_gradient([&](const Var& x) { return attend(x, k, v, 1); }, q, Tensor({1, 1}, 1));
  CHECK(all_finite(dq));
}

TEST_CASE("attention: dropout falls on the weights, which are scaled but not made to sum to 1 again") {
  Rng rng(2);
  Tensor q = random(rng, {5, 4}), k = random(rng, {5, 4}), eye({5, 5}, 0);
  for (Size i = 0; i < 5; i++) eye.mut()[i * 6] = 1;
  Tensor all = attend(q, k, eye, 1).value();
  Tensor some = attention(q, k, eye, {.scale = 1, .dropout = 0.25, .rng = &rng}).value();
  int zeros = 0;
  for (Size i = 0; i < 25; i++) {
    zeros += some.data()[i] == 0;
    if (some.data()[i] != 0)
      CHECK(close(static_cast<double>(some.data()[i]), static_cast<double>(all.data()[i]) / 0.75));
  }
  CHECK(zeros > 0);
  CHECK(zeros < 20);
}

TEST_CASE("self-attention: its parameters are exactly W^q, W^k, W^v") {
  Rng rng(3);
  SelfAttention layer(6, 4, rng);
  REQUIRE(layer.parameters().size() == 3);
  const char* names[] = {"q.w", "k.w", "v.w"};
  for (std::size_t i = 0; i < 3; i++) {
    CHECK(layer.parameters()[i].name == names[i]);
    CHECK(layer.parameters()[i].var.shape() == Shape{6, 4});
  }
}

TEST_CASE("self-attention: the loop of the lecture over q_i, k_j, v_j, itself included, with and without 1/√d") {
  Rng rng(4);
  Tensor x = random(rng, {2, 5, 6}, -2, 2);
  for (bool scaled : {false, true})
    for (bool causal : {false, true}) {
      SelfAttention layer(6, 4, rng, {.scaled = scaled, .causal = causal});
      Tensor y = layer(x).value();
      for (Size b = 0; b < 2; b++) {
        Tensor one = x.slice(0, b, b + 1).reshape({5, 6});
        auto times = [&](const Linear& w) { return matmul(one, w.w).value(); };
        Tensor expected = vector_by_vector(times(layer.q), times(layer.k), times(layer.v), scaled ? 0.5 : 1,
                                           causal ? causal_mask(5, 5) : Mask());
        CHECK(close(y.slice(0, b, b + 1).reshape({5, 4}), expected, tolerance(1e-13, 1e-5)));
      }
      CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
    }
}

TEST_CASE("self-attention: alone, a vector gets its own value, and W^q and W^k learn nothing") {
  Rng rng(5);
  SelfAttention layer(4, 4, rng);
  Var x = Var::parameter(random(rng, {3, 1, 4}));
  Var b = layer(x);
  CHECK(same_bits(b.value(), layer.v(x).value()));
  b.backward(random(rng, {3, 1, 4}));
  CHECK(close(layer.q.w.grad(), Tensor({4, 4}, 0), 0, 1e-30));
  CHECK(close(layer.k.w.grad(), Tensor({4, 4}, 0), 0, 1e-30));
  CHECK_FALSE(close(layer.v.w.grad(), Tensor({4, 4}, 0), 0, 1e-3));
}

TEST_CASE("fault 39: the only key has weight exactly 1") {
  Rng rng(6);
  Tensor q = random(rng, {2, 1, 3}, -50, 50), k = random(rng, {2, 1, 3}, -50, 50);
  CHECK(same_bits(attend(q, k, Tensor({2, 1, 1}, 1), 1).value(), Tensor({2, 1, 1}, 1)));
  Mask last({1, 3}, {0, 0, 1});
  Tensor scores = random(rng, {4, 3}, -9, 9);
  CHECK(same_bits(softmax(scores, last).value().slice(1, 2, 3), Tensor({4, 1}, 1)));
}

TEST_CASE("self-attention: without positions the outputs follow any permutation of the inputs") {
  Rng rng(7);
  SelfAttention layer(6, 4, rng), causal(6, 4, rng, {.causal = true});
  Tensor x = random(rng, {1, 7, 6}), shuffled = x;
  std::vector<int> order = rng.permutation(7);
  auto permuted = [&](const Tensor& t) {
    std::vector<Var> rows;
    for (int i : order) rows.push_back(t.slice(1, i, i + 1));
    return concat(rows, 1).value();
  };
  CHECK(close(layer(permuted(x)).value(), permuted(layer(x).value())));
  CHECK_FALSE(close(causal(permuted(x)).value(), permuted(causal(x).value()), 1e-3));
}

TEST_CASE("self-attention: without the scale the weights sharpen as d grows, with it they do not") {
  Rng rng(8);
  auto entropy = [&](Size d, bool scaled) {
    Tensor q = rng.normal({64, d}, 1), k = rng.normal({64, d}, 1);
    auto scale = static_cast<real>(scaled ? 1 / std::sqrt(static_cast<double>(d)) : 1);
    double total = 0;
    for (real w : softmax(matmul(q, transpose(Var(k))), {}, scale).value().to_vector())
      if (w > 0) total -= static_cast<double>(w) * std::log(static_cast<double>(w));
    return total / 64;
  };
  CHECK(entropy(4, false) > entropy(16, false) + 0.5);
  CHECK(entropy(16, false) > entropy(64, false) + 0.5);
  for (Size d : {Size(4), Size(16), Size(64), Size(256)}) CHECK(std::abs(entropy(d, true) - 3.7) < 0.2);
}

TEST_CASE("fault 41: one causal layer at lengths 8, 5 and 12") {
  Rng rng(9);
  SelfAttention layer(6, 4, rng, {.causal = true});
  for (Size n : {Size(8), Size(5), Size(12)}) {
    SelfAttention fresh(6, 4, rng, {.causal = true});
    for (std::size_t i = 0; i < 3; i++) {
      Var to = fresh.parameters()[i].var;
      to.value() = layer.parameters()[i].var.value();
    }
    Tensor x = random(rng, {2, n, 6});
    CHECK(same_bits(layer(x).value(), fresh(x).value()));
  }
}
