#include <doctest/doctest.h>

#include "nn/attention/pattern.hpp"

#include EXERCISE

TEST_CASE("the cells that the library keeps") {
  for (int n : {1, 7, 20})
    for (int w : {0, 1, 3})
      for (const std::vector<int>& global : {std::vector<int>{}, {0}, {0, 5}}) {
        heed::Mask mask = heed::longformer(w, {global.begin(), global.end()}).mask(n, n);
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) CHECK(keeps(i, j, w, global) == mask[i * n + j]);
      }
}
