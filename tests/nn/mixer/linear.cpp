// Tests of nn/mixer/reorder.hpp and linear.hpp.
#include "nn/mixer/linear.hpp"

#include "tensor/counters.hpp"
#include "tensor/gemm.hpp"
#include "tests/nn/mixer/dense.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Case {
  Size queries, keys, features, width;
  bool causal, divide;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (Size n : {1, 5, 64, 65, 200})
    for (bool causal : {false, true})
      for (bool divide : {true, false}) list.push_back({n, n, 7, 5, causal, divide});
  list.push_back({70, 3, 4, 2, false, true});
  list.push_back({3, 140, 4, 1, false, true});
  list.push_back({130, 130, 100, 3, true, true});
  list.push_back({600, 700, 2, 2, false, true});  // many chunks
  return list;
}

// Logarithms of what is left, and e^(Σ_{j<l<=i} decay_l) at [i, j].
Var decay_factor(const Var& decay) {
  Size n = decay.size(-1);
  Tensor lower({n, n}, 0);
  for (Size i = 0; i < n; i++)
    for (Size j = 0; j <= i; j++) lower.mut()[i * n + j] = 1;
  Shape s = decay.shape();
  Var sums = matmul(Var(lower), reshape(decay, s.insert(3, 1)));  // (B, H, N, 1)
  return exp(masked_fill(sums - transpose(sums), causal_mask(n, n), 0));
}

}  // namespace

TEST_CASE("linear attention: both orders of the product agree, values and gradients, in any layout") {
  Rng rng(1);
  for (const Case& c : cases()) {
    CAPTURE(c.queries);
    CAPTURE(c.causal);
    CAPTURE(c.divide);
    Tensor fq = random(rng, {2, 3, c.queries, c.features}, 0.1, 1),
           fk = random(rng, {2, 3, c.keys, c.features}, 0.1, 1);
    Tensor v = random(rng, {2, 3, c.keys, c.width});
    Mask keep = c.causal ? causal_mask(c.keys, c.keys) : Mask();
    auto fast = [&](const Vars& x) {
      return linear_attention(x[0], x[1], x[2], {.causal = c.causal, .divide = c.divide});
    };
    auto slow = [&](const Vars& x) { return dense_kernel(x[0], x[1], x[2], keep, c.divide); };
    CHECK(difference(fast, slow, {fq, fk, v}) < same_attention);
    for (auto layout : {reversed_layout, sliced_layout})
      CHECK(difference(fast, slow, {layout(fq), layout(fk), layout(v)}) < same_attention);
    auto transposed = [&](const Vars& x) { return fast({transpose(x[0]), transpose(x[1]), transpose(x[2])}); };
    auto copied = [](const Tensor& t) { return t.transpose().compact(); };
    CHECK(difference(transposed,
                     [&](const Vars& x) {
                       return slow({transpose(x[0]), transpose(x[1]), transpose(x[2])});
                     },
                     {copied(fq), copied(fk), copied(v)}) < same_attention);
  }
}

TEST_CASE("linear attention: the two orders differ by rounding alone, and cost what the formulas say") {
  Rng rng(2);
  Size n = 320, d = 8, w = 6;
  Tensor q = random(rng, {1, 1, n, d}), k = random(rng, {1, 1, n, d}), v = random(rng, {1, 1, n, w});
  reset_counters();
  Tensor slow = matmul(matmul(q, k.transpose()), v);
  CHECK(counters().multiply_adds == (d + w) * n * n);
  reset_counters();
  Tensor fast = matmul(q, matmul(k.transpose(), v));
  CHECK(counters().multiply_adds == 2 * d * w * n);
  CHECK(close(fast, slow, tolerance(1e-12, 1e-4)));
  reset_counters();
  Tensor fused = linear_attention(q, k, v, {.divide = false}).value();
  CHECK(close(fused, slow, tolerance(1e-12, 1e-4)));
  CHECK(counters().multiply_adds < 2.1 * static_cast<double>(d * w * n));
  // The crossing: (d + w) n² = 2 d w n at n = 2 d w / (d + w).
  auto direct = [&](double m) { return static_cast<double>(d + w) * m * m; };
  auto turned = [&](double m) { return 2.0 * static_cast<double>(d * w) * m; };
  double crossing = 2.0 * static_cast<double>(d * w) / static_cast<double>(d + w);
  CHECK(direct(crossing - 1) < turned(crossing - 1));
  CHECK(direct(crossing + 1) > turned(crossing + 1));
}

TEST_CASE("linear attention: gradients, with decay, floor and eps") {
  Rng rng(3);
  Tensor fq = random(rng, {2, 2, 6, 3}, 0.1, 1), fk = random(rng, {2, 2, 6, 3}, 0.1, 1), v = random(rng, {2, 2, 6, 2});
  Tensor decay = random(rng, {2, 2, 6}, -1, -0.1);
  for (bool causal : {false, true}) {
    check_gradients([&](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = causal}); }, {fq, fk, v});
    check_gradients(
        [&](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = causal, .eps = real(0.5)}); },
        {fq, fk, v});
    check_gradients(
        [&](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = causal, .divide = false}); },
        {fq, fk, v});
  }
  check_gradients([](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = true, .decay = x[3]}); },
                  {fq, fk, v, decay});
}

TEST_CASE("linear attention: what came before decays, as cells that are multiplied") {
  Rng rng(4);
  for (Size n : {Size(1), Size(9), Size(150)})
    for (bool divide : {true, false}) {
      Tensor fq = random(rng, {1, 2, n, 4}, 0.1, 1), fk = random(rng, {1, 2, n, 4}, 0.1, 1);
      Tensor v = random(rng, {1, 2, n, 3}), decay = random(rng, {1, 2, n}, -2, 0);
      CHECK(difference(
                [&](const Vars& x) {
                  return linear_attention(x[0], x[1], x[2], {.causal = true, .divide = divide, .decay = x[3]});
                },
                [&](const Vars& x) {
                  return dense_kernel(x[0], x[1], x[2], causal_mask(n, n), divide, 0, decay_factor(x[3]));
                },
                {fq, fk, v, decay}) < same_attention);
    }
}

TEST_CASE("linear attention: small denominators are held up without gradient, none gives zeros") {
  Rng rng(5);
  Tensor fq = random(rng, {1, 2, 80, 4}), fk = random(rng, {1, 2, 80, 4}), v = random(rng, {1, 2, 80, 3});
  for (bool causal : {false, true}) {
    Mask keep = causal ? causal_mask(80, 80) : Mask();
    CHECK(difference(
              [&](const Vars& x) { return linear_attention(x[0], x[1], x[2], {.causal = causal, .least = real(0.7)}); },
              [&](const Vars& x) { return dense_kernel(x[0], x[1], x[2], keep, true, real(0.7)); },
              {fq, fk, v}) < same_attention);
    Var k = Var::parameter(Tensor({1, 2, 80, 4}, 0));
    Var y = linear_attention(fq, k, v, {.causal = causal});
    CHECK(same_bits(y.value().compact(), Tensor({1, 2, 80, 3}, 0)));
    y.backward(random(rng, y.shape()));
    CHECK(same_bits(k.grad().compact(), Tensor(k.shape(), 0)));
  }
}

TEST_CASE("linear attention: the same bits with 1, 2 and 3 threads") {
  Rng rng(6);
  Tensor fq = random(rng, {2, 3, 700, 20}, 0.1, 1), fk = random(rng, {2, 3, 700, 20}, 0.1, 1);
  Tensor v = random(rng, {2, 3, 700, 20}), seed = random(rng, {2, 3, 700, 20});
  for (bool causal : {false, true}) {
    auto run = [&] {
      Vars x{Var::parameter(fq), Var::parameter(fk), Var::parameter(v)};
      Var y = linear_attention(x[0], x[1], x[2], {.causal = causal});
      y.backward(seed);
      return std::vector<Tensor>{y.value().compact(), x[0].grad(), x[1].grad(), x[2].grad()};
    };
    std::vector<Tensor> one = with_threads(1, run);
    for (int count : {2, 3}) {
      std::vector<Tensor> more = with_threads(count, run);
      for (std::size_t i = 0; i < one.size(); i++) CHECK(same_bits(one[i].compact(), more[i].compact()));
    }
  }
}

TEST_CASE("linear attention: errors") {
  Tensor x({1, 1, 4, 2}, 1), y({1, 1, 5, 2}, 1);
  auto message = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message([&] { linear_attention(x, x, y); }) ==
        "heed: linear_attention: shapes do not fit: features (1, 1, 4, 2) and (1, 1, 4, 2), values (1, 1, 5, 2)");
  CHECK(message([&] { linear_attention(y, x, x, {.causal = true}); }).find("as many queries as keys") <
        std::string::npos);
  CHECK(message([&] {
          linear_attention(x, x, x, {.decay = Tensor({1, 1, 4}, 0)});
        }).find("only the causal form") < std::string::npos);
  Tensor state;
  CHECK(message([&] { linear_attention(x, x, x, {.causal = true, .state = &state}); }).find("under Eval only") <
        std::string::npos);
  Rng rng(1);
  CHECK(message([&] { LinearAttention(9, 2, rng); }) == "heed: LinearAttention: 2 heads do not divide 9");
  LinearAttention causal(8, 2, rng, {.causal = true}), both(8, 2, rng);
  LinearState none;
  CHECK(message([&] { causal(Tensor({1, 3, 8}, 0), Tensor({1, 3, 8}, 0), {}); }).find("no memory") < std::string::npos);
  CHECK(message([&] { both.step(Tensor({1, 3, 8}, 0), none); }).find("only a causal layer") < std::string::npos);
}

TEST_CASE("LinearAttention: φ = elu + 1 over all cells, padding and causality included") {
  Rng rng(7);
  for (Size n : {Size(1), Size(3), Size(100)})
    for (bool causal : {false, true}) {
      LinearAttention layer(8, 2, rng, {.causal = causal});
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 8}, -2, 2);
      for (const Mask& mask : {Mask(), padding_mask(std::vector<int>{int(n), int(n + 1) / 2}, n)})
        CHECK(difference([&](const Vars& in) { return layer(in[0], mask); },
                         [&](const Vars& in) {
                           return with_heads(layer, in[0], [&](const Var& q, const Var& k, const Var& v) {
                             return dense_kernel(elu(q) + 1, elu(k) + 1, v, cells(mask, 2, n, causal));
                           });
                         },
                         {x}) < same_attention);
    }
}

TEST_CASE("EfficientAttention: softmax over channels and over positions; causal over the positions so far") {
  Rng rng(8);
  for (Size n : {Size(1), Size(3), Size(100)})
    for (bool causal : {false, true}) {
      EfficientAttention layer(8, 2, rng, {.causal = causal});
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 8}, -2, 2);
      for (const Mask& mask : {Mask(), padding_mask(std::vector<int>{int(n), int(n + 1) / 2}, n)})
        CHECK(difference([&](const Vars& in) { return layer(in[0], mask); },
                         [&](const Vars& in) {
                           return with_heads(layer, in[0], [&](const Var& q, const Var& k, const Var& v) {
                             // (B, H, d, N, N): for each channel, the softmax of its keys over what a position may see.
                             Mask keep = cells(mask, 2, n, causal);
                             Shape s = keep.defined() ? keep.shape() : Shape{1, 1, 1, n};
                             Var logits = expand(reshape(transpose(k), {2, 2, 4, 1, n}), {2, 2, 4, n, n});
                             Mask wide = keep.defined() ? keep.reshape({s[0], s[1], 1, s[2], s[3]}) : Mask();
                             Var seen = matmul(softmax(logits, wide), reshape(v, {2, 2, 1, n, 4}));  // (B, H, d, N, dv)
                             return sum(reshape(transpose(softmax(q)), {2, 2, 4, n, 1}) * seen, {2});
                           });
                         },
                         {x}) < same_attention);
    }
}

TEST_CASE("EfficientAttention: keys of ±800 stay finite, causal too") {
  Rng rng(9);
  for (bool causal : {false, true}) {
    EfficientAttention layer(4, 1, rng, {.causal = causal});
    Var x = Var::parameter(random(rng, {1, 70, 4}, -2000, 2000));
    Var y = layer(x);
    CHECK(all_finite(y.value()));
    y.backward(Tensor(y.shape(), 1));
    CHECK(all_finite(x.grad()));
  }
}

TEST_CASE("LinearAttention and EfficientAttention: step by step the same, with a state that does not grow") {
  Rng rng(10);
  Tensor x = random(rng, {2, 150, 8}, -2, 2);
  LinearAttention linear(8, 2, rng, {.causal = true});
  EfficientAttention efficient(8, 2, rng, {.causal = true});
  for (Size chunk : {1, 7, 150}) {
    Eval eval;
    CHECK(close(stepped(linear, x, chunk, LinearState{}), linear(x).value(), loose));
    CHECK(close(stepped(efficient, x, chunk, LinearState{}), efficient(x).value(), loose));
  }
  LinearState state;
  Size after_ten = 0;
  for (int i = 1; i <= 10000; i++) {
    linear.step(x.slice(1, i % 150, i % 150 + 1), state);
    if (i == 10) after_ten = counters().live_bytes;
  }
  CHECK(counters().live_bytes == after_ten);
  CHECK(state.sums.shape() == Shape{2, 2, 4, 5});
  CHECK(all_finite(state.sums));
}
