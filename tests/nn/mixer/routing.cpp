// Tests of nn/mixer/routing.hpp: the mean over clusters of attention inside each, by N x N masks; the centres.
#include "nn/mixer/routing.hpp"

#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// Whether i is among the `window` real positions with the largest scores of cluster c.
bool takes(const Tensor& scores, Size b, Size h, Size c, Size i, Size window, const Mask& padding) {
  Size n = scores.size(2), before = 0;
  auto is_real = [&](Size j) { return !padding.defined() || padding[b * n + j]; };
  for (Size j = 0; j < n; j++) {
    real mine = scores.at({b, h, i, c}), theirs = scores.at({b, h, j, c});
    before += is_real(j) && (theirs > mine || (theirs == mine && j < i));
  }
  return is_real(i) && before < window;
}

Var oracle(const Routing& layer, const Var& x, const Mask& padding, Size window) {
  Size batch = x.size(0), n = x.size(1), h = layer.heads, clusters = layer.options.clusters;
  auto normed = [&](const Var& y) { return layer_norm(split_heads(y, h), {}, {}); };
  Var q = normed(layer.q(x)), k = normed(layer.k(x)), v = split_heads(layer.v(x), h);
  auto scores = [&](const Var& rows) {
    return matmul(rows, Var(reshape(transpose(Var(layer.centres.value())), {1, h, x.size(2) / h, clusters}).value()))
        .value();
  };
  Tensor by_query = scores(q), by_key = layer.options.causal ? by_query : scores(k);
  std::vector<real> share(static_cast<std::size_t>(batch * h * n), 0);
  Var total;
  for (Size c = 0; c < clusters; c++) {
    std::vector<std::uint8_t> keep, query;
    for (Size b = 0, at = 0; b < batch; b++)
      for (Size head = 0; head < h; head++)
        for (Size i = 0; i < n; i++, at++) {
          bool mine = takes(by_query, b, head, c, i, window, padding);
          share[static_cast<std::size_t>(at)] += mine;
          query.push_back(mine);
          for (Size j = 0; j < n; j++)
            keep.push_back(mine && takes(by_key, b, head, c, j, window, padding) && (!layer.options.causal || j <= i));
        }
    Var y = dense_attention(q, k, v, Mask({batch, h, n, n}, keep));
    total = c ? total + y : y;
  }
  for (real& s : share) s = s == 0 ? 0 : 1 / s;
  return layer.o(merge_heads(total * Var(Tensor({batch, h, n, 1}, share))));
}

}  // namespace

TEST_CASE("Routing: values and gradients of attention inside each cluster, the mean of a position's clusters") {
  Rng rng(1);
  for (const RoutingOptions& options : {RoutingOptions{.clusters = 3, .window = 4, .keep = 1},
                                        RoutingOptions{.clusters = 4, .window = 6, .keep = 1, .causal = true},
                                        RoutingOptions{.clusters = 2, .window = 100, .keep = 1}})
    for (Size n : {Size(1), Size(5), Size(20)}) {
      Routing layer(6, 2, 20, rng, options);
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 6}, -2, 2);
      std::vector<int> lengths{static_cast<int>(n), static_cast<int>(n / 3)};
      for (const Mask& mask : {Mask(), padding_mask(lengths, n)})
        CHECK(difference([&](const Vars& v) { return layer(v[0], mask); },
                         [&](const Vars& v) { return oracle(layer, v[0], mask, std::min(n, options.window)); },
                         {x}) < same_attention);
    }
}

TEST_CASE("Routing: clusters that take everything are full attention on normed queries and keys; local heads") {
  Rng rng(2);
  Routing layer(6, 3, 9, rng, {.clusters = 2, .window = 9, .local = 1, .reach = 2, .keep = 1});
  randomise(layer.parameters());
  auto dense = [&](const Vars& v) {
    auto heads = [](const Var& y) { return split_heads(y, 3); };
    auto normed = [](const Var& y) { return layer_norm(slice(y, 1, 1, 3), {}, {}); };
    Var q = heads(layer.q(v[0])), k = heads(layer.k(v[0])), value = heads(layer.v(v[0]));
    auto first = [](const Var& y) { return slice(y, 1, 0, 1); };
    Var near = dense_attention(first(q), first(k), first(value), local(2).mask(9, 9));
    Var far = dense_attention(normed(q), normed(k), slice(value, 1, 1, 3), {});
    return layer.o(merge_heads(concat({near, far}, 1)));
  };
  CHECK(difference([&](const Vars& v) { return layer(v[0]); }, dense, {random(rng, {2, 9, 6})}) < same_attention);
}

TEST_CASE("Routing: centres start as data, follow the mean of their voters, keep unit length, rest under Eval") {
  Rng rng(3);
  Routing layer(4, 1, 16, rng, {.clusters = 2, .window = 8, .keep = 0.5});
  Tensor x = random(rng, {2, 16, 4});
  {
    Eval eval;
    layer(x);
    CHECK(same_bits(layer.centres.value(), Tensor({1, 2, 4}, 0)));
  }
  layer(x);
  Tensor start = layer.centres.value();
  auto rows = [&](const Linear& l) { return layer_norm(l(x), {}, {}).value().reshape({32, 4}); };
  Tensor q = rows(layer.q), k = rows(layer.k);
  for (Size c = 0; c < 2; c++) {
    double nearest = 2;
    for (Size i = 0; i < 32; i++) {
      double distance = 0;
      Tensor row = q.slice(0, i, i + 1).reshape({4});
      double size = std::sqrt(inner_product(row, row));
      for (Size e = 0; e < 4; e++)
        distance += std::abs(static_cast<double>(start.at({0, c, e})) - static_cast<double>(row.at({e})) / size);
      nearest = std::min(nearest, distance);
    }
    CHECK(nearest < tolerance(1e-12, 1e-5));
  }
  std::vector<int> lengths{16, 0};
  layer(x, padding_mask(lengths, 16));  // only the first sequence votes
  Tensor sums({2, 4}, 0);
  double voters[2] = {};
  for (const Tensor& table : {q, k})
    for (Size i = 0; i < 16; i++) {
      Tensor row = table.slice(0, i, i + 1).compact().reshape({4});
      auto near = [&](Size c) { return inner_product(row, start.slice(1, c, c + 1).compact().reshape({4})); };
      Size best = near(1) > near(0);
      voters[best]++;
      for (Size e = 0; e < 4; e++) sums.mut()[best * 4 + e] += row.at({e});
    }
  for (Size c = 0; c < 2; c++) {
    std::vector<double> expected;
    double size = 0;
    for (Size e = 0; e < 4; e++) {
      double mean = voters[c] > 0 ? static_cast<double>(sums.at({c, e})) / voters[c] : 0;
      expected.push_back(0.5 * static_cast<double>(start.at({0, c, e})) + 0.5 * mean);
      size += expected.back() * expected.back();
    }
    for (Size e = 0; e < 4; e++)
      CHECK(close(static_cast<double>(layer.centres.value().at({0, c, e})),
                  voters[c] > 0 ? expected[static_cast<std::size_t>(e)] / std::sqrt(size)
                                : static_cast<double>(start.at({0, c, e})),
                  tolerance(1e-12, 1e-5)));
  }
  CHECK_FALSE(layer.centres.grad().defined());
}

TEST_CASE("Routing: errors") {
  Rng rng(4);
  CHECK_THROWS_WITH_AS(Routing(4, 3, 8, rng), "heed: Routing: 3 heads do not divide 4", Error);
  CHECK_THROWS_WITH_AS(Routing(4, 2, 8, rng, {.local = 2}),
                       "heed: Routing: expected fewer local heads than heads, got 2 of 2", Error);
}
