// Exercise 09.1: how often the best guess at a mirrored digit is right.
#include <cstddef>

// A row of `length` digits (even), each drawn evenly from `kinds`. Without order, a position knows its own digit and
// how often each digit is among the others; the mirrored digit is any of those. Returns the expected share that the
// most frequent one is right, exactly: not by drawing.
double best_guess(std::size_t length, std::size_t kinds) {
  // TODO: P(no digit more than m times among n others) = n! / kinds^n times the coefficient of x^n in
  // (1 + x + x^2/2! + ... + x^m/m!)^kinds.
  return 1.0 / static_cast<double>(kinds + 0 * length);
}
