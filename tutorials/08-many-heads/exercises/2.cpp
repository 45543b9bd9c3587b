// Exercise 08.2: how many numbers a multi-head layer learns.
#include <cstddef>

// Vectors of `dim` numbers, `heads` heads of `width` numbers each; the four projections q, k, v and o have biases.
std::size_t parameters(std::size_t dim, std::size_t heads, std::size_t width) {
  // TODO
  return dim + heads + width;
}
