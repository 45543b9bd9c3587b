#include <doctest/doctest.h>

#include <initializer_list>

#include EXERCISE

TEST_CASE("cheaper from there on, not cheaper just before") {
  for (long m : {1, 3, 16, 64, 100})
    for (long d : {1, 2, 16, 48, 512}) {
      auto matrix = [&](long n) { return n * n * m + n * n * d; };
      auto reordered = [&](long n) { return 2 * n * m * d; };
      long n = pays_from(m, d);
      CHECK(reordered(n) < matrix(n));
      CHECK(reordered(n - 1) >= matrix(n - 1));
    }
}
