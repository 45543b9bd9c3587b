#include EXERCISE

#include <doctest/doctest.h>

using Table = std::vector<std::vector<double>>;

TEST_CASE("a row that is read once") {
  CHECK(embedding_backward({1}, {{5, 6}}, 3, 2) == Table{{0, 0}, {5, 6}, {0, 0}});
}

TEST_CASE("a row that is read twice") {
  CHECK(embedding_backward({2, 0, 2}, {{1, 2}, {3, 4}, {10, 20}}, 3, 2) == Table{{3, 4}, {0, 0}, {11, 22}});
}

TEST_CASE("nothing read") { CHECK(embedding_backward({}, {}, 2, 1) == Table{{0}, {0}}); }
