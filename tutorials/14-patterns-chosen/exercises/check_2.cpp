#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>

#include EXERCISE

namespace {
int layers(int n, const std::function<bool(int, int)>& keep) {
  std::vector<std::vector<bool>> all(static_cast<std::size_t>(n), std::vector<bool>(static_cast<std::size_t>(n)));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) all[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = keep(i, j);
  return layers_to_mix(all);
}
}  // namespace

TEST_CASE("full attention needs one layer, a window many") {
  CHECK(layers(20, [](int, int) { return true; }) == 1);
  CHECK(layers(21, [](int i, int j) { return std::abs(i - j) <= 2; }) == 10);
  CHECK(layers(22, [](int i, int j) { return std::abs(i - j) <= 2; }) == 11);
}

TEST_CASE("a comb never mixes its classes, with a window it needs two") {
  CHECK(layers(20, [](int i, int j) { return (i - j) % 4 == 0; }) == 0);
  CHECK(layers(20, [](int i, int j) { return (i - j) % 4 == 0 || std::abs(i - j) <= 3; }) == 2);
}

TEST_CASE("one global position: there and back, also without the diagonal") {
  CHECK(layers(30, [](int i, int j) { return i == 0 || j == 0; }) == 2);
}

TEST_CASE("what goes one way does not come back") {
  CHECK(layers(5, [](int i, int j) { return j <= i; }) == 0);
  CHECK(layers(6, [](int i, int j) { return j == (i + 1) % 6; }) == 5);
}
