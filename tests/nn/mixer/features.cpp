// Tests of nn/mixer/features.hpp.
#include "nn/mixer/features.hpp"

#include "tensor/gemm.hpp"
#include "tests/nn/mixer/dense.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// φ by definition, without stabilisers: x (..., d), rows ω (M, d).
Var favor(const Var& x, const Tensor& omega, FavorKind kind) {
  auto d = static_cast<double>(x.size(-1)), m = static_cast<double>(omega.size(0));
  Var scaled = x * static_cast<real>(std::pow(d, -0.25)), y = matmul(scaled, Var(omega.transpose()));
  if (kind == FavorKind::relu) return relu(y) + real(1e-3);
  Var half = sum(scaled * scaled, {-1}, true) * real(0.5);
  if (kind == FavorKind::positive) return exp(y - half) * static_cast<real>(1 / std::sqrt(m));
  return concat({exp(y - half), exp(-y - half)}, -1) * static_cast<real>(1 / std::sqrt(2 * m));
}

/// The mean of `draws` estimates of e^(q·k/√d) from `m` directions, and their variance.
struct Estimate {
  double mean, variance;
};
Estimate estimate(const std::function<double(Rng&)>& once, int draws, std::uint64_t seed = 1) {
  Rng rng(seed);
  double total = 0, squares = 0;
  for (int i = 0; i < draws; i++) {
    double value = once(rng);
    total += value, squares += value * value;
  }
  double mean = total / draws;
  return {mean, squares / draws - mean * mean};
}

double product(const Var& a, const Var& b) { return inner_product(a.value(), b.value()); }

Tensor row(const std::vector<double>& values) { return array({1, static_cast<Size>(values.size())}, values); }

/// Mean relative error of FAVOR+ attention against softmax, over `draws` draws.
double attention_error(Size m, bool orthogonal, int draws, Size d = 8, Size n = 16, double deviation = 0.5) {
  Rng rng(7);
  double total = 0;
  for (int draw = 0; draw < draws; draw++) {
    Tensor q = rng.normal({1, 1, n, d}, deviation), k = rng.normal({1, 1, n, d}, deviation),
           v = rng.normal({1, 1, n, d}, 1);
    Tensor omega = orthogonal ? orthogonal_normals(m, d, rng) : rng.normal({m, d}, 1);
    Tensor exact = dense_attention(q, k, v, {}).value();
    Tensor near =
        dense_kernel(favor(q, omega, FavorKind::positive), favor(k, omega, FavorKind::positive), v, {}).value();
    Tensor apart = map([](real a, real b) { return a - b; }, near, exact);
    total += std::sqrt(inner_product(apart, apart) / inner_product(exact, exact));
  }
  return total / draws;
}

}  // namespace

TEST_CASE("orthogonal normals: orthogonal in blocks, as long as normal rows, spread evenly") {
  Rng rng(1);
  Tensor w = orthogonal_normals(10, 4, rng), gram = matmul(w, w.transpose());
  for (Size i = 0; i < 10; i++)
    for (Size j = 0; j < 10; j++)
      if (i != j && i / 4 == j / 4) CHECK(std::abs(static_cast<double>(gram.at({i, j}))) < tolerance(1e-13, 1e-5));
  double square = 0, entry = 0;
  for (int draw = 0; draw < 2000; draw++) {
    Tensor one = orthogonal_normals(4, 4, rng);
    square += inner_product(one, one) / 2000;
    entry += static_cast<double>(one.at({3, 3})) / 2000;  // the last row: no sign is preferred
  }
  CHECK(close(square, 16, 0.02));
  CHECK(std::abs(entry) < 0.08);
}

TEST_CASE("Performer: the estimate of e^(q·k/√d) is unbiased, and its variance falls as 1/M") {
  // The case of the spec: with the signs of a QR left as they come, the mean at d = 4, M = 4 is 0.530.
  Tensor q = row({0.9, -0.6, 0.4, 0.3}), k = row({-0.7, 0.8, -0.5, 0.2});
  double exact = std::exp(inner_product(q, k) / 2);
  for (FavorKind kind : {FavorKind::positive, FavorKind::hyperbolic}) {
    auto with = [&](Size m, bool orthogonal, int draws) {
      return estimate(
          [&](Rng& rng) {
            Tensor omega = orthogonal ? orthogonal_normals(m, 4, rng) : rng.normal({m, 4}, 1);
            return product(favor(q, omega, kind), favor(k, omega, kind));
          },
          draws);
    };
    CHECK(std::abs(with(4, true, 20000).mean - exact) < 0.02);
    CHECK(std::abs(with(4, false, 20000).mean - exact) < 0.02);
    double few = with(4, false, 8000).variance, many = with(16, false, 8000).variance;
    CHECK(few / many > 2.8);
    CHECK(few / many < 5.6);
  }
}

TEST_CASE("Performer: the error against softmax attention falls as 1/√M, orthogonal below independent") {
  double last = 0;
  for (Size m : {16, 64, 256, 1024}) {
    double error = attention_error(m, true, 24);
    CAPTURE(m);
    CAPTURE(error);
    if (last > 0) {
      CHECK(last / error > 1.5);
      CHECK(last / error < 2.7);
    }
    last = error;
  }
  CHECK(last < 0.12);
  CHECK(attention_error(16, true, 200) < attention_error(16, false, 200));
}

TEST_CASE("fault 55: one number stabilises all keys") {
  // d = 1, ω = (1, -1), q = 0.5, k = (0, 1): weights 0.44143859 and 0.55856141.
  Rng rng(1);
  for (bool causal : {false, true}) {
    Performer layer(1, 1, rng, {.causal = causal, .features = 2, .redraw = 0});
    layer.omega.value() = array({2, 1}, {1, -1});
    Var q(array({1, 2, 1, 1}, {0.5, 0.5})), k(array({1, 2, 1, 1}, {0, 1}));
    Features f = layer.features({q, k, q, {}, nullptr});
    f.how.causal = causal;
    auto by_head = [](const Var& y) { return permute(y, {0, 2, 1, 3}); };
    Tensor y =
        linear_attention(by_head(f.query), by_head(f.key), Tensor(array({1, 1, 2, 2}, {1, 0, 0, 1})), f.how).value();
    CHECK(close(y.slice(2, 1, 2).compact(), array({1, 1, 1, 2}, {0.44143859, 0.55856141}), 1e-6));
  }
  // q = k = 0: the plain mean.
  Performer layer(8, 2, rng);
  for (Parameter p : layer.parameters())
    if (p.name == "q.w" || p.name == "k.w") p.var.value() = Tensor(p.var.shape(), 0);
  Tensor x = random(rng, {1, 5, 8});
  Var expected = layer.o(expand(mean(layer.v(x), {1}, true), {1, 5, 8}));
  CHECK(close(layer(x).value(), expected.value(), loose));
}

TEST_CASE("Performer: all kinds of features over all cells, padding and causality included") {
  Rng rng(2);
  for (FavorKind kind : {FavorKind::positive, FavorKind::hyperbolic, FavorKind::relu})
    for (Size n : {Size(1), Size(3), Size(100)})
      for (bool causal : {false, true}) {
        Performer layer(8, 2, rng, {.causal = causal, .features = 6, .kind = kind, .redraw = 0});
        Tensor omega = layer.omega.value(), x = random(rng, {2, n, 8}, -2, 2);
        for (const Mask& mask : {Mask(), padding_mask(std::vector<int>{int(n), int(n + 1) / 2}, n)})
          CHECK(difference([&](const Vars& in) { return layer(in[0], mask); },
                           [&](const Vars& in) {
                             return with_heads(layer, in[0], [&](const Var& q, const Var& k, const Var& v) {
                               return dense_kernel(favor(q, omega, kind), favor(k, omega, kind), v,
                                                   cells(mask, 2, n, causal));
                             });
                           },
                           {x}) < same_attention);
      }
}

TEST_CASE("Performer: long queries and keys stay finite, and the largest key wins") {
  Rng rng(3);
  for (bool causal : {false, true}) {
    Performer layer(4, 1, rng, {.causal = causal, .redraw = 0});
    Var x = Var::parameter(random(rng, {1, 70, 4}, -60, 60));
    Var y = layer(x);
    CHECK(all_finite(y.value()));
    y.backward(Tensor(y.shape(), 1));
    CHECK(all_finite(x.grad()));
  }
}

TEST_CASE("Performer: M = d ln d, ω saved, not learned, redrawn in training only, never under Eval") {
  Rng rng(4);
  Performer layer(32, 2, rng, {.redraw = 3});
  CHECK(layer.omega.shape() == Shape{45, 16});  // 16 ln 16 = 44.4
  CHECK(layer.parameters().back().name == "omega");
  CHECK(layer.parameter_count() == 4 * (32 * 32 + 32));
  Tensor x = random(rng, {1, 4, 32}), start = layer.omega.value();
  {
    Eval eval;
    for (int i = 0; i < 10; i++) layer(x);
    CHECK(same_bits(layer.omega.value(), start));
  }
  Performer copy = layer;
  for (int i = 0; i < 2; i++) layer(x);
  CHECK(same_bits(layer.omega.value(), start));
  Var y = copy(x);  // the third step
  CHECK_FALSE(same_bits(layer.omega.value(), start));
  y.backward(Tensor(y.shape(), 1));
  CHECK_FALSE(layer.omega.grad().defined());
}

TEST_CASE("RandomFeatureAttention: the estimate of e^(-|q-k|²/2) is unbiased, and its variance falls as 1/M") {
  Rng rng(5);
  Tensor q = unit(Var(rng.normal({1, 4}, 1))).value(), k = unit(Var(rng.normal({1, 4}, 1))).value();
  Tensor apart = map([](real a, real b) { return a - b; }, q, k);
  double exact = std::exp(-inner_product(apart, apart) / 2);
  auto with = [&](Size m) {
    return estimate(
        [&](Rng& draw) {
          RandomFeatureAttention layer(4, 1, draw, {.features = m, .pool = 1});
          return product(layer.phi(q, 0), layer.phi(k, 0));
        },
        4000);
  };
  Estimate few = with(8), many = with(32);
  CHECK(std::abs(few.mean - exact) < 0.02);
  CHECK(std::abs(many.mean - exact) < 0.02);
  CHECK(few.variance / many.variance > 3);
  CHECK(few.variance / many.variance < 5.3);
}

TEST_CASE("RandomFeatureAttention: sines and cosines over all cells, padding, causality, gate included") {
  Rng rng(6);
  const double least = tolerance(0.05, 1);  // gradients divide by its square, and multiply rounding by as much
  for (Size n : {Size(1), Size(3), Size(100)})
    for (int form = 0; form < 3; form++) {  // both sides; causal; causal with a gate
      bool causal = form > 0, gated = form > 1;
      RandomFeatureAttention layer(8, 2, rng,
                                   {.causal = causal, .features = 6, .pool = 1, .least = least, .gate = gated});
      for (Parameter p : layer.parameters())
        if (p.name == "sigma") p.var.value() = random(rng, p.var.shape(), 0.5, 1.5);
      Tensor x = random(rng, {2, n, 8}, -2, 2), pool = layer.pool.value();
      for (const Mask& mask : {Mask(), padding_mask(std::vector<int>{int(n), int(n + 1) / 2}, n)})
        CHECK(difference([&](const Vars& in) { return layer(in[0], mask); },
                         [&](const Vars& in) {
                           return with_heads(layer, in[0], [&](const Var& q, const Var& k, const Var& v) {
                             auto phi = [&](const Var& y) {  // by the addition theorem sin is a cosine, moved
                               Var direction = y / sqrt(sum(y * y, {-1}, true)) * reshape(layer.sigma, {2, 1, 4});
                               Var angle = matmul(direction, Var(pool.reshape({6, 4}).transpose()));
                               auto table = [](const Var& a, double moved) {
                                 Tensor cosine =
                                     map([=](real t) { return std::cos(t - static_cast<real>(moved)); }, a.value());
                                 Tensor slope =
                                     map([=](real t) { return -std::sin(t - static_cast<real>(moved)); }, a.value());
                                 return a * slope +
                                        map([](real c, real s, real t) { return c - s * t; }, cosine, slope, a.value());
                               };
                               return concat({table(angle, std::acos(-1) / 2), table(angle, 0)}, -1) *
                                      static_cast<real>(1 / std::sqrt(6.0));
                             };
                             Var factor;
                             if (gated) {
                               Var a = transpose(layer.gate[0](in[0]));  // (B, H, N)
                               Var g = sigmoid(a), log_g = log(g);
                               if (mask.defined()) log_g = masked_fill(log_g, mask.reshape({2, 1, n}), 0);
                               Tensor lower({n, n}, 0);
                               for (Size i = 0; i < n; i++)
                                 for (Size j = 0; j <= i; j++) lower.mut()[i * n + j] = 1;
                               Var sums = matmul(Var(lower), reshape(log_g, {2, 2, n, 1}));
                               factor = exp(masked_fill(sums - transpose(sums), causal_mask(n, n), 0)) *
                                        reshape(1 - g, {2, 2, 1, n});
                             }
                             return dense_kernel(phi(q), phi(k), v, cells(mask, 2, n, causal), true,
                                                 static_cast<real>(least), factor);
                           });
                         },
                         {x}) < same_attention);
    }
}

TEST_CASE("RandomFeatureAttention: sines and cosines of any angle, large ones and those that are not finite") {
  Rng rng(9);
  const Size m = 4000;
  RandomFeatureAttention layer(1, 1, rng, {.features = m, .pool = 1});
  for (double reach : {0.5, 100.0, 8191.0, 1e6}) {
    Tensor angles = random(rng, {1, m, 1}, -reach, reach);
    layer.pool.value() = angles;
    Tensor phi = layer.phi(Tensor({1, 1}, 1), 0).value();
    for (Size i = 0; i < m; i++) {
      auto angle = static_cast<double>(angles.data()[i]), scale = 1 / std::sqrt(static_cast<double>(m));
      CHECK(std::abs(static_cast<double>(phi.data()[i]) - std::sin(angle) * scale) < tolerance(1e-15, 2e-7) * scale);
      CHECK(std::abs(static_cast<double>(phi.data()[m + i]) - std::cos(angle) * scale) <
            tolerance(1e-15, 2e-7) * scale);
    }
  }
  layer.pool.value() = Tensor({1, m, 1}, std::numeric_limits<real>::quiet_NaN());
  CHECK(std::isnan(layer.phi(Tensor({1, 1}, 1), 0).value().data()[0]));
}

TEST_CASE("RandomFeatureAttention: one of a pool of directions a step, the first under Eval; saved, not learned") {
  Rng rng(7);
  RandomFeatureAttention layer(8, 2, rng, {.features = 5, .pool = 4});
  CHECK(layer.pool.shape() == Shape{4, 5, 4});
  Tensor x = random(rng, {1, 6, 8});
  std::vector<Tensor> seen;
  for (int i = 0; i < 40; i++) {
    Tensor y = layer(x).value();
    if (std::none_of(seen.begin(), seen.end(), [&](const Tensor& z) { return same_bits(y, z); })) seen.push_back(y);
  }
  CHECK(seen.size() == 4);
  Eval eval;
  std::uint64_t before = rng.state();
  Tensor y = layer(x).value();
  for (int i = 0; i < 5; i++) CHECK(same_bits(layer(x).value(), y));
  CHECK(rng.state() == before);
}

TEST_CASE("random features: step by step the same as all at once") {
  Rng rng(8);
  Tensor x = random(rng, {2, 150, 8}, -2, 2);
  RandomFeatureAttention rfa(8, 2, rng, {.causal = true, .features = 64});
  RandomFeatureAttention gated(8, 2, rng, {.causal = true, .features = 64, .gate = true});
  Performer performer(8, 2, rng, {.causal = true});
  for (Size chunk : {1, 7, 150}) {
    Eval eval;
    CHECK(close(stepped(rfa, x, chunk, LinearState{}), rfa(x).value(), tolerance(1e-10, 1e-3)));
    CHECK(close(stepped(gated, x, chunk, LinearState{}), gated(x).value(), tolerance(1e-10, 1e-3)));
    CHECK(close(stepped(performer, x, chunk, LinearState{}), performer(x).value(), loose));
  }
}
