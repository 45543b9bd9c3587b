// Tests of autograd/reduce.cpp: sum, mean, max, norm.
#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
}

TEST_CASE("reduce: values") {
  Var x = iota({2, 3});
  CHECK(sum(x).item() == 15);
  CHECK(sum(x).rank() == 0);
  CHECK(close(sum(x, {0}).value(), array({3}, {3, 5, 7})));
  CHECK(close(sum(x, {-1}, true).value(), array({2, 1}, {3, 12})));
  CHECK(close(sum(x, {1, 0}).value(), array({}, {15})));
  CHECK(mean(x).item() == real(2.5));
  CHECK(close(mean(x, {0}).value(), array({3}, {1.5, 2.5, 3.5})));
  CHECK(close(mean(x, {1}, true).value(), array({2, 1}, {1, 4})));
  CHECK(close(max(x, 0).value(), array({3}, {3, 4, 5})));
  CHECK(close(max(x, -1).value(), array({2}, {2, 5})));
  CHECK(close(norm(array({2, 2}, {3, 4, -6, 8})).value(), array({2}, {5, 10})));
}

TEST_CASE("reduce: gradients over every set of axes") {
  Rng rng(1);
  Tensor x = random(rng, {2, 3, 4});
  check_gradients([](const Vars& v) { return sum(v[0]); }, {x});
  check_gradients([](const Vars& v) { return mean(v[0]); }, {x});
  const std::initializer_list<int> sets[] = {{0}, {1}, {2}, {-1}, {0, 1}, {0, 2}, {2, 1}, {0, 1, 2}};
  for (const auto& axes : sets)
    for (bool keep : {false, true}) {
      check_gradients([&](const Vars& v) { return sum(v[0], axes, keep); }, {x});
      check_gradients([&](const Vars& v) { return mean(v[0], axes, keep); }, {x});
    }
  for (int axis : {0, 1, 2, -1}) check_gradients([&](const Vars& v) { return max(v[0], axis); }, {x});
  check_gradients([](const Vars& v) { return norm(v[0]); }, {x});
  check_gradients([](const Vars& v) { return sum(v[0]) * mean(v[0], {1}); }, {x});
}

TEST_CASE("reduce: in ties the lowest index takes the whole gradient") {
  Var x = Var::parameter(array({2, 3}, {1, 5, 5, 7, 7, 7}));
  max(x, 1).backward(array({2}, {2, 3}));
  CHECK(close(x.grad(), array({2, 3}, {0, 2, 0, 3, 0, 0})));
  CHECK(close(gradient([](const Var& v) { return sum(max(v, 0)); }, Tensor({3, 2}, 1)),
              array({3, 2}, {1, 1, 0, 0, 0, 0})));
}

TEST_CASE("reduce: nothing to reduce") {
  Var none = Var::parameter(Tensor({2, 0}));
  CHECK(sum(none).item() == 0);
  CHECK(mean(none).item() == 0);
  CHECK(close(mean(none, {1}).value(), Tensor({2}, 0)));
  sum(mean(none, {1})).backward();
  CHECK(none.grad().shape() == Shape{2, 0});
  Var scalar = Var::parameter(Tensor::scalar(3));
  (sum(scalar) + mean(scalar)).backward();
  CHECK(scalar.grad().item() == 2);
  CHECK_THROWS_WITH(max(none, 1), "heed: max: axis 1 of (2, 0) is empty");
}

TEST_CASE("reduce: an axis given twice counts once, or is refused") {
  Var x = iota({2, 3});
  try {
    CHECK(close(mean(x, {0, -2}).value(), array({3}, {1.5, 2.5, 3.5})));
  } catch (const Error&) {
  }
}

TEST_CASE("fault 7: the norm of a zero vector has gradient 0") {
  auto of_norm = [](const Var& x) { return norm(x); };
  CHECK(norm(array({2}, {3, 4})).item() == 5);
  CHECK(close(gradient(of_norm, array({2}, {3, 4})), array({2}, {0.6, 0.8})));
  CHECK(norm(Tensor({2}, 0)).item() == 0);
  CHECK(same_bits(gradient(of_norm, Tensor({2}, 0)), Tensor({2}, 0)));
  CHECK(same_bits(gradient([](const Var& x) { return sum(x * x); }, Tensor({2}, 0)), Tensor({2}, 0)));
  CHECK(gradient([](const Var& x) { return sqrt(x); }, Tensor::scalar(0)).item() == 0);
  Tensor mixed = gradient([](const Var& x) { return sum(norm(x)); }, array({2, 2}, {0, 0, 3, 4}));
  CHECK(close(mixed, array({2, 2}, {0, 0, 0.6, 0.8})));
  CHECK(all_finite(gradient([](const Var& x) { return sum(x / (norm(x) + real(1e-6))); }, Tensor({2}, 0))));
}

TEST_CASE("reduce: errors") {
  Var x = iota({2, 3});
  CHECK_THROWS_WITH(sum(x, {2}), "heed: Shape: axis 2 does not exist in (2, 3)");
  CHECK_THROWS_WITH(sum(x, {}), "heed: sum: no axis given");
  CHECK_THROWS_WITH(mean(x, {}), "heed: mean: no axis given");
  CHECK_THROWS_WITH(max(x, 2), "heed: Shape: axis 2 does not exist in (2, 3)");
  CHECK_THROWS_WITH(norm(Tensor::scalar(1)), "heed: Shape: axis -1 does not exist in ()");
}

TEST_CASE("unit: rows of length 1, zero rows stay") {
  Rng rng(21);
  Tensor x = random(rng, {3, 2, 5}), y = unit(Var(x)).value();
  CHECK(close(norm(Var(y)).value(), Tensor({3, 2}, 1)));
  CHECK(close(y, (Var(x) / reshape(norm(Var(x)), {3, 2, 1})).value()));
  check_gradients([](const std::vector<Var>& v) { return unit(v[0]); }, {x});
  CHECK(same_bits(unit(Var(Tensor({2, 3}, 0))).value(), Tensor({2, 3}, 0)));
  CHECK(same_bits(gradient([](const Var& v) { return unit(v); }, Tensor({2, 3}, 0), Tensor({2, 3}, 1)),
                  Tensor({2, 3}, 0)));
}

TEST_CASE("cumsum: along any axis, wider than a block; long sums keep their digits") {
  Rng rng(22);
  Tensor x = random(rng, {2, 3, 70});
  CHECK(close(cumsum(Var(array({4}, {1, 2, 3, 4})), 0).value(), array({4}, {1, 3, 6, 10})));
  for (int axis : {0, 1, 2, -1}) {
    check_gradients([=](const std::vector<Var>& v) { return cumsum(v[0], axis); }, {x});
    Size n = x.size(axis);
    Tensor last = cumsum(Var(x), axis).value().slice(axis, n - 1, n);
    int axes[] = {axis};
    CHECK(close(last.compact(), sum(x, axes, true), tight * 10));
  }
  Tensor many({100000, 1}, real(0.1));
  CHECK(close(static_cast<double>(cumsum(Var(many), 0).value().at({99999, 0})), 1e4, 1e-6));
}
