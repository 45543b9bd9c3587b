#include <doctest/doctest.h>

#include EXERCISE

TEST_CASE("the band, and its cells counted") {
  for (int n : {1, 4, 9})
    for (int left : {0, 1, 3})
      for (int right : {0, 2}) {
        if (left >= n || right >= n) continue;
        auto keep = truncated(n, left, right);
        REQUIRE(keep.size() == static_cast<std::size_t>(n));
        long count = 0;
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) {
            bool wanted = j - i <= right && i - j <= left;
            CHECK(keep[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] == wanted);
            count += wanted;
          }
        CHECK(kept(n, left, right) == count);
      }
}

TEST_CASE("twenty seconds of speech") { CHECK(kept(2000, 6, 6) == 25958); }
