// Tests of autograd/shape.cpp: views and joins.
#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;
}

TEST_CASE("shape ops: gradients of views") {
  Rng rng(1);
  Tensor x = random(rng, {2, 3, 4});
  check_gradients([](const Vars& v) { return reshape(v[0], {4, -1}); }, {x});
  check_gradients([](const Vars& v) { return reshape(transpose(v[0], 0, 2), {2, 12}); }, {x});
  check_gradients([](const Vars& v) { return transpose(v[0]); }, {x});
  check_gradients([](const Vars& v) { return transpose(v[0], 0, -1); }, {x});
  check_gradients([](const Vars& v) { return slice(v[0], 1, 1, 3); }, {x});
  check_gradients([](const Vars& v) { return slice(v[0], -1, 0, 1); }, {x});
  check_gradients([](const Vars& v) { return slice(v[0], 0, 1, 1); }, {x});
  check_gradients([](const Vars& v) { return expand(v[0], {5, 2, 3, 4}); }, {x});
  check_gradients([](const Vars& v) { return expand(v[0], {3, 4}); }, {random(rng, {3, 1})});
  check_gradients([](const Vars& v) { return expand(v[0], {3, 4}); }, {random(rng, {})});
}

TEST_CASE("shape ops: values are views of the same numbers") {
  Var x = iota({2, 3});
  CHECK(close(reshape(x, {3, -1}).value(), iota({3, 2})));
  CHECK(close(transpose(x).value(), array({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(close(permute(x, {-1, 0}).value(), array({3, 2}, {0, 3, 1, 4, 2, 5})));
  CHECK(close(slice(x, -1, 1, 3).value(), array({2, 2}, {1, 2, 4, 5})));
  CHECK(close(expand(slice(x, 1, 0, 1), {2, 2}).value(), array({2, 2}, {0, 0, 3, 3})));
  for (const Var& view : {reshape(x, {6}), transpose(x), permute(x, {1, 0}), slice(x, 0, 0, 1), expand(x, {4, 2, 3})})
    CHECK(view.value().shares(x.value()));
}

TEST_CASE("fault 23: a slice credits what it shows, in the input's shape") {
  auto cut = [](Size begin, Size end) { return [=](const Var& x) { return sum(slice(x, 0, begin, end)); }; };
  Tensor x = array({4}, {1, 2, 3, 4});
  CHECK(close(gradient(cut(1, 3), x), array({4}, {0, 1, 1, 0})));
  CHECK(close(gradient([](const Var& v) { return sum(slice(v, 0, 0, 3)) + sum(slice(v, 0, 1, 4)); }, x),
              array({4}, {1, 2, 2, 1})));
  CHECK(close(gradient([](const Var& v) { return sum(slice(v, 0, 1, 2)); }, iota({3, 4})),
              array({3, 4}, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0})));
  CHECK(close(gradient([](const Var& v) { return sum(slice(v, -1, 3, 4)); }, iota({2, 4})),
              array({2, 4}, {0, 0, 0, 1, 0, 0, 0, 1})));
  CHECK(close(gradient(cut(2, 2), x), Tensor({4}, 0)));
}

TEST_CASE("fault 31: permutations, by positive and negative axes, and after a broadcast") {
  Tensor dx = gradient([](const Var& v) { return sum(permute(v, {1, -1, 0}) * iota({3, 4, 2})); }, iota({2, 3, 4}));
  each_index({2, 3, 4},
             [&](const Shape& i) { CHECK(element(dx, i) == static_cast<double>(8 * i[1] + 2 * i[2] + i[0])); });
  const std::initializer_list<int> orders[] = {{0, 1, 2},  {0, 2, 1},  {1, 0, 2},   {1, 2, 0},
                                               {2, 0, 1},  {2, 1, 0},  {0, 1, -1},  {0, -1, 1},
                                               {1, -3, 2}, {-2, 2, 0}, {-1, 0, -2}, {-1, -2, -3}};
  Rng rng(1);
  for (const auto& order : orders) {
    check_gradients([&](const Vars& v) { return permute(v[0], order); }, {random(rng, {2, 3, 4})});
    check_gradients([&](const Vars& v) { return permute(expand(v[0], {2, 3, 4}), order); }, {random(rng, {3, 1})});
  }
  CHECK_THROWS_WITH(permute(iota({2, 3}), {0}), "heed: permute: expected an order of 2 axes for (2, 3), got 1");
  CHECK_THROWS_WITH(permute(iota({2, 3}), {0, -2}), "heed: permute: axis 0 occurs twice");
  CHECK_THROWS_WITH(permute(iota({2, 3}), {0, 2}), "heed: Shape: axis 2 does not exist in (2, 3)");
}

TEST_CASE("shape ops: concat and stack") {
  Var a = iota({2, 1}), b = iota({2, 2});
  CHECK(close(concat({a, b, a}, 1).value(), array({2, 4}, {0, 0, 1, 0, 1, 2, 3, 1})));
  CHECK(close(concat({a, a}, -2).value(), array({4, 1}, {0, 1, 0, 1})));
  CHECK(close(stack({b, b}, 0).value(), array({2, 2, 2}, {0, 1, 2, 3, 0, 1, 2, 3})));
  CHECK(close(stack({b, b}, 1).value(), array({2, 2, 2}, {0, 1, 0, 1, 2, 3, 2, 3})));
  CHECK(close(stack({b, b}, -1).value(), array({2, 2, 2}, {0, 0, 1, 1, 2, 2, 3, 3})));
  Rng rng(2);
  for (int axis : {0, 1, -1}) {
    check_binary([=](const Vars& v) { return concat(v, axis); }, random(rng, {2, 3}), random(rng, {2, 3}));
    check_binary([=](const Vars& v) { return stack(v, axis); }, random(rng, {2, 3}), random(rng, {2, 3}));
  }
  check_gradients(
      [](const Vars& v) {
        return concat({v[0], v[1], v[0]}, 1);
      },
      {random(rng, {2, 3, 2}), random(rng, {2, 1, 2})});
  check_gradients([](const Vars& v) { return concat(v, 0); }, {random(rng, {2, 3}), random(rng, {0, 3})});
  CHECK_THROWS_WITH(concat(Vars{}, 0), "heed: concat: there is nothing to concatenate");
  CHECK_THROWS_WITH(concat({a, iota({3, 1})}, 1), "heed: concat: sizes differ outside axis 1: (2, 1) and (3, 1)");
  CHECK_THROWS_WITH(stack({a, b}, 0), "heed: concat: sizes differ outside axis 0: (1, 2, 1) and (1, 2, 2)");
}

TEST_CASE("shape ops: windows") {
  Var x = array({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(close(windows(x, 1, 1).value(), array({1, 3, 6}, {0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 0, 0})));
  CHECK(close(windows(x, 0, 0).value(), x.value()));
  CHECK(close(windows(x, 2, 0).value(), array({1, 3, 6}, {0, 0, 0, 0, 1, 2, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6})));
  CHECK(windows(Tensor({2, 0, 3}), 1, 1).shape() == Shape{2, 0, 9});
  CHECK(close(gradient([](const Var& v) { return sum(windows(v, 1, 1)); }, iota({1, 3, 1})),
              array({1, 3, 1}, {2, 3, 2})));
  // A sequence next to another one is not its neighbour.
  Tensor dx = gradient([](const Var& v) { return sum(slice(windows(v, 2, 2), 0, 0, 1)); }, iota({2, 3, 1}));
  CHECK(close(dx, array({2, 3, 1}, {3, 3, 3, 0, 0, 0})));
  Rng rng(3);
  for (Size length : {1, 2, 5})
    for (int before : {0, 1, 3})
      check_gradients([=](const Vars& v) { return windows(v[0], before, 2); }, {random(rng, {2, length, 2})});
  CHECK_THROWS_WITH(windows(iota({3, 2}), 1, 2),
                    "heed: windows: expected (B, N, D) and sizes >= 0, got (3, 2), 1 and 2");
  CHECK_THROWS_WITH(windows(x, -1, 0), "heed: windows: expected (B, N, D) and sizes >= 0, got (1, 3, 2), -1 and 0");
}

TEST_CASE("shape ops: errors") {
  Var x = iota({2, 3});
  CHECK_THROWS_WITH(reshape(x, {4}), "heed: reshape: (2, 3) does not fit into (4)");
  CHECK_THROWS_WITH(slice(x, 1, 2, 5), "heed: slice: [2, 5) is outside axis 1 of (2, 3)");
  CHECK_THROWS_WITH(expand(x, {2, 4}), "heed: expand: shape (2, 3) does not broadcast to (2, 4)");
  CHECK_THROWS_WITH(transpose(Tensor({3}, 1)), "heed: Shape: axis -2 does not exist in (3)");
}
