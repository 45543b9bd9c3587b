// Tests of nn/attention/longformer.hpp.
#include "nn/attention/longformer.hpp"

#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// All rows by both sets of projections over N x N cells, then the right one of each row.
Var oracle(const Longformer& layer, const Var& x, const Mask& padding, const std::vector<Size>& global, Size reach) {
  Size n = x.size(1), h = layer.local.heads;
  std::vector<std::uint8_t> keep, chosen(static_cast<std::size_t>(n), 0);
  auto is_global = [&](Size i) { return std::find(global.begin(), global.end(), i) != global.end(); };
  for (Size i = 0; i < n; i++) {
    chosen[static_cast<std::size_t>(i)] = is_global(i);
    for (Size j = 0; j < n; j++) keep.push_back(std::abs(i - j) <= reach || is_global(j));
  }
  Var own = dense_attention(split_heads(layer.local.q(x), h), split_heads(layer.local.k(x), h),
                            split_heads(layer.local.v(x), h), padding & Mask({n, n}, keep));
  Var wide = dense_attention(split_heads(layer.global_q(x), h), split_heads(layer.global_k(x), h),
                             split_heads(layer.global_v(x), h), padding);
  return layer.local.o(where(Mask({n, 1}, chosen), merge_heads(wide), merge_heads(own)));
}

}  // namespace

TEST_CASE("Longformer: a window with q, k, v; global rows over everything with projections of their own") {
  Rng rng(1);
  for (Size n : {Size(1), Size(3), Size(40)})
    for (const std::vector<Size>& global : std::vector<std::vector<Size>>{{0}, {5, 2}, {}}) {
      Longformer layer(8, 2, rng, {.reach = 2, .global = global});
      randomise(layer.parameters());
      Tensor x = random(rng, {2, n, 8});
      std::vector<int> lengths{static_cast<int>(n), static_cast<int>(n / 2)};
      for (const Mask& mask : {Mask(), padding_mask(lengths, n)}) {
        Mask padding = padding_keys("test", mask, 2, n);
        CHECK(difference([&](const Vars& v) { return layer(v[0], mask); },
                         [&](const Vars& v) { return oracle(layer, v[0], padding, global, 2); }, {x}) < same_attention);
      }
    }
}

TEST_CASE("Longformer: six projections and the output; the global ones start as copies and learn from their rows") {
  Rng rng(2);
  Longformer layer(8, 2, rng, {.reach = 1, .gaps = {1, 2}});
  CHECK(layer.parameters().size() == 14);
  CHECK(same_bits(layer.global_q.w.value(), layer.local.q.w.value()));
  CHECK_FALSE(layer.global_q.w.same(layer.local.q.w));
  Tensor x = random(rng, {2, 9, 8});
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0]); }, {x}, layer.parameters()) < gradient_tolerance);
  // Without a gradient at the global row its projections learn nothing.
  Tensor seed = random(rng, {2, 9, 8});
  for (Size b = 0; b < 2; b++)
    for (Size c = 0; c < 8; c++) seed.mut()[b * 72 + c] = 0;
  layer(x).backward(seed);
  CHECK(same_bits(layer.global_q.w.grad(), Tensor({8, 8}, 0)));
  CHECK_FALSE(close(layer.local.q.w.grad(), Tensor({8, 8}, 0), 0, 1e-3));
}

TEST_CASE("prepended tokens: learned, in front, kept by the mask, cut off again") {
  Rng rng(3);
  PrependedTokens special(2, 4, rng);
  Tensor x = random(rng, {3, 5, 4});
  Var longer = special.prepend(x);
  CHECK(longer.shape() == Shape{3, 7, 4});
  CHECK(same_bits(longer.value().slice(0, 1, 2).slice(1, 0, 2).compact().reshape({2, 4}), special.tokens.value()));
  CHECK(same_bits(special.cut(longer).value().compact(), x));
  std::vector<int> lengths{5, 2, 0};
  Mask mask = special.prepend(padding_mask(lengths, 5));
  CHECK(mask.shape() == Shape{3, 7});
  CHECK(mask.count() == 13);
  CHECK_FALSE(special.prepend(Mask()).defined());
  CHECK(layer_gradcheck([&](const Vars& v) { return special.prepend(v[0]); }, {x}, special.parameters()) <
        gradient_tolerance);
}
