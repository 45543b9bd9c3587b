// Tests of tensor/gemm.cpp: products against naive loops. Small integers, so that results are exact in any order.
#include "tensor/strip_gemm.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

Tensor integers(Rng& rng, const Shape& shape) {
  Tensor out(shape);
  real* values = out.mut();
  for (Size i = 0; i < out.numel(); i++) values[i] = static_cast<real>(rng.below(9) - 4);
  return out;
}

Tensor naive_matmul(const Tensor& a, const Tensor& b) {
  Shape shape = broadcast("test", a.shape().erase(-1).erase(-1), b.shape().erase(-1).erase(-1));
  shape = shape.insert(-1, a.size(-2)).insert(-1, b.size(-1));
  std::vector<double> values;
  each_index(shape, [&](const Shape& index) {
    double total = 0;
    for (Size k = 0; k < a.size(-1); k++) total += element(a, index.with(-1, k)) * element(b, index.with(-2, k));
    values.push_back(total);
  });
  return array(shape, values);
}

// Leaves NaN in the buffers that the pool hands out next.
void spoil(Size bytes) {
  std::vector<Tensor> fill;
  for (int i = 0; i < 4; i++)
    fill.emplace_back(Shape{bytes / static_cast<Size>(sizeof(real))}, static_cast<real>(not_a_number));
}

}  // namespace

TEST_CASE("fault 111: rows times columns, row-major") {
  Tensor a = array({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), b = array({3, 3}, {9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(same_bits(matmul(a, b), array({3, 3}, {30, 24, 18, 84, 69, 54, 138, 114, 90})));
  CHECK(same_bits(matmul(array({1, 2}, {1, 2}), array({2, 3}, {1, 2, 3, 4, 5, 6})), array({1, 3}, {9, 12, 15})));
}

TEST_CASE("fault 103: all sizes 1 to 17, transposed or not, into memory that holds NaN") {
  Rng rng(1);
  CHECK(same_bits(matmul(array({2, 2}, {1, 2, 3, 4}), array({2, 2}, {1, 0, 0, 1})), array({2, 2}, {1, 2, 3, 4})));
  int wrong = 0;
  for (Size m = 1; m <= 17; m++)
    for (Size n = 1; n <= 17; n++)
      for (Size k = 1; k <= 17; k++) {
        Tensor a = integers(rng, {m, k}), b = integers(rng, {k, n});
        Tensor at = integers(rng, {k, m}).transpose(), bt = integers(rng, {n, k}).transpose();
        spoil(m * n * static_cast<Size>(sizeof(real)));
        Tensor products[] = {matmul(a, b), matmul(at, b), matmul(a, bt), matmul(at, bt)};
        // Naive, on plain arrays, since this loop runs twenty thousand times.
        int i = 0;
        for (const auto& [x, y] : {std::pair(a, b), std::pair(at, b), std::pair(a, bt), std::pair(at, bt)}) {
          std::vector<real> p = x.to_vector(), q = y.to_vector(), r = products[i++].to_vector();
          for (Size row = 0; row < m; row++)
            for (Size column = 0; column < n; column++) {
              real total = 0;
              for (Size j = 0; j < k; j++)
                total += p[static_cast<std::size_t>(row * k + j)] * q[static_cast<std::size_t>(j * n + column)];
              wrong += !(r[static_cast<std::size_t>(row * n + column)] == total);
            }
        }
      }
  CHECK(wrong == 0);
}

TEST_CASE("gemm: any view, any broadcast of leading axes") {
  Rng rng(2);
  const std::pair<Shape, Shape> shapes[] = {
      {{3, 4}, {4, 5}},          {{2, 3, 4}, {4, 5}},    {{3, 4}, {2, 4, 5}},
      {{2, 1, 3, 4}, {3, 4, 5}}, {{1, 3, 4}, {2, 4, 5}}, {{2, 3, 1, 4}, {2, 3, 4, 1}},
      {{2, 3, 4}, {2, 4, 5}},    {{1, 1}, {1, 1}},       {{3, 1, 1}, {1, 7}}};
  for (const auto& [first, second] : shapes)
    for (int repeat = 0; repeat < 60; repeat++) {
      Tensor a = map([](real x) { return std::round(x * 4); }, random_view(rng, first)), b;
      // Values first, then the layout, so that they stay integers.
      a = repeat % 3 == 0 ? a : repeat % 3 == 1 ? reversed_layout(a) : sliced_layout(a);
      b = integers(rng, second);
      b = repeat % 4 == 0   ? b
          : repeat % 4 == 1 ? reversed_layout(b)
          : repeat % 4 == 2 ? sliced_layout(b)
                            : reversed_layout(sliced_layout(b));
      CHECK(same_bits(map([](real x) { return x + 0; }, matmul(a, b)),
                      map([](real x) { return x + 0; }, naive_matmul(a, b))));
    }
  // Stretched rows and columns, every stride 0, a gap in both axes.
  Tensor row = integers(rng, {1, 4}), column = integers(rng, {4, 1}), wide = integers(rng, {8, 8, 8});
  for (const Tensor& a :
       {row.expand({3, 4}), column.expand({4, 4}), Tensor::scalar(2).expand({5, 4}), wide.slice(1, 2, 5).slice(2, 1, 5),
        wide.permute({1, 2, 0}).slice(2, 2, 6), wide.permute({2, 0, 1}).slice(2, 0, 4)})
    for (const Tensor& b : {column.expand({4, 3}), row.expand({4, 4}), Tensor::scalar(3).expand({4, 2}),
                            wide.slice(1, 0, 4).slice(0, 1, 2), wide.permute({2, 1, 0}).slice(1, 3, 7).slice(0, 0, 1)})
      CHECK(max_difference(matmul(a, b), naive_matmul(a, b)) == 0);
}

TEST_CASE("gemm: large products are cut into blocks without loss") {
  Rng rng(3);
  for (const auto& [m, n, k] :
       std::vector<std::array<Size, 3>>{{300, 530, 33}, {257, 65, 300}, {64, 1100, 70}, {1000, 3, 200}}) {
    Tensor a = integers(rng, {m, k}), b = integers(rng, {k, n}), bt = b.transpose().compact().transpose();
    Tensor y = matmul(a, b), expected({m, n}, 0);
    real* out = expected.mut();
    for (Size i = 0; i < m; i++)
      for (Size j = 0; j < k; j++)
        for (Size l = 0; l < n; l++) out[i * n + l] += a.data()[i * k + j] * b.data()[j * n + l];
    CHECK(max_difference(y, expected) == 0);
    CHECK(max_difference(matmul(a, bt), expected) == 0);
    CHECK(max_difference(matmul(reversed_layout(a), b, Tensor({m, n}, 1)),
                         map([](real x) { return x + 1; }, expected)) == 0);
  }
}

TEST_CASE("gemm: the initial value is added, and changed only when nobody else sees it") {
  Tensor a = array({2, 2}, {1, 2, 3, 4}), b = array({2, 2}, {1, 0, 0, 1}), start = Tensor({2, 2}, 10);
  CHECK(close(matmul(a, b, start), array({2, 2}, {11, 12, 13, 14})));
  CHECK(close(start, Tensor({2, 2}, 10)));
  const real* memory = start.data();
  Tensor y = matmul(a, b, std::move(start));
  CHECK(y.data() == memory);
  CHECK(close(y, array({2, 2}, {11, 12, 13, 14})));
  CHECK(close(matmul(a, b, array({2}, {1, 2}).expand({2, 2})), array({2, 2}, {2, 4, 4, 6})));
  CHECK(close(matmul(a, b, array({2, 2}, {0, 1, 2, 3}).transpose()), array({2, 2}, {1, 4, 4, 7})));
  CHECK(close(matmul(a, b, a), array({2, 2}, {2, 4, 6, 8})));
  CHECK(close(a, array({2, 2}, {1, 2, 3, 4})));
}

TEST_CASE("gemm: empty sizes") {
  spoil(1024);
  CHECK(same_bits(matmul(Tensor({2, 0}), Tensor({0, 3})), Tensor({2, 3}, 0)));
  CHECK(same_bits(matmul(Tensor({2, 0}), Tensor({0, 3}), Tensor({2, 3}, 5)), Tensor({2, 3}, 5)));
  CHECK(matmul(Tensor({0, 4}), Tensor({4, 3})).shape() == Shape{0, 3});
  CHECK(matmul(Tensor({2, 4}), Tensor({4, 0})).shape() == Shape{2, 0});
  CHECK(matmul(Tensor({0, 2, 4}), Tensor({4, 3})).shape() == Shape{0, 2, 3});
}

TEST_CASE("fault 101: transposed views and split heads are multiplied without a copy") {
  Rng rng(4);
  Tensor q = random(rng, {16, 50, 64}), k = random(rng, {16, 50, 64}), x = random(rng, {2, 10, 3 * 8});
  Tensor heads = x.reshape({2, 10, 3, 8}).permute({0, 2, 1, 3});
  const std::pair<Tensor, Tensor> products[] = {{q, k.transpose()},
                                                {q.transpose(), k},
                                                {heads, heads.transpose()},
                                                {heads.transpose(), heads},
                                                {q.slice(1, 3, 9), k.slice(2, 0, 64).transpose()}};
  for (const auto& [a, b] : products) {
    reset_counters();
    Tensor y = matmul(a, b);
    CHECK(counters().buffers == 1);  // the result
    CHECK(close(y, matmul(a.compact(), b.compact())));
    CHECK(close(y, naive_matmul(a, b), tolerance(1e-13, 1e-5)));
  }
}

TEST_CASE("gemm: the counter counts M N K a matrix") {
  auto cost = [](const Tensor& a, const Tensor& b) {
    reset_counters();
    matmul(a, b);
    return counters().multiply_adds;
  };
  CHECK(cost(Tensor({5, 7}, 1), Tensor({7, 3}, 1)) == 5 * 7 * 3);
  CHECK(cost(Tensor({4, 1, 5, 7}, 1), Tensor({2, 7, 3}, 1)) == 4 * 2 * 5 * 7 * 3);
  CHECK(cost(Tensor({300, 70}, 1), Tensor({70, 600}, 1)) == 300 * 70 * 600);
  CHECK(cost(Tensor({5, 0}), Tensor({0, 3})) == 0);
}

TEST_CASE("gemm: errors") {
  CHECK_THROWS_WITH(matmul(iota({2, 3}), iota({4, 5})), "heed: matmul: inner sizes differ: (2, 3) x (4, 5)");
  CHECK_THROWS_WITH(matmul(iota({3}), iota({3, 5})),
                    "heed: matmul: both operands need at least two axes: (3) x (3, 5)");
  CHECK_THROWS_WITH(matmul(iota({2, 2, 3}), iota({4, 3, 5})), "heed: matmul: shapes do not broadcast: (2) and (4)");
  CHECK_THROWS_WITH(matmul(iota({2, 3}), iota({3, 5}), iota({5})),
                    "heed: matmul: initial has shape (5) but the product is (2, 5)");
  CHECK((gemm_name().starts_with("OpenBLAS 0.") || gemm_name().starts_with("oneDNN ")));
}

TEST_CASE("gemm: c = scale a b + keep c, also when there is nothing to multiply") {
  const real a[] = {1, 2}, b[] = {3, 4};
  auto c = [&](Size k, real scale, real keep, real before) {
    real out[] = {before, before, 99, before, before, 99};
    gemm({a, 2, true}, {b, 2}, out, 3, 2, 2, k, scale, keep);
    CHECK((out[2] == 99 && out[5] == 99));
    return Tensor({4}, std::vector<real>{out[0], out[1], out[3], out[4]});
  };
  CHECK(same_bits(c(1, 1, 0, static_cast<real>(not_a_number)), array({4}, {3, 4, 6, 8})));
  CHECK(same_bits(c(1, 2, 1, 1), array({4}, {7, 9, 13, 17})));
  CHECK(same_bits(c(1, 1, real(0.5), 2), array({4}, {4, 5, 7, 9})));
  CHECK(same_bits(c(0, 1, 0, static_cast<real>(not_a_number)), Tensor({4}, 0)));
  CHECK(same_bits(c(0, 1, real(0.5), 2), Tensor({4}, 1)));
  gemm({a, 1}, {b, 0}, nullptr, 0, 2, 0, 1);
}

TEST_CASE("gemm: heed's own kernel, at every edge of its strips, panels and slices") {
  Rng rng(7);
  for (Size m : {1, 2, 5, 6, 7, 12, 13, 25})
    for (Size n : {1, 3, 4, 8, 9, 16, 17, 31, 32, 33})
      for (Size k : {1, 7, 16, 17, 256, 258, 513})
        for (int form = 0; form < 4; form++) {
          bool down = form % 2 == 1, across = form / 2 == 1;
          Tensor a = integers(rng, down ? Shape{k, m} : Shape{m, k}),
                 b = integers(rng, across ? Shape{n, k} : Shape{k, n});
          Size stride = n + 3;
          Tensor before = integers(rng, {m, stride}), c = before;
          bool add = rng.below(2) == 1;
          strip_gemm({a.data(), a.size(1), down}, {b.data(), b.size(1), across}, c.mut(), stride, m, n, k, real(0.5),
                     add ? 2 : 0);
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(form);
          double worst = 0;
          for (Size i = 0; i < m; i++)
            for (Size j = 0; j < stride; j++) {
              double expected = static_cast<double>(before.at({i, j})), sum = 0;
              for (Size p = 0; j < n && p < k; p++)
                sum += static_cast<double>(a.data()[down ? p * m + i : i * k + p] *
                                           b.data()[across ? j * k + p : p * n + j]);
              if (j < n) expected = (add ? 2 * expected : 0) + 0.5 * sum;
              worst = std::max(worst, std::abs(static_cast<double>(c.at({i, j})) - expected));
            }
          REQUIRE(worst == 0);
        }
}
