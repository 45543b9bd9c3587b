// Tests of autograd/gradcheck.cpp: the check has to be able to fail.
#include "autograd/gradcheck.hpp"

#include "autograd/ops.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;

// x * y whose gradient with respect to y is wrong by `error`, relative.
Var wrong_product(const Var& x, const Var& y, double error) {
  auto times = [](const Tensor& a, const Tensor& b) { return map([](real p, real q) { return p * q; }, a, b); };
  auto factor = static_cast<real>(1 + error);
  return op(
      "wrong", times(x.value(), y.value()),
      {{x, [=, b = y.value()](const Tensor& g) { return times(g, b); }},
       {y, [=, a = x.value()](const Tensor& g) { return map([factor](real v) { return v * factor; }, times(g, a)); }}});
}
}  // namespace

TEST_CASE("gradcheck: finds small errors, and nothing where there is none") {
  Rng rng(1);
  std::vector<Tensor> inputs = {random(rng, {3, 4}, 1, 2), random(rng, {3, 4}, 1, 2)};
  auto with_error = [&](double error, std::uint64_t seed) {
    return gradcheck([=](const Vars& v) { return wrong_product(v[0], v[1], error); }, inputs, {.seed = seed});
  };
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    CHECK(with_error(0, seed) < tolerance(1e-9, 1e-3));
    CHECK(with_error(tolerance(1e-6, 0.1), seed) > tolerance(1e-8, 2e-3));
    CHECK(with_error(-2, seed) > 0.1);
  }
}

TEST_CASE("gradcheck: one wrong element among many is found") {
  Rng rng(2);
  auto f = [](const Vars& v) {
    return op("wrong", map([](real x) { return x * x; }, v[0].value()),
              {{v[0], [x = v[0].value()](const Tensor& g) {
                  Tensor dx = map([](real up, real t) { return 2 * up * t; }, g, x);
                  dx.mut()[7] += real(0.5);
                  return dx;
                }}});
  };
  CHECK(gradcheck(f, {random(rng, {5, 20}, 1, 2)}) > 0.01);
}

TEST_CASE("gradcheck: a gradient that is missing or not a number is infinitely wrong") {
  Rng rng(3);
  Tensor x = random(rng, {3});
  CHECK(gradcheck([](const Vars& v) { return v[0].detach() * v[1]; }, {x, x}) == infinity);
  auto not_finite = [](const Vars& v) {
    return op("wrong", v[0].value(),
              {{v[0], [](const Tensor& g) { return map([](real) { return static_cast<real>(not_a_number); }, g); }}});
  };
  CHECK(gradcheck(not_finite, {x}) == infinity);
}

TEST_CASE("gradcheck: leaves the inputs alone") {
  Rng rng(4);
  Tensor x = random(rng, {2, 3}), before = x.compact();
  std::vector<real> numbers = x.to_vector();
  CHECK(gradcheck([](const Vars& v) { return exp(v[0]); }, {x}) < tolerance(1e-8, 2e-3));
  CHECK(x.to_vector() == numbers);
}
