// Tests of autograd/softmax.cpp: softmax, log_softmax, logsumexp. (cross_entropy: see loss.cpp.)
#include "autograd/ops.hpp"

#include "tests/autograd/gradients.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
using Vars = std::vector<Var>;

// Softmax by its definition, in double.
Tensor naive_softmax(const Tensor& x, const Mask& keep, double scale) {
  Tensor y(x.shape(), 0);
  Size n = x.size(-1);
  Shape steps =
      keep.defined() ? broadcast_strides("test", keep.shape(), keep.shape().compact_strides(), x.shape()) : Shape{};
  auto kept = [&](const Shape& index) {
    Size at = 0;
    for (int axis = 0; axis < steps.rank(); axis++) at += index[axis] * steps[axis];
    return !keep.defined() || keep[at];
  };
  Size position = 0;
  each_index(x.shape(), [&](const Shape& index) {
    double total = 0, mine = kept(index) ? std::exp(scale * element(x, index)) : 0;
    for (Size j = 0; j < n; j++) {
      Shape other = index.with(-1, j);
      if (kept(other)) total += std::exp(scale * element(x, other));
    }
    y.mut()[position++] = static_cast<real>(total > 0 ? mine / total : 0);
  });
  return y;
}
}  // namespace

TEST_CASE("softmax: values") {
  CHECK(close(softmax(array({3}, {0, std::log(2.0), std::log(5.0)})).value(), array({3}, {0.125, 0.25, 0.625})));
  CHECK(close(softmax(Tensor({2, 4}, 3)).value(), Tensor({2, 4}, real(0.25))));
  CHECK(close(softmax(Tensor({3, 1}, -7)).value(), Tensor({3, 1}, 1)));
  CHECK(close(log_softmax(array({2}, {0, std::log(3.0)})).value(), array({2}, {std::log(0.25), std::log(0.75)})));
  CHECK(close(logsumexp(array({2, 2}, {0, std::log(3.0), 5, 5})).value(),
              array({2}, {std::log(4.0), 5 + std::log(2.0)})));
}

TEST_CASE("softmax: any mask that broadcasts, any layout, against the definition") {
  Rng rng(1);
  for (const Shape& mask_shape : {Shape{2, 3, 5}, Shape{3, 5}, Shape{5}, Shape{2, 1, 5}, Shape{2, 3, 1}, Shape{1, 3, 5},
                                  Shape{1}, Shape{}, Shape{2, 1, 1}}) {
    CAPTURE(mask_shape);
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(mask_shape.numel()));
    for (auto& cell : cells) cell = rng.below(3) > 0;
    Mask keep(mask_shape, cells);
    for (int repeat = 0; repeat < 4; repeat++) {
      Tensor x = random_view(rng, {2, 3, 5});
      CHECK(close(softmax(x, keep, real(1.7)).value(), naive_softmax(x, keep, 1.7)));
    }
    check_gradients([&](const Vars& v) { return softmax(v[0], keep, real(0.5)); }, {random(rng, {2, 3, 5})});
  }
  Tensor x = random(rng, {3, 130}, -5, 5);  // longer than a vector register
  CHECK(close(softmax(x, {}, -2).value(), naive_softmax(x, {}, -2)));
}

TEST_CASE("softmax: gradients") {
  Rng rng(2);
  for (const Shape& shape : {Shape{5}, Shape{2, 3, 5}, Shape{4, 1}}) {
    CAPTURE(shape);
    check_gradients([](const Vars& v) { return softmax(v[0]); }, {random(rng, shape)});
    check_gradients([](const Vars& v) { return log_softmax(v[0]); }, {random(rng, shape)});
    check_gradients([](const Vars& v) { return logsumexp(v[0]); }, {random(rng, shape)});
  }
  CHECK(gradcheck([](const Vars& v) { return softmax(v[0]) * v[0]; }, {random(rng, {2, 4})}) < gradient_tolerance);
}

TEST_CASE("fault 1: a row with nothing kept is zeros, forward and backward") {
  Var q = Var::parameter(array({2, 2}, {1, 0, 0, 1})), k = Var::parameter(array({2, 2}, {1, 0, 0, 1}));
  Var v = Var::parameter(array({2, 2}, {1, 2, 3, 4}));
  Mask keep({2, 2}, {1, 1, 0, 0});
  Var weights = softmax(matmul(q, transpose(k)), keep, real(1 / std::sqrt(2.0))), y = matmul(weights, v);
  CHECK(close(y.value(), array({2, 2}, {1.6604769, 2.6604769, 0, 0}), 1e-7));
  CHECK(same_bits(weights.value().slice(0, 1, 2), Tensor({1, 2}, 0)));
  y.backward(Tensor({2, 2}, 1));
  for (const Var& x : {q, k, v}) CHECK(all_finite(x.grad()));
  CHECK(close(q.grad().slice(0, 1, 2), Tensor({1, 2}, 0), 0, 1e-300));
  CHECK_FALSE(close(q.grad().slice(0, 0, 1), Tensor({1, 2}, 0)));
  // The row may hold anything, and the gradient that comes from above too.
  Var wild = Var::parameter(array({2, 2}, {not_a_number, infinity, 1, 2}));
  Var p = softmax(wild, Mask({2, 1}, {0, 1}));
  CHECK(same_bits(p.value().slice(0, 0, 1), Tensor({1, 2}, 0)));
  p.backward(array({2, 2}, {1e30, -1e30, 1, 2}));
  CHECK(close(wild.grad().slice(0, 0, 1), Tensor({1, 2}, 0)));
  CHECK(all_finite(wild.grad()));
}

TEST_CASE("fault 45: true means keep") {
  Mask keep({2, 2}, {1, 0, 1, 1});
  Tensor v = array({2, 1}, {1, 3});
  CHECK(close(matmul(softmax(Tensor({2, 2}, 0), keep), v).value(), array({2, 1}, {1, 2})));
  CHECK(close(matmul(softmax(Tensor({2, 2}, 0), causal_mask(2, 2)), v).value(), array({2, 1}, {1, 2})));
  CHECK(close(softmax(Tensor({3}, 0), padding_mask(std::vector<int>{2}, 3).reshape({3})).value(),
              array({3}, {0.5, 0.5, 0})));
}

TEST_CASE("softmax: scores of 800 and more") {
  for (double size : {800.0, 1e4, 1e30}) {
    Tensor x = array({2, 3}, {size, -size, 0, -size, -size, -size});
    CHECK(close(softmax(x).value(), array({2, 3}, {1, 0, 0, 1. / 3, 1. / 3, 1. / 3})));
    CHECK(all_finite(log_softmax(x).value()));
    CHECK(close(logsumexp(x).value(), array({2}, {size, std::log(3.0) - size})));
    for (const auto& f : {std::function<Var(const Var&)>([](const Var& v) { return softmax(v); }),
                          std::function<Var(const Var&)>([](const Var& v) { return log_softmax(v); }),
                          std::function<Var(const Var&)>([](const Var& v) { return logsumexp(v); })}) {
      Tensor seed(f(x).shape(), 1);
      CHECK(all_finite(gradient(f, x, seed)));
    }
  }
  // 800 in float has a rounding of 3e-5, which a logarithm of probability inherits.
  Tensor x = array({2, 3}, {800, -800, 0, -800, -800, -800});
  CHECK(close(gradient([](const Var& v) { return sum(logsumexp(v)); }, x), softmax(x).value(), loose));
  double third = std::log(3.0);
  CHECK(close(log_softmax(x).value(), array({2, 3}, {0, -1600, -800, -third, -third, -third}), loose));
}

TEST_CASE("softmax: logarithms of probabilities keep their digits whatever is added to all scores") {
  const double third = std::log(3.0);
  std::ostringstream wrong;
  for (double level : {800.0, -1e4, 1e8, -1e30}) {
    auto expect = [&](const char* what, const Tensor& got, const std::vector<double>& right) {
      if (!close(got, array(got.shape(), right)).ok) wrong << what << " at " << level << ": " << got << "; ";
    };
    Tensor x({1, 3}, static_cast<real>(level)), seed = array({1, 3}, {1, 2, 3});
    auto loss = [](const Var& v) { return cross_entropy(v, std::vector<int>{0}); };
    expect("log_softmax", log_softmax(x).value(), {-third, -third, -third});
    expect("its gradient", gradient([](const Var& v) { return log_softmax(v); }, x, seed), {-1, 0, 1});
    expect("gradient of logsumexp", gradient([](const Var& v) { return sum(logsumexp(v)); }, x),
           {1. / 3, 1. / 3, 1. / 3});
    expect("gradient of cross_entropy", gradient(loss, x), {-2. / 3, 1. / 3, 1. / 3});
  }
  CHECK(wrong.str() == "");
}

// Does not hold yet: (maximum - chosen) + rest would, (maximum + rest) - chosen rounds to the size of the maximum.
TEST_CASE("cross_entropy: keeps its digits whatever is added to all logits" * doctest::may_fail()) {
  for (double level : {800.0, -1e4, 1e8, -1e30}) {
    CAPTURE(level);
    Var loss = cross_entropy(Tensor({1, 3}, static_cast<real>(level)), std::vector<int>{0});
    CHECK(close(loss.value(), Tensor::scalar(static_cast<real>(std::log(3.0)))));
  }
}

TEST_CASE("softmax: infinities and NaN") {
  Tensor x = array({3, 2}, {-infinity, 1, -infinity, -infinity, not_a_number, 1});
  Tensor p = softmax(x).value(), total = logsumexp(x).value();
  CHECK(close(p.slice(0, 0, 2), array({2, 2}, {0, 1, 0, 0})));
  CHECK(std::isnan(p.at({2, 0})));
  CHECK(std::isnan(p.at({2, 1})));
  CHECK(close(total, array({3}, {1, -infinity, not_a_number})));
}

TEST_CASE("softmax: errors") {
  CHECK_THROWS_WITH(softmax(Tensor({2, 0})), "heed: softmax: the last axis of (2, 0) is empty");
  CHECK_THROWS_WITH(log_softmax(Tensor({2, 0})), "heed: log_softmax: the last axis of (2, 0) is empty");
  CHECK_THROWS_WITH(logsumexp(Tensor({}, 1)), "heed: logsumexp: the last axis of () is empty");
  CHECK_THROWS_WITH(softmax(iota({2, 3}), Mask({2}, {1, 1})), "heed: softmax: shape (2) does not broadcast to (2, 3)");
  CHECK_THROWS_WITH(softmax(iota({3}), Mask({2, 3}, {1, 1, 1, 1, 1, 1})),
                    "heed: softmax: shape (2, 3) does not broadcast to (3)");
  CHECK(softmax(Tensor({0, 3})).shape() == Shape{0, 3});
}
