#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

namespace {
void check_row(const std::vector<double>& scores, const std::vector<bool>& keep, const std::vector<double>& expected) {
  std::vector<double> found = masked_softmax(scores, keep);
  REQUIRE(found.size() == expected.size());
  for (std::size_t j = 0; j < found.size(); j++) {
    CAPTURE(j);
    CHECK(std::abs(found[j] - expected[j]) < 1e-12);  // also false for NaN
  }
}
}  // namespace

TEST_CASE("07.2: softmax over the real keys") {
  double e = std::exp(1);
  check_row({0, 1}, {true, true}, {1 / (1 + e), e / (1 + e)});
  check_row({0, 1, 5}, {true, true, false}, {1 / (1 + e), e / (1 + e), 0});
  check_row({5, 0, 1}, {false, true, true}, {0, 1 / (1 + e), e / (1 + e)});
  check_row({3, -2}, {false, false}, {0, 0});
  check_row({800, 801}, {true, true}, {1 / (1 + e), e / (1 + e)});
  check_row({1e4, 0, 0}, {false, true, true}, {0, 0.5, 0.5});
  check_row({0, -1e12, -1e12}, {false, true, true}, {0, 0.5, 0.5});
}
