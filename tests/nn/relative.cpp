// Tests of nn/position/relative.hpp: Shaw's relative positions.
#include "nn/position/relative.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// The definition, with an array of vectors for every pair: s_ij = scale q_i·(k_j + K_r), o_i = Σ w_ij (v_j + V_r).
Var pair_by_pair(const RelativePositions& layer, const Var& q, const Var& k, const Var& v, const Mask& keep = {}) {
  Size n = q.size(2), m = k.size(2);
  std::vector<int> index;
  for (Size i = 0; i < n; i++)
    for (Size j = 0; j < m; j++)
      index.push_back(static_cast<int>(std::clamp(j - (i + m - n), -layer.reach, layer.reach) + layer.reach));
  Var ak = embedding(layer.keys, index, {n, m}), av = embedding(layer.values, index, {n, m});  // (n, m, d)
  auto rows = [](const Var& x) { return reshape(x, {x.size(0), x.size(1), 1, x.size(2), x.size(3)}); };
  auto column = [](const Var& x) { return reshape(x, {x.size(0), x.size(1), x.size(2), 1, x.size(3)}); };
  Var s = sum(column(q) * (rows(k) + ak), {-1}) / static_cast<real>(std::sqrt(static_cast<double>(q.size(3))));
  Var w = softmax(s, keep);
  return sum(reshape(w, {w.size(0), w.size(1), n, m, 1}) * (rows(v) + av), {-2});
}

}  // namespace

TEST_CASE("relative: the definition pair by pair, values and gradients, for N below, at and above the reach") {
  Rng rng(1);
  for (Size reach : {Size(0), Size(2), Size(7)})
    for (Size n : {Size(1), Size(3), Size(8), Size(20)})
      for (Size more : {Size(0), Size(4)}) {
        CAPTURE(reach);
        CAPTURE(n);
        RelativePositions layer(4, 3, rng, reach);
        Tensor q = random(rng, {2, 2, n, 4}), k = random(rng, {2, 2, n + more, 4}),
               v = random(rng, {2, 2, n + more, 3});
        Tensor seed = random(rng, {2, 2, n, 3});
        for (bool masked : {false, true}) {
          Mask keep = masked ? causal_mask(n, n + more) : Mask();
          auto run = [&](const LayerFunction& f) {
            Vars leaves{Var::parameter(q), Var::parameter(k), Var::parameter(v), layer.keys, layer.values};
            for (Var& leaf : leaves) leaf.grad() = Tensor();
            Var y = f(leaves);
            y.backward(seed);
            std::vector<Tensor> out{y.value()};
            for (const Var& leaf : leaves) out.push_back(leaf.grad());
            return out;
          };
          std::vector<Tensor> a = run([&](const Vars& x) { return layer(x[0], x[1], x[2], {.mask = keep}); });
          std::vector<Tensor> b = run([&](const Vars& x) { return pair_by_pair(layer, x[0], x[1], x[2], keep); });
          for (std::size_t i = 0; i < a.size(); i++) CHECK(close(a[i], b[i], tolerance(1e-12, 1e-4)));
        }
      }
}

TEST_CASE("relative: gradients of queries, keys, values and both tables") {
  Rng rng(2);
  RelativePositions layer(3, 4, rng, 2);
  auto f = [&](const Vars& x) { return layer(x[0], x[1], x[2], {.patterns = {causal()}}); };
  std::vector<Tensor> inputs{random(rng, {2, 2, 6, 3}), random(rng, {2, 2, 6, 3}), random(rng, {2, 2, 6, 4})};
  CHECK(layer_gradcheck(f, inputs, layer.parameters()) < gradient_tolerance);
}

TEST_CASE("relative: the index is j - i, not its mirror: a bonus on +1 looks at the next key") {
  Rng rng(3);
  RelativePositions layer(1, 1, rng, 2);
  layer.keys.value() = array({5, 1}, {0, 0, 0, 50, 0});
  layer.values.value() = Tensor({5, 1}, 0);
  Tensor one({1, 1, 4, 1}, 1), zero({1, 1, 4, 1}, 0), v = array({1, 1, 4, 1}, {1, 2, 3, 4});
  Tensor y = layer(one, zero, v).value();
  CHECK(close(y, array({1, 1, 4, 1}, {2, 3, 4, 2.5}), 1e-6));  // the last has no next key: the mean
  // On values: where the weight lies, not what is looked at.
  layer.keys.value() = Tensor({5, 1}, 0);
  layer.values.value() = array({5, 1}, {-100, -10, 0, 10, 100});
  CHECK(close(layer(zero, zero, zero).value(), array({1, 1, 4, 1}, {210 / 4.0, 25, -25, -210 / 4.0}), 1e-5));
}

TEST_CASE("relative: vectors of distances that do not occur get zero gradient") {
  Rng rng(4);
  RelativePositions layer(4, 4, rng);
  CHECK(layer.reach == 16);
  CHECK(layer.parameter_count() == 2 * 33 * 4);
  Tensor x = random(rng, {1, 2, 5, 4});
  layer(x, x, x).backward(Tensor({1, 2, 5, 4}, 1));
  for (const Parameter& p : layer.parameters()) {
    CHECK(same_bits(map([](real g) { return g + 0; }, p.var.grad().slice(0, 0, 12)), Tensor({12, 4}, 0)));
    CHECK(same_bits(map([](real g) { return g + 0; }, p.var.grad().slice(0, 21, 33)), Tensor({12, 4}, 0)));
    CHECK_FALSE(close(p.var.grad().slice(0, 12, 21), Tensor({9, 4}, 0), 1e-6));
  }
}

TEST_CASE("relative: memory grows with N, forward and backward, and work with N²") {
  Rng rng(5);
  RelativePositions layer(8, 8, rng);
  std::vector<double> memory, work;
  for (Size n : {Size(512), Size(1024), Size(2048)}) {
    Var q = Var::parameter(random(rng, {1, 2, n, 8})), k = Var::parameter(q.value()), v = Var::parameter(q.value());
    reset_counters();
    Size before = counters().live_bytes;
    layer(q, k, v).backward(q.value());
    memory.push_back(static_cast<double>(counters().peak_bytes - before));
    work.push_back(static_cast<double>(counters().multiply_adds));
  }
  for (std::size_t i = 0; i < 2; i++) {
    CAPTURE(i);
    CHECK(memory[i + 1] / memory[i] < 2.2);
    CHECK(work[i + 1] / work[i] > 3.4);
    CHECK(work[i + 1] / work[i] < 4.2);
  }
}

TEST_CASE("relative: wrong sizes are refused") {
  Rng rng(6);
  CHECK_THROWS_WITH_AS(RelativePositions(4, 4, rng, -1),
                       "heed: RelativePositions: expected a reach of 0 or more, got -1", Error);
  RelativePositions layer(4, 3, rng, 2);
  Tensor q({1, 2, 5, 4}, 0);
  CHECK_THROWS_AS(layer(Tensor({1, 2, 5, 3}, 0), q, q), Error);
  CHECK_THROWS_AS(layer(q, q, q), Error);  // values of width 4, a table of 3
}
