// Tests of nn/attention/hard.hpp.
#include "nn/attention/hard.hpp"

#include "nn/gumbel.hpp"
#include "tests/nn/layers.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

Var scores_of(const HardAttention& layer, const Var& x, const Var& memory) {
  return matmul(layer.q(x), transpose(layer.k(memory))) / std::sqrt(static_cast<real>(layer.q.w.size(1)));
}

}  // namespace

TEST_CASE("hard attention: in evaluation the best key alone is read, never padding, and zeros where there is none") {
  Rng rng(1);
  HardAttention layer(4, 3, rng);
  Tensor x = random(rng, {3, 2, 4}), memory = random(rng, {3, 5, 4});
  std::vector<int> lengths{5, 2, 0};
  Mask padding = padding_mask(lengths, 5);
  Eval eval;
  HardRead read = layer.read(x, memory, padding);
  std::vector<real> scores = scores_of(layer, x, memory).value().to_vector(),
                    values = layer.v(memory).value().to_vector(), y = read.y.value().to_vector();
  for (std::size_t i = 0; i < 6; i++) {
    int best = -1, length = lengths[i / 2];
    for (int j = 0; j < length; j++)
      if (best < 0 || scores[i * 5 + static_cast<std::size_t>(j)] > scores[i * 5 + static_cast<std::size_t>(best)])
        best = j;
    CHECK(read.chosen[i] == best);
    for (std::size_t d = 0; d < 4; d++)
      CHECK(y[i * 4 + d] == (best < 0 ? 0 : values[(i / 2 * 5 + static_cast<std::size_t>(best)) * 4 + d]));
  }
  CHECK(close(layer.straight_through(x, memory, padding).value(), read.y.value(), tolerance(1e-12, 1e-5)));
  CHECK(read.log_probability.value().to_vector()[5] == 0);
}

TEST_CASE("hard attention: gradients stay finite where there is no key") {
  Rng rng(2);
  HardAttention layer(4, 3, rng);
  Mask padding = padding_mask(std::vector<int>{3, 0}, 3);
  Var x = Var::parameter(random(rng, {2, 2, 4})), memory = Var::parameter(random(rng, {2, 3, 4}));
  HardRead read = layer.read(x, memory, padding);
  (sum(read.y) + sum(read.log_probability) + sum(read.entropy) + sum(layer.straight_through(x, memory, padding)))
      .backward();
  CHECK(all_finite(x.grad()));
  CHECK(all_finite(memory.grad()));
  CHECK(x.grad().to_vector()[15] == 0);
}

TEST_CASE("hard attention: REINFORCE has the expected gradient within three standard errors") {
  Rng rng(3);
  HardAttention layer(2, 2, rng);
  const Size copies = 4000;
  Tensor one_x = random(rng, {1, 1, 2}), one_memory = random(rng, {1, 3, 2}, -2, 2);
  Tensor x = expand(one_x, {copies, 1, 2}).value(), memory = expand(one_memory, {copies, 3, 2}).value();
  const std::vector<real> rewards{1, 0, real(0.3)};
  Var p = softmax(scores_of(layer, one_x, one_memory));
  (-sum(p * Tensor({3}, rewards))).backward();
  std::vector<real> exact = std::exchange(layer.q.w.grad(), Tensor()).to_vector();
  layer.k.w.grad() = Tensor();
  const int rounds = 25;
  std::vector<double> sums(4, 0), squares(4, 0);
  for (int round = 0; round < rounds; round++) {
    HardRead read = layer.read(x, memory);
    Tensor reward({copies, 1});
    for (Size i = 0; i < copies; i++)
      reward.mut()[i] = rewards[static_cast<std::size_t>(read.chosen[static_cast<std::size_t>(i)])];
    reinforce(read, reward, Tensor({copies, 1}, real(0.4)), 0).backward();
    std::vector<real> grad = std::exchange(layer.q.w.grad(), Tensor()).to_vector();
    for (std::size_t i = 0; i < 4; i++) {
      auto g = static_cast<double>(grad[i]);
      sums[i] += g, squares[i] += g * g;
    }
  }
  for (std::size_t i = 0; i < 4; i++) {
    double mean = sums[i] / rounds, error = std::sqrt((squares[i] / rounds - mean * mean) / (rounds - 1));
    CHECK(error > 0);
    CHECK(std::abs(mean - static_cast<double>(exact[i])) < 3 * error);
  }
}

TEST_CASE("hard attention: straight through, backward is that of the softmax it was drawn from") {
  Rng rng(4);
  HardAttention layer(3, 2, rng);
  Var x = Var::parameter(random(rng, {2, 2, 3})), memory = random(rng, {2, 4, 3});
  Tensor upstream = random(rng, {2, 2, 3});
  std::uint64_t state = rng.state();
  Var y = layer.straight_through(x, memory, {}, real(0.7));
  y.backward(upstream);
  Tensor got = std::exchange(x.grad(), Tensor()), got_k = std::exchange(layer.k.w.grad(), Tensor());
  rng.set_state(state);
  Var s = scores_of(layer, x, memory);
  Var soft = softmax(s + gumbel_noise(s.shape(), rng), {}, 1 / real(0.7));
  matmul(soft, layer.v(memory).value()).backward(upstream);
  CHECK(close(got, x.grad(), tolerance(1e-12, 1e-5)));
  CHECK(close(got_k, layer.k.w.grad(), tolerance(1e-12, 1e-5)));
  std::vector<real> values = layer.v(memory).value().to_vector(), out = y.value().to_vector();
  for (std::size_t i = 0; i < 4; i++) {  // each output is one of the values
    bool found = false;
    for (std::size_t j = 0; j < 4; j++) found |= std::abs(out[i * 3] - values[(i / 2 * 4 + j) * 3]) < real(1e-5);
    CHECK(found);
  }
}

TEST_CASE("hard attention: the baseline learns from its own error alone; the rest, and errors") {
  Rng rng(5);
  HardAttention layer(3, 2, rng);
  HardRead read = layer.read(random(rng, {2, 1, 3}), random(rng, {2, 4, 3}));
  Var baseline = Var::parameter(Tensor({2}, std::vector<real>{real(0.25), real(0.5)}));
  reinforce(read, Tensor({2}, std::vector<real>{1, 0}), baseline, 0).backward();
  CHECK(close(baseline.grad(), Tensor({2}, std::vector<real>{real(-0.75), real(0.5)}), tolerance(1e-12, 1e-6)));
  Var entropy = layer.read(Tensor({1, 1, 3}, 0), random(rng, {1, 4, 3})).entropy;
  CHECK(entropy.item() == doctest::Approx(std::log(4.0)));
  CHECK_THROWS_AS(reinforce(read, Tensor({3}, 0), baseline), Error);
  CHECK_THROWS_AS(layer.read(Tensor({2, 1, 3}, 0), Tensor({1, 4, 3}, 0)), Error);
  CHECK_THROWS_AS(layer.read(Tensor({1, 1, 3}, 0), Tensor({1, 4, 3}, 0), padding_mask(std::vector<int>{1}, 3)), Error);
}

TEST_CASE("hard attention: a batch of nothing reads nothing") {
  Rng rng(6);
  HardAttention layer(3, 2, rng);
  Tensor x({0, 1, 3}, 0), memory({0, 4, 3}, 0);
  Mask padding({0, 4}, {});
  CHECK(layer.read(x, memory, padding).y.shape() == Shape{0, 1, 3});
  CHECK(layer.straight_through(x, memory, padding).shape() == Shape{0, 1, 3});
}
