#include <doctest/doctest.h>

#include <cmath>

#include EXERCISE

TEST_CASE("09.1: the best guess at a mirrored digit") {
  CHECK(std::abs(best_guess(2, 10) - 1) < 1e-9);                              // the only other digit is known
  CHECK(std::abs(best_guess(4, 1) - 1) < 1e-9);                               // there is only one digit
  CHECK(std::abs(best_guess(4, 2) - (3 * 0.25 + 2 * 0.75) / 3) < 1e-9);       // three coins: all alike, or two and one
  CHECK(std::abs(best_guess(4, 3) - (3 * 3 + 2 * 18 + 1 * 6) / 81.) < 1e-9);  // 27 rows of three, counted
  CHECK(std::abs(best_guess(12, 10) - 0.266255) < 1e-5);
}
