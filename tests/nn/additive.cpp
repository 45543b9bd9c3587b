// Tests of nn/attention/additive.hpp, and of weights by ReLU.
#include "nn/attention/additive.hpp"

#include "tests/golden.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// w·tanh(q_i + k_j) with an array of all tanhs: (B, Nq, a), (B, Nk, a) -> (B, Nq, Nk).
Var all_scores(const AdditiveAttention& layer, const Var& x, const Var& memory) {
  Var q = layer.q(x), k = layer.k(memory);
  q = reshape(q, {q.size(0), q.size(1), 1, q.size(2)}), k = reshape(k, {k.size(0), 1, k.size(1), k.size(2)});
  return sum(tanh(q + k) * layer.w, {-1});
}

/// max(s, 0) over the kept cells, divided by their number when `over_n`.
Var relu_weights(const Var& scores, const Mask& keep, bool over_n) {
  Var kept = masked_fill(relu(scores), keep, 0);
  if (!over_n) return kept;
  Tensor count = sum(masked_fill(Tensor(scores.shape(), 1), keep, 0), {-1}, true).value();
  return kept / map([](real n) { return n > 0 ? n : 1; }, count);
}

std::vector<Tensor> run(const LayerFunction& f, const std::vector<Tensor>& inputs,
                        const std::vector<Parameter>& parameters, const Tensor& seed) {
  Vars leaves;
  for (const Tensor& x : inputs) leaves.push_back(Var::parameter(x));
  Var y = f(leaves);
  y.backward(seed);
  std::vector<Tensor> out{y.value()};
  for (const Var& leaf : leaves) out.push_back(leaf.grad());
  for (Parameter p : parameters) out.push_back(std::exchange(p.var.grad(), Tensor()));
  return out;
}

void check_all(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tol) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); i++) {
    CAPTURE(i);
    CHECK(close(a[i], b[i], tol));
  }
}

}  // namespace

TEST_CASE("additive: the plain composition, values and gradients, to itself and to a memory, with masks") {
  Rng rng(1);
  std::vector<int> lengths{9, 4};
  for (Size n : {Size(1), Size(5), Size(9)})
    for (bool masked : {false, true})
      for (bool causal : {false, true}) {
        AdditiveAttention layer(6, 5, 4, rng, {.causal = causal});
        randomise(layer.parameters());
        Tensor x = random(rng, {2, n, 6}), memory = random(rng, {2, 9, 6}), seed = random(rng, {2, n, 4});
        Mask padding = masked ? padding_mask(lengths, 9) : Mask(), keep;
        if (masked) keep = padding.reshape({2, 1, 9});
        if (causal) keep = keep.defined() ? keep & causal_mask(n, 9) : causal_mask(n, 9);
        check_all(
            run([&](const Vars& v) { return layer(v[0], v[1], padding); }, {x, memory}, layer.parameters(), seed),
            run([&](const Vars& v) { return matmul(softmax(all_scores(layer, v[0], v[1]), keep), layer.v(v[1])); },
                {x, memory}, layer.parameters(), seed),
            tolerance(1e-12, 1e-4));
      }
}

TEST_CASE("additive: gradients of inputs and of W^q, W^k, w and W^v") {
  Rng rng(2);
  AdditiveAttention layer(4, 3, 5, rng);
  randomise(layer.parameters());
  std::vector<Tensor> inputs{random(rng, {2, 4, 4}), random(rng, {2, 6, 4})};
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0], v[1], {}); }, inputs, layer.parameters()) <
        gradient_tolerance);
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {inputs[0]}, layer.parameters()) <
        gradient_tolerance);
}

TEST_CASE("additive: its parameters, their start and errors") {
  Rng rng(3);
  AdditiveAttention layer(6, 50, 4, rng);
  std::vector<std::string> names;
  for (const Parameter& p : layer.parameters()) {
    names.push_back(p.name);
    CHECK(p.decay);
  }
  CHECK(names == std::vector<std::string>{"q.w", "k.w", "w", "v.w"});
  CHECK(layer.parameter_count() == 2 * 6 * 50 + 50 + 6 * 4);
  double bound = std::sqrt(6.0 / 51);
  for (real w : layer.w.value().to_vector()) CHECK(std::abs(static_cast<double>(w)) <= bound);
  CHECK_THROWS_WITH_AS(layer(Tensor({2, 0, 6})),
                       "heed: AdditiveAttention: expected (B, N, D) with N > 0, got (2, 0, 6) and (2, 0, 6)", Error);
  CHECK_THROWS_AS(layer(Tensor({2, 3, 6}, 0), Tensor({1, 3, 6}, 0), {}), Error);
  CHECK_THROWS_AS(layer(Tensor({2, 3, 5}, 0)), Error);
}

TEST_CASE("additive: tanh saturates, so far inputs stay finite; equal inputs give the plain mean") {
  Rng rng(4);
  AdditiveAttention layer(3, 4, 3, rng);
  Tensor far = random(rng, {1, 5, 3}, -1e6, 1e6);
  Var leaf = Var::parameter(far);
  Var y = layer(leaf);
  y.backward(far);
  CHECK(all_finite(y.value()));
  CHECK(all_finite(leaf.grad()));
  layer.w.value() = Tensor({4}, 0);
  Tensor x = random(rng, {1, 5, 3});
  CHECK(close(layer(x).value(), expand(mean(layer.v(x), {1}, true), {1, 5, 3}).value()));
}

TEST_CASE("additive: memory grows with N, forward and backward: no tanh is stored") {
  Rng rng(5);
  AdditiveAttention layer(8, 8, 8, rng);
  std::vector<double> memory;
  const Size lengths[] = {256, 512, 1024};
  for (Size n : lengths) {
    Var x = Var::parameter(random(rng, {1, n, 8}));
    reset_counters();
    Size before = counters().live_bytes;
    layer(x).backward(x.value());
    memory.push_back(static_cast<double>(counters().peak_bytes - before));
  }
  for (std::size_t i = 0; i < 2; i++) CHECK(memory[i + 1] / memory[i] < 2.2);
  CHECK(memory[2] < 1024 * 1024 * sizeof(real));
}

TEST_CASE("golden: additive attention, to itself and to a memory") {
  Golden golden("positions.txt");
  Rng rng(6);
  for (const std::string name : {"additive", "additive_cross"}) {
    AdditiveAttention layer(5, 4, 3, rng);
    for (Parameter p : layer.parameters()) p.var.value() = golden[name + "." + p.name];
    if (name == "additive")
      check_golden(golden, name, {"x"}, [&](const Vars& v) { return layer(v[0], golden.mask(name + ".keep")); });
    else
      check_golden(golden, name, {"queries", "keys"},
                   [&](const Vars& v) { return layer(v[0], v[1], golden.mask(name + ".keep")); });
    for (const Parameter& p : layer.parameters()) {
      CAPTURE(p.name);
      CHECK(close(p.var.grad(), golden[name + ".d." + p.name], loose));
    }
  }
}

TEST_CASE("relu: weights are max(score, 0) over the kept keys, literal or divided by their number; gradients") {
  Rng rng(7);
  Tensor q = random(rng, {2, 7, 4}), k = random(rng, {2, 7, 4}), v = random(rng, {2, 7, 3}),
         seed = random(rng, {2, 7, 3});
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < 2 * 7 * 7; i++)
    cells.push_back(rng.below(3) > 0 && i / 7 != 3);  // query 3 of the first sees nothing
  for (const Mask& keep : {Mask(), causal_mask(7, 7), Mask({2, 7, 7}, cells)})
    for (bool over_n : {true, false}) {
      AttentionOptions options{.normaliser = over_n ? Normaliser::relu : Normaliser::relu_sum};
      if (keep.defined()) options.mask = keep.shape().rank() == 3 ? keep.reshape({2, 1, 7, 7}) : keep;
      auto f = [&](const Vars& x) { return attention(x[0], x[1], x[2], options); };
      auto plain = [&](const Vars& x) {
        return matmul(relu_weights(matmul(x[0], transpose(x[1])) * real(0.5), keep, over_n), x[2]);
      };
      check_all(run(f, {q, k, v}, {}, seed), run(plain, {q, k, v}, {}, seed), tolerance(1e-12, 1e-5));
      if (keep.defined() && keep.shape().rank() == 3) {
        std::vector<Tensor> all = run(f, {q, k, v}, {}, seed);
        for (int i = 0; i < 2; i++)
          CHECK(
              same_bits(all[static_cast<std::size_t>(i)].slice(0, 0, 1).slice(1, 3, 4), Tensor({1, 1, i ? 4 : 3}, 0)));
      }
    }
}

TEST_CASE("relu: rows whose scores are all negative are zeros without gradient; rows do not sum to 1") {
  Tensor q({1, 2, 1}, 1), k = array({1, 3, 1}, {-1, -2, -3}), v = array({1, 3, 1}, {1, 2, 3});
  AttentionOptions options{.scale = 1, .normaliser = Normaliser::relu};
  Var query = Var::parameter(q), key = Var::parameter(k), value = Var::parameter(v);
  Var y = attention(query, key, value, options);
  CHECK(same_bits(y.value(), Tensor({1, 2, 1}, 0)));
  y.backward(Tensor({1, 2, 1}, 1));
  for (const Var& x : {query, key, value}) CHECK(close(x.grad(), Tensor(x.shape(), 0), 0, 1e-30));
  // Scores 2, -1, 4: weights 2, 0, 4, over 3 keys; the key that gives 0 counts, the masked one does not.
  Tensor mixed = array({1, 3, 1}, {2, -1, 4});
  CHECK(close(attention(q, mixed, v, options).value(), Tensor({1, 2, 1}, real(14) / 3)));
  options.mask = Mask({1, 3}, {1, 1, 0});
  CHECK(close(attention(q, mixed, v, options).value(), Tensor({1, 2, 1}, 1)));
  options.normaliser = Normaliser::relu_sum;
  CHECK(close(attention(q, mixed, v, options).value(), Tensor({1, 2, 1}, 2)));
}

TEST_CASE("relu: divided by the number of keys, outputs do not grow with N; the literal form does") {
  Rng rng(8);
  auto size = [&](Size n, Normaliser normaliser) {
    Tensor q = rng.normal({1, n, 16}, 1), k = rng.normal({1, n, 16}, 1), v({1, n, 1}, 1);
    return static_cast<double>(mean(attention(q, k, v, {.normaliser = normaliser})).item());
  };
  CHECK(std::abs(size(256, Normaliser::relu) / size(128, Normaliser::relu) - 1) < 0.1);
  CHECK(std::abs(size(256, Normaliser::relu_sum) / size(128, Normaliser::relu_sum) - 2) < 0.2);
}
