#include <doctest/doctest.h>

#include "nn/attention/multihead.hpp"
#include EXERCISE

TEST_CASE("08.2: parameters of a multi-head layer") {
  heed::Rng rng(1);
  auto real_count = [&](heed::Size dim, heed::Size heads, heed::Size width) {
    return static_cast<std::size_t>(heed::MultiHeadAttention(dim, heads, rng, {.head_dim = width}).parameter_count());
  };
  CHECK(parameters(64, 1, 64) == real_count(64, 1, 64));
  CHECK(parameters(64, 4, 16) == real_count(64, 4, 16));
  CHECK(parameters(32, 8, 16) == real_count(32, 8, 16));
  CHECK(parameters(10, 3, 7) == real_count(10, 3, 7));
}
