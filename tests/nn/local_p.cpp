// Tests of nn/attention/local_p.hpp.
#include "nn/attention/local_p.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

using Row = std::vector<double>;

Row row_of(const Tensor& t, Size row) {
  Size d = t.shape()[t.shape().rank() - 1];
  Tensor dense = t.compact();
  Row out;
  for (Size i = 0; i < d; i++) out.push_back(static_cast<double>(dense.data()[row * d + i]));
  return out;
}
double dot(const Row& a, const Row& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); i++) total += a[i] * b[i];
  return total;
}

}  // namespace

TEST_CASE("local-p: the sums of the definition over all keys, at every length, with padding") {
  Rng rng(1);
  for (Size reach : {Size(1), Size(2), Size(9)})
    for (int length : {1, 3, 7}) {
      LocalPredictedAttention layer(4, reach, rng);
      randomise(layer.parameters());
      Tensor s = random(rng, {1, 3, 4}, -2, 2), h = random(rng, {1, 7, 4});
      Var got = layer(s, h, padding_mask(std::vector<int>{length}, 7));
      Tensor inner = tanh(layer.place(s)).value(), keys = layer.score(s).value();
      for (Size t = 0; t < 3; t++) {
        double p = length / (1 + std::exp(-dot(row_of(inner, t), row_of(layer.w.value(), 0)))), total = 0;
        Row sum(4, 0), weight(7, 0);
        auto half = static_cast<double>(reach);
        for (int j = 0; j < length; j++)
          if (std::abs(j - p) <= half)
            total += weight[static_cast<std::size_t>(j)] = std::exp(dot(row_of(keys, t), row_of(h, j)));
        for (int j = 0; j < 7; j++) {
          double a = total > 0 ? weight[static_cast<std::size_t>(j)] / total : 0;
          a *= std::exp(-(j - p) * (j - p) / (2 * half * half / 4));
          for (std::size_t d = 0; d < 4; d++) sum[d] += a * row_of(h, j)[d];
        }
        for (std::size_t d = 0; d < 4; d++)
          CHECK(row_of(got.value(), t)[d] == doctest::Approx(sum[d]).epsilon(tolerance(1e-10, 1e-4)));
      }
    }
}

TEST_CASE("local-p: gradients of queries, keys and parameters, the predicted place among them") {
  Rng rng(2);
  LocalPredictedAttention layer(3, 2, rng);
  randomise(layer.parameters());
  std::vector<Tensor> inputs{random(rng, {2, 3, 3}), random(rng, {2, 6, 3})};
  Mask padding = padding_mask(std::vector<int>{6, 4}, 6);
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0], v[1], padding); }, inputs, layer.parameters()) <
        gradient_tolerance);
  Var y = layer(inputs[0], inputs[1], padding);
  y.backward(random(rng, y.shape()));
  CHECK(layer.w.grad().defined());
}

TEST_CASE("local-p: a source of padding alone gives zeros; errors") {
  Rng rng(3);
  LocalPredictedAttention layer(3, 2, rng);
  Var s = Var::parameter(random(rng, {1, 2, 3}));
  Var y = layer(s, random(rng, {1, 4, 3}), padding_mask(std::vector<int>{0}, 4));
  y.backward(Tensor(y.shape(), 1));
  CHECK(close(y.value(), Tensor(y.shape(), 0)));
  CHECK(all_finite(s.grad()));
  CHECK_THROWS_WITH_AS(LocalPredictedAttention(3, 0, rng),
                       "heed: LocalPredictedAttention: expected a reach above 0, got 0", Error);
  CHECK_THROWS_AS(layer(s, Tensor({2, 4, 3}, 0)), Error);
}
