#include <doctest/doctest.h>

#include <initializer_list>

#include EXERCISE

TEST_CASE("as many as counted one by one") {
  for (long n : {1, 2, 5, 16, 33})
    for (long w : {0, 1, 2, 7, 40}) {
      long count = 0;
      for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) count += i - j <= w && j - i <= w;
      CHECK(kept_cells(n, w) == count);
    }
}

TEST_CASE("a million positions") { CHECK(kept_cells(1'000'000, 256) == 512'934'208); }
