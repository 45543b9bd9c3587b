// Tests of nn/pooling.hpp: one vector for a whole sequence.
#include "nn/pooling.hpp"

#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {
const Mask first_two({2, 3}, {1, 1, 0, 0, 0, 0});  // of the second sequence nothing
const Tensor x = array({2, 3, 2}, {-1, -5, -3, -4, 100, 100, 1, 2, 3, 4, 5, 6});
}  // namespace

TEST_CASE("pooling: mean over the kept positions and their number, not over the padded length") {
  CHECK(close(masked_mean(x, first_two).value(), array({2, 2}, {-2, -4.5, 0, 0})));
  CHECK(close(masked_mean(x).value(), array({2, 2}, {32, 91 / 3.0, 3, 4})));
  Tensor dx = input_gradient([](const Var& v) { return masked_mean(v, first_two); }, x, array({2, 2}, {2, 4, 6, 8}));
  CHECK(close(dx, array({2, 3, 2}, {1, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("pooling: largest kept value, also when all are negative; of nothing it is 0") {
  CHECK(same_bits(masked_max(x, first_two).value(), array({2, 2}, {-1, -4, 0, 0})));
  CHECK(same_bits(masked_max(x).value(), array({2, 2}, {100, 100, 5, 6})));
  Tensor dx = input_gradient([](const Var& v) { return masked_max(v, first_two); }, x, array({2, 2}, {2, 4, 6, 8}));
  CHECK(same_bits(dx, array({2, 3, 2}, {2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("pooling: in ties the lowest position takes the whole gradient") {
  Tensor tied = array({1, 3, 1}, {7, 7, 7});
  Mask last_two({1, 3}, {0, 1, 1});
  auto gradient = [&](const Mask& mask) {
    return input_gradient([&](const Var& v) { return masked_max(v, mask); }, tied, Tensor({1, 1}, 1));
  };
  CHECK(same_bits(gradient({}), array({1, 3, 1}, {1, 0, 0})));
  CHECK(same_bits(gradient(last_two), array({1, 3, 1}, {0, 1, 0})));
}

TEST_CASE("pooling: kept positions need not be the first ones; gradients") {
  Rng rng(1);
  Mask holes({2, 4}, {0, 1, 0, 1, 1, 1, 1, 0});
  Tensor y = random(rng, {2, 4, 3});
  CHECK(layer_gradcheck([&](const Vars& v) { return masked_mean(v[0], holes); }, {y}, {}) < gradient_tolerance);
  CHECK(layer_gradcheck([&](const Vars& v) { return masked_max(v[0], holes); }, {y}, {}) < gradient_tolerance);
  Tensor kept = concat(std::vector<Var>{slice(y.slice(0, 0, 1), 1, 1, 2), slice(y.slice(0, 0, 1), 1, 3, 4)}, 1).value();
  CHECK(close(masked_mean(y, holes).value().slice(0, 0, 1), masked_mean(kept).value()));
  CHECK(same_bits(masked_max(y, holes).value().slice(0, 0, 1), masked_max(kept).value()));
}

TEST_CASE("pooling: NaN and infinity in padding do not count") {
  Tensor bad = x;
  bad.mut()[4] = static_cast<real>(infinity);
  bad.mut()[5] = static_cast<real>(not_a_number);
  CHECK(same_bits(masked_mean(bad, first_two).value(), masked_mean(x, first_two).value()));
  CHECK(same_bits(masked_max(bad, first_two).value(), masked_max(x, first_two).value()));
}

TEST_CASE("pooling: masks and inputs of another shape are refused") {
  CHECK_THROWS_WITH_AS(masked_mean(x, Mask({2, 2}, {1, 1, 1, 1})),
                       "heed: masked_mean: expected a mask of shape (2, 3), got (2, 2)", Error);
  CHECK_THROWS_WITH_AS(masked_max(x, Mask({3}, {1, 1, 1})),
                       "heed: masked_max: expected a mask of shape (2, 3), got (3)", Error);
  CHECK_THROWS_WITH_AS(masked_max(x.reshape({6, 2})), "heed: masked_max: expected (B, N, D) with N > 0, got (6, 2)",
                       Error);
}
