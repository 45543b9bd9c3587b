// Tests of nn/mixer/linformer.hpp and compressed.hpp.
#include "nn/mixer/compressed.hpp"
#include "nn/mixer/linformer.hpp"
#include "nn/mixer/mixer.hpp"
#include "tests/nn/mixer/dense.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

std::vector<Mask> masks(Size n) {
  return {Mask(), padding_mask(std::vector<int>{static_cast<int>(n), static_cast<int>(n + 1) / 2}, n)};
}

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Linformer: the mixtures by definition, for each way of sharing, shorter than built for, K above N") {
  Rng rng(1);
  for (LinformerShare share : {LinformerShare::none, LinformerShare::heads, LinformerShare::kv})
    for (Size n : {1, 3, 9})
      for (Size rank : {1, 4, 20}) {
        Linformer layer(8, 2, 9, rng, {.rank = rank, .share = share});
        randomise(layer.parameters());
        Tensor x = random(rng, {2, n, 8});
        for (const Mask& mask : masks(n))
          CHECK(
              difference(
                  [&](const Vars& in) { return layer(in[0], mask); },
                  [&](const Vars& in) {
                    return with_heads(layer, in[0], [&](const Var& q, const Var& k, const Var& v) {
                      auto mixed = [&](const Var& y, const Var& e) {  // Σ_j E_cj y_j over the real j
                        Var kept = mask.defined() ? masked_fill(y, mask.reshape({2, 1, n, 1}), 0) : y;
                        Var each = reshape(slice(e, 2, 0, n), {e.size(0), rank, n, 1}) * reshape(kept, {2, 2, 1, n, 4});
                        return sum(each, {-2});
                      };
                      return dense_attention(q, mixed(k, layer.e), mixed(v, layer.f), {});
                    });
                  },
                  {x}) < same_attention);
      }
}

TEST_CASE("fault 37: Linformer takes shorter inputs, with the first columns of E, and refuses longer ones by number") {
  Rng rng(2);
  Linformer layer(1, 1, 4, rng, {.rank = 1});
  for (Parameter p : layer.parameters())
    p.var.value() =
        Tensor(p.var.shape(),
               p.name.ends_with("v.w") || p.name == "o.w" || p.name == "e" || p.name == "f" ? real(0.25) : real(0));
  layer.f.value() = Tensor({1, 1, 4}, real(0.25));
  layer.v.w.value() = layer.o.w.value() = Tensor({1, 1}, 1);
  CHECK(close(layer(array({1, 2, 1}, {2, 6})).value(), Tensor({1, 2, 1}, 2)));
  CHECK(message([&] {
          layer(Tensor({1, 9, 1}, 1));
        }) == "heed: Linformer: 9 positions, but it was built for at most 4");
  CHECK(message([&] { Linformer(9, 2, 4, rng); }) == "heed: Linformer: 2 heads do not divide 9");
  CHECK(message([&] { Linformer(8, 2, 4, rng, {.rank = 0}); }).find("a rank and a length") < std::string::npos);
}

TEST_CASE("fault 49: Linformer refuses to be causal and says why; what stands in padding changes nothing") {
  Rng rng(3);
  std::string refusal = message([&] { make_mixer("linformer", 8, rng, {.heads = 2, .length = 9, .causal = true}); });
  CAPTURE(refusal);
  CHECK(refusal.find("linformer cannot be causal: ") < std::string::npos);
  CHECK(refusal.find("mixes all positions") < std::string::npos);
  for (LinformerShare share : {LinformerShare::none, LinformerShare::heads, LinformerShare::kv}) {
    Linformer layer(8, 2, 9, rng, {.rank = 4, .share = share});
    randomise(layer.parameters());
    Tensor x = random(rng, {2, 5, 8}), other = random(rng, {2, 2, 8});
    Mask mask = padding_mask(std::vector<int>{3, 3}, 5);
    Tensor parts[] = {x.slice(1, 0, 3), other}, changed = concat(parts, 1);
    CHECK(same_bits(layer(x, mask).value().slice(1, 0, 3), layer(changed, mask).value().slice(1, 0, 3)));
    CHECK(close(layer(x, mask).value().slice(1, 0, 3), layer(x.slice(1, 0, 3)).value()));
  }
}

TEST_CASE("Linformer: parameters of each way of sharing, N(0, 1/K)") {
  Rng rng(3);
  auto numbers = [&](LinformerShare share) {
    return Linformer(8, 2, 100, rng, {.rank = 25, .share = share}).parameter_count() - 4 * 72;
  };
  CHECK(numbers(LinformerShare::none) == 2 * 2 * 25 * 100);
  CHECK(numbers(LinformerShare::heads) == 2 * 25 * 100);
  CHECK(numbers(LinformerShare::kv) == 25 * 100);
  Tensor e = Linformer(8, 2, 100, rng, {.rank = 25}).e.value();
  CHECK(close(inner_product(e, e) / static_cast<double>(e.numel()), 0.04, 0.004));
}

TEST_CASE("CompressedAttention: convolved keys and values and a learned slot, by definition, padding and causality") {
  Rng rng(4);
  for (Size s : {1, 3, 5})
    for (Size groups : {1, 2})
      for (Size n : {1, 2, 3, 7, 30})
        for (bool causal : {false, true}) {
          CompressedAttention layer(8, 2, rng, {.stride = s, .groups = groups, .causal = causal});
          randomise(layer.parameters());
          Tensor x = random(rng, {2, n, 8});
          Size windows = (n + s - 1) / s, w = 8 / groups;
          for (const Mask& mask : masks(n)) {
            std::vector<std::uint8_t> keep;
            for (Size b = 0; b < 2; b++)
              for (Size i = 0; i < n; i++)
                for (Size c = -1; c < windows; c++) {
                  bool kept = c < 0 || !causal || c * s + s - 1 <= i, covers = c < 0;
                  for (Size j = c * s; c >= 0 && j < std::min(c * s + s, n); j++)
                    covers = covers || !mask.defined() || mask[b * n + j];
                  keep.push_back(kept && covers);
                }
            auto slots = [&](const Var& y, const Var& kernel, const Var& bias, const Var& null) {
              Var kept = mask.defined() ? masked_fill(y, mask.reshape({2, n, 1}), 0) : y;
              kept = concat({kept, Tensor({2, windows * s - n, 8}, 0)}, 1);
              // The kernel as that of a convolution: (D, D / groups, s).
              Var taps = permute(reshape(kernel, {groups, s, w, w}), {0, 3, 2, 1});
              Var y2 = conv1d(transpose(kept), reshape(taps, {8, w, s}), bias, {.stride = s, .groups = groups});
              return split_heads(concat({expand(null, {2, 1, 8}), transpose(y2)}, 1), 2);
            };
            CHECK(difference([&](const Vars& in) { return layer(in[0], mask); },
                             [&](const Vars& in) {
                               Var k = slots(layer.k(in[0]), layer.key_kernel, layer.key_bias, layer.null_key);
                               Var v = slots(layer.v(in[0]), layer.value_kernel, layer.value_bias, layer.null_value);
                               return layer.o(merge_heads(dense_attention(split_heads(layer.q(in[0]), 2), k, v,
                                                                          Mask({2, 1, n, windows + 1}, keep))));
                             },
                             {x}) < same_attention);
          }
        }
}

TEST_CASE("CompressedAttention: causal queries see a window once it is complete, and the learned slot before") {
  Rng rng(5);
  CompressedAttention layer(6, 2, rng, {.stride = 3, .causal = true});
  randomise(layer.parameters());
  Tensor x = random(rng, {1, 8, 6});
  Var first = layer.o(layer.null_value);
  Tensor y = layer(x).value();
  for (Size i : {0, 1}) CHECK(close(y.slice(1, i, i + 1).compact(), first.value(), loose));
  CHECK_FALSE(close(y.slice(1, 2, 3).compact(), first.value(), 1e-3));
  // Causality in bits: changing positions from t on reaches no output before t.
  for (Size t = 1; t < 8; t++) {
    Tensor other = x;
    for (Size i = t * 6; i < 48; i++) other.mut()[i] = 5;
    CHECK(same_bits(layer(other).value().slice(1, 0, t), y.slice(1, 0, t)));
  }
  CHECK(message([&] { layer(x, x, {}); }).find("no memory") < std::string::npos);
  CHECK(message([&] { CompressedAttention(6, 4, rng); }) == "heed: CompressedAttention: 4 heads do not divide 6");
  CHECK(message([&] { CompressedAttention(6, 2, rng, {.groups = 4}); }).find("groups that divide 6") <
        std::string::npos);
}
