// The contracts that every layer with a mask keeps (padding, length, causality, edges); the layers stand in layers.hpp.
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr Size D = MaskedLayer::dim;
constexpr double same_length = tolerance(1e-13, 1e-6);  // sums of another length may round differently

/// Row b of a batch as a batch of one, with its first n positions (all of it when the layer pools).
Tensor row(const MaskedLayer& layer, const Tensor& y, Size b, Size n) {
  Tensor one = y.slice(0, b, b + 1);
  return layer.pools ? one : one.slice(1, 0, n);
}

/// x with other numbers, `size` large, from position `begin` of row b on.
Tensor changed(Rng& rng, Tensor x, Size b, Size begin, double size) {
  Tensor other = random(rng, x.shape(), -size, size);
  real* to = x.mut();
  for (Size i = (b * x.size(1) + begin) * D; i < (b + 1) * x.size(1) * D; i++) to[i] = other.data()[i];
  return x;
}

template <class F>
void each_layer(const F& f) {
  for (const MaskedLayer& layer : masked_layers()) {
    CAPTURE(layer.name);
    f(layer);
  }
}

}  // namespace

TEST_CASE("contracts: gradients of inputs and parameters, with padding") {
  Rng rng(1);
  Tensor x = random(rng, {3, 4, D}, -2, 2);
  Mask mask = padding_mask(std::vector<int>{4, 2, 1}, 4);
  each_layer([&](const MaskedLayer& layer) {
    if (layer.straight || (layer.kinks && !is_double)) return;
    CHECK(layer_gradcheck([&](const Vars& v) { return layer.f(v[0], mask); }, {x}, layer.parameters) <
          gradient_tolerance);
    CHECK(layer_gradcheck([&](const Vars& v) { return layer.f(v[0], {}); }, {x}, layer.parameters) <
          gradient_tolerance);
  });
}

TEST_CASE("contracts: padding invariance, what stands in padding reaches neither real outputs nor their gradients") {
  Rng rng(2);
  std::vector<int> lengths{5, 3, 1};
  Mask mask = padding_mask(lengths, 5);
  Tensor x = random(rng, {3, 5, D});
  each_layer([&](const MaskedLayer& layer) {
    Tensor y = layer.f(x, mask).value();
    for (double size : {1.0, 1000.0}) {
      Tensor other = changed(rng, changed(rng, x, 1, 3, size), 2, 1, size);
      Tensor z = layer.f(other, mask).value();
      CHECK(all_finite(z));
      for (Size b = 0; b < 3; b++) {
        Size n = lengths[static_cast<std::size_t>(b)];
        CHECK(same_bits(row(layer, y, b, n), row(layer, z, b, n)));
      }
    }
    // Only real outputs get a gradient; then only real inputs may.
    Tensor seed = random(rng, y.shape());
    if (!layer.pools)
      seed = map([](real s, real keep) { return s * keep; }, seed,
                 where(mask.reshape({3, 5, 1}), Tensor({1}, 1), Tensor({1}, 0)).value());
    Tensor dx = input_gradient([&](const Var& v) { return layer.f(v, mask); }, x, seed);
    CHECK(same_bits(map([](real g) { return g + 0; }, changed(rng, changed(rng, dx, 1, 3, 0), 2, 1, 0)),
                    map([](real g) { return g + 0; }, dx)));
  });
}

TEST_CASE("contracts: length invariance, a sequence gives the same alone and padded to a longer batch") {
  Rng rng(3);
  std::vector<int> lengths{2, 9, 5};
  Tensor x = random(rng, {3, 9, D});
  Mask mask = padding_mask(lengths, 9);
  each_layer([&](const MaskedLayer& layer) {
    if (layer.spans) return;
    Tensor batch = layer.f(x, mask).value();
    for (Size b = 0; b < 3; b++) {
      Size n = lengths[static_cast<std::size_t>(b)];
      Tensor alone = x.slice(0, b, b + 1).slice(1, 0, n);
      CHECK(close(layer.f(alone, {}).value(), row(layer, batch, b, n), same_length));
    }
    std::vector<int> full{9, 9, 9};
    CHECK(close(layer.f(x, padding_mask(full, 9)).value(), layer.f(x, {}).value(), same_length));
  });
}

TEST_CASE("contracts: causality, positions from t on reach no output before t") {
  Rng rng(4);
  Tensor x = random(rng, {2, 6, D});
  std::vector<int> lengths{6, 4};
  int causal = 0;
  each_layer([&](const MaskedLayer& layer) {
    if (!layer.causal) return;
    causal++;
    for (const Mask& mask : {Mask(), padding_mask(lengths, 6)}) {
      Tensor y = layer.f(x, mask).value();
      for (Size t = 1; t < 6; t++) {
        Tensor z = layer.f(changed(rng, changed(rng, x, 0, t, 10), 1, t, 10), mask).value();
        CHECK(same_bits(y.slice(1, 0, t), z.slice(1, 0, t)));
        if (!layer.others) CHECK_FALSE(close(y.slice(1, t, t + 1), z.slice(1, t, t + 1), 1e-3));
      }
    }
  });
  CHECK(causal >= 4);
}

TEST_CASE("contracts: layers that are not causal see both sides") {
  Rng rng(5);
  Tensor x = random(rng, {1, 4, D});
  each_layer([&](const MaskedLayer& layer) {
    if (layer.causal || layer.pools) return;
    Tensor y = layer.f(x, {}).value(), z = layer.f(changed(rng, x, 0, 3, 2), {}).value();
    CHECK_FALSE(close(y.slice(1, 0, 3), z.slice(1, 0, 3), 1e-6));
  });
}

TEST_CASE("contracts: a row of padding only is finite, gets no gradient and does not disturb the others") {
  Rng rng(6);
  std::vector<int> lengths{4, 0, 0};
  Tensor x = random(rng, {3, 4, D});
  Mask mask = padding_mask(lengths, 4);
  each_layer([&](const MaskedLayer& layer) {
    Var leaf = Var::parameter(x);
    Var y = layer.f(leaf, mask);
    CHECK(all_finite(y.value()));
    CHECK(close(row(layer, y.value(), 0, 4), layer.f(x.slice(0, 0, 1), {}).value(), same_length));
    if (layer.pools) CHECK(same_bits(y.value().slice(0, 1, 3), Tensor({2, D}, 0)));
    y.backward(random(rng, y.shape()));
    CHECK(all_finite(leaf.grad()));
    for (const Parameter& p : layer.parameters) CHECK(all_finite(p.var.grad()));
    Tensor nothing = leaf.grad().slice(0, 1, 3);
    if (!layer.residual) CHECK(close(nothing, Tensor(nothing.shape(), 0), 0, 1e-30));
  });
}

TEST_CASE("contracts: without any real position the scores teach nothing") {
  Rng rng(7);
  Tensor x = random(rng, {2, 3, D});
  std::vector<int> lengths{0, 0};
  each_layer([&](const MaskedLayer& layer) {
    Var y = layer.f(x, padding_mask(lengths, 3));
    CHECK(all_finite(y.value()));
    if (!y.requires_grad()) return;
    y.backward(random(rng, y.shape()));
    for (const Parameter& p : layer.parameters) {
      CAPTURE(p.name);
      CHECK(all_finite(p.var.grad()));
      bool scores = p.name.ends_with("q.w") || p.name.ends_with("k.w") || p.name.ends_with("v.w");
      if (scores) CHECK(close(p.var.grad(), Tensor(p.var.shape(), 0), 0, 1e-30));
    }
  });
}

TEST_CASE("fault 39: one sequence, one position, both: rank and shape stay, and the batch says the same") {
  Rng rng(8);
  Tensor x = random(rng, {3, 5, D});
  each_layer([&](const MaskedLayer& layer) {
    Tensor whole = layer.f(x, {}).value();
    for (Size batch : {Size(1), Size(3)})
      for (Size length : {Size(1), Size(5)}) {
        std::vector<int> lengths(static_cast<std::size_t>(batch), static_cast<int>(length));
        Tensor part = x.slice(0, 0, batch).slice(1, 0, length);
        for (const Mask& mask : {Mask(), padding_mask(lengths, length)}) {
          Tensor y = layer.f(part, mask).value();
          CHECK(y.rank() == whole.rank());
          CHECK(y.size(0) == batch);
          CHECK(y.size(-1) == whole.size(-1));
          if (!layer.pools) CHECK(y.size(1) == length);
          if (length == 5) CHECK(close(y, whole.slice(0, 0, batch), same_length));
          CHECK(all_finite(input_gradient([&](const Var& v) { return layer.f(v, mask); }, part, y)));
        }
      }
  });
}

TEST_CASE("contracts: an empty sequence is refused by name") {
  each_layer([&](const MaskedLayer& layer) {
    for (const Mask& mask : {Mask(), Mask({2, 0}, {})}) {
      std::string message = "no error";
      try {
        layer.f(Tensor({2, 0, D}), mask);
      } catch (const Error& error) {
        message = error.what();
      }
      CAPTURE(message);
      CHECK((message != "no error" && message.find(layer.error) != std::string::npos));
    }
  });
}

TEST_CASE("contracts: a mask of another length or batch, and an input without batch, are refused") {
  Rng rng(10);
  Tensor x = random(rng, {2, 3, D});
  each_layer([&](const MaskedLayer& layer) {
    auto mask = [](const Shape& shape) {
      return Mask(shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.numel()), 1));
    };
    CHECK_THROWS_AS(layer.f(x, mask({2, 4})), Error);
    CHECK_THROWS_AS(layer.f(x, mask({2, 2})), Error);
    CHECK_THROWS_AS(layer.f(x, mask({3, 3})), Error);
    CHECK_THROWS_AS(layer.f(x, mask({2, 3, 1})), Error);
    CHECK_THROWS_AS(layer.f(x.slice(0, 0, 1).reshape({3, D}), {}), Error);
  });
}

TEST_CASE("contracts: views give what their copies give") {
  Rng rng(11);
  Tensor x = random(rng, {2, 5, D});
  std::vector<int> lengths{5, 2};
  Mask mask = padding_mask(lengths, 5);
  each_layer([&](const MaskedLayer& layer) {
    Tensor y = layer.f(x, mask).value();
    CHECK(close(layer.f(reversed_layout(x), mask).value(), y));
    CHECK(close(layer.f(sliced_layout(x), mask).value(), y));
  });
}
