// Tests of nn/optim/schedule.hpp.
#include "nn/optim/schedule.hpp"

#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("fault 73: the first update of a warm-up has a rate above 0, its last the full one") {
  WarmupCosine o{.base = 0.1, .warmup = 4, .total = 100};
  CHECK(warmup_cosine(0, o) == doctest::Approx(0.025));
  CHECK(warmup_cosine(1, o) == doctest::Approx(0.05));
  CHECK(warmup_cosine(3, o) == doctest::Approx(0.1));
  CHECK(warmup_cosine(4, o) == doctest::Approx(0.1));
  CHECK(warmup_cosine(0, {.base = 0.1, .warmup = 0, .total = 100}) == doctest::Approx(0.1));
}

TEST_CASE("schedule: half a cosine from base to the floor, which stays") {
  WarmupCosine o{.base = 2, .warmup = 10, .total = 110, .floor = 0.1};
  CHECK(warmup_cosine(10, o) == doctest::Approx(2));
  CHECK(warmup_cosine(60, o) == doctest::Approx(2 * (0.1 + 0.9 * 0.5)));
  CHECK(warmup_cosine(35, o) == doctest::Approx(2 * (0.1 + 0.9 * 0.5 * (1 + std::sqrt(0.5)))));
  CHECK(warmup_cosine(110, o) == doctest::Approx(0.2));
  CHECK(warmup_cosine(100000, o) == doctest::Approx(0.2));
  for (Size s = 10; s < 110; s++) CHECK(warmup_cosine(s + 1, o) < warmup_cosine(s, o));
  for (Size s = 0; s < 9; s++) CHECK(warmup_cosine(s + 1, o) > warmup_cosine(s, o));
}

TEST_CASE("schedule: no division by zero when there is no room for the cosine") {
  for (Size total : {Size(0), Size(4), Size(3)})
    for (Size s = 0; s < 8; s++) {
      double rate = warmup_cosine(s, {.base = 0.1, .warmup = 4, .total = total});
      CHECK(std::isfinite(rate));
      CHECK(rate >= 0);
      CHECK(rate <= 0.1 + 1e-12);
    }
}

TEST_CASE("schedule: Noam rises linearly, meets the inverse square root at the warm-up's end") {
  CHECK(noam(0, 64, 100) == doctest::Approx(0.125 * 1e-3));
  CHECK(noam(49, 64, 100) == doctest::Approx(0.125 * 0.05));
  CHECK(noam(99, 64, 100) == doctest::Approx(0.125 * 0.1));
  CHECK(noam(399, 64, 100) == doctest::Approx(0.125 * 0.05));
  CHECK(noam(0, 64, 1) == doctest::Approx(0.125));
  CHECK_THROWS_WITH_AS(noam(0, 64, 0), "heed: noam: dim and warmup must be positive, got 64 and 0", Error);
  CHECK_THROWS_AS(noam(0, 0, 10), Error);
}
