#include <doctest/doctest.h>

#include <cmath>
#include <heed.hpp>

#include EXERCISE

TEST_CASE("causal attention, as the library computes it") {
  heed::Rng rng(1);
  for (heed::Size n : {1, 2, 17, 60}) {
    heed::Tensor q = rng.normal({n, 4}, 2), k = rng.normal({n, 4}, 2), v = rng.normal({n, 1}, 1);
    auto score = [&](int i, int j) {
      double sum = 0;
      for (int c = 0; c < 4; c++) sum += static_cast<double>(q.at({i, c})) * static_cast<double>(k.at({j, c}));
      return sum / 2;
    };
    auto value = [&](int j) { return static_cast<double>(v.at({j, 0})); };
    std::vector<double> mine = causal(static_cast<int>(n), score, value);
    heed::Tensor theirs = heed::attention(q, k, v, {.patterns = {heed::causal()}}).value();
    REQUIRE(static_cast<heed::Size>(mine.size()) == n);
    for (heed::Size i = 0; i < n; i++)
      CHECK(std::abs(mine[static_cast<std::size_t>(i)] - static_cast<double>(theirs.at({i, 0}))) < 1e-5);
  }
}

TEST_CASE("each needed score once, no other") {
  int n = 40;
  std::vector<int> asked(1600);
  causal(
      n,
      [&](int i, int j) {
        asked[static_cast<std::size_t>(40 * i + j)]++;
        return 0.0;
      },
      [](int) { return 1.0; });
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) CHECK(asked[static_cast<std::size_t>(40 * i + j)] == (j <= i));
}

TEST_CASE("scores of 800 neither overflow nor vanish") {
  auto out = causal(
      3, [](int, int j) { return j == 1 ? 800.0 : -800.0; }, [](int j) { return j + 1.0; });
  REQUIRE(out.size() == 3);
  CHECK(out[0] == doctest::Approx(1));
  CHECK(out[1] == doctest::Approx(2));
  CHECK(out[2] == doctest::Approx(2));
}
