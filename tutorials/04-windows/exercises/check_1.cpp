#include EXERCISE

#include <doctest/doctest.h>

#include "nn/embedding.hpp"
#include "nn/linear.hpp"

TEST_CASE("smallest reach") {
  CHECK(smallest_reach({}, 90) == -1);
  CHECK(smallest_reach({2, 4, 6, 8}, 50) == 4);
  CHECK(smallest_reach({2, 4, 6, 8}, 100) == 8);
  CHECK(smallest_reach({2, 4, 6, 8}, 51) == 6);
  CHECK(smallest_reach({2, 2, 2, 2, 2, 2, 2, 2, 2, 40}, 90) == 2);
}

TEST_CASE("parameters are those of the layers") {
  heed::Rng rng(1);
  for (long reach : {0L, 1L, 8L})
    CHECK(parameters(54, 32, reach, 64, 8) ==
          heed::Embedding(54, 32, rng).parameter_count() +
              heed::WindowedLinear(32, 64, static_cast<int>(reach), rng).parameter_count() +
              heed::Linear(64, 8, rng).parameter_count());
}
