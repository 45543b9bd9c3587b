// Tests of tensor/rng.cpp: numbers that are the same everywhere, and as random as they should be.
#include "tensor/rng.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("rng: bits are those of splitmix64") {
  Rng rng(1234567);
  for (std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    CHECK(rng.bits() == expected);
}

TEST_CASE("rng: the first numbers are pinned, to the last bit") {
  Rng uniform(1), normal(1), tail(3), below(1);
  for (double expected : {0.5665615751722809, 0.7457817572627011, 0.9710027535867962, 0.4443592170557721})
    CHECK(uniform.uniform() == expected);
  for (double expected : {0x1.574cbe7a124e1p-3, 0x1.529288194fbbdp-1, 0x1.e54f2fe7a3b52p+0, -0x1.1e9189ece2524p-3,
                          -0x1.1f0ef9c19887cp-3, 0x1.6e68e2eaa0335p-1})
    CHECK(normal.normal() == expected);
  for (Size expected : {566, 745, 971, 444, 444, 762}) CHECK(below.below(1000) == expected);
  CHECK(Rng(1).permutation(8) == std::vector<int>{0, 3, 7, 1, 2, 6, 5, 4});
  double last = 0;  // the outermost piece of the normal's inverse is reached once in some million draws
  for (int i = 0; i <= 110972; i++) last = tail.normal();
  CHECK(last == -5.153167624720755);
  // float and double builds draw the same stream.
  Rng a(5), b(5);
  Tensor x = a.normal({4}, 2);
  for (Size i = 0; i < 4; i++) CHECK(x.at({i}) == static_cast<real>(2 * b.normal()));
  Tensor y = a.uniform({2, 2}, 3);
  CHECK(y.at({0, 0}) == static_cast<real>((2 * b.uniform() - 1) * 3));
}

TEST_CASE("rng: moments") {
  Rng rng(7);
  const int n = 200'000;
  double mean = 0, square = 0, third = 0, fourth = 0, low = 1, high = 0, uniform = 0, uniform_square = 0;
  for (int i = 0; i < n; i++) {
    double x = rng.normal(), u = rng.uniform();
    mean += x / n, square += x * x / n, third += x * x * x / n, fourth += x * x * x * x / n;
    low = std::min(low, u), high = std::max(high, u), uniform += u / n, uniform_square += u * u / n;
  }
  CHECK(std::abs(mean) < 0.01);
  CHECK(std::abs(square - 1) < 0.015);
  CHECK(std::abs(third) < 0.04);
  CHECK(std::abs(fourth - 3) < 0.1);
  CHECK(low >= 0);
  CHECK(low < 1e-3);
  CHECK(high < 1);
  CHECK(high > 0.999);
  CHECK(std::abs(uniform - 0.5) < 0.004);
  CHECK(std::abs(uniform_square - 1.0 / 3) < 0.004);
  Tensor x = rng.uniform({1000}, 0.25);
  for (real v : x.to_vector()) CHECK(std::abs(v) <= real(0.25));
}

TEST_CASE("rng: below is uniform") {
  Rng rng(8);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; i++) counts[static_cast<std::size_t>(rng.below(7))]++;
  for (int count : counts) CHECK(std::abs(count - 10'000) < 400);
  for (int i = 0; i < 100; i++) CHECK(rng.below(1) == 0);
  CHECK_THROWS_WITH(rng.below(0), "heed: Rng::below: expected a positive bound, got 0");
  CHECK_THROWS_WITH(rng.below(-3), "heed: Rng::below: expected a positive bound, got -3");
}

TEST_CASE("rng: permutations hold every number once, each order as often") {
  Rng rng(9);
  std::vector<int> order = rng.permutation(100), sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 100; i++) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  CHECK(order != sorted);
  CHECK(rng.permutation(0).empty());
  std::vector<int> counts(27);
  for (int i = 0; i < 12'000; i++) {
    std::vector<int> p = rng.permutation(3);
    counts[static_cast<std::size_t>(p[0] * 9 + p[1] * 3 + p[2])]++;
  }
  int seen = 0;
  for (int count : counts) {
    if (!count) continue;
    seen++;
    CHECK(std::abs(count - 2000) < 200);
  }
  CHECK(seen == 6);
  std::vector<std::string> words = {"a", "b", "c"};
  rng.shuffle(words);
  std::sort(words.begin(), words.end());
  CHECK(words == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("rng: copies replay, states resume") {
  Rng rng(10);
  rng.bits();
  Rng copy = rng;
  std::uint64_t state = rng.state(), next = rng.bits();
  CHECK(copy.bits() == next);
  rng.set_state(state);
  CHECK(rng.bits() == next);
  CHECK(Rng(1).bits() != Rng(2).bits());
}
