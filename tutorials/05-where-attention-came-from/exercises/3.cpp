// Exercise 05.3: what looking back costs, in multiply-adds. The tanh and the softmax are left out.
#include <cstddef>

// `read` states and `written` digits, all vectors of `dim` numbers. Counted are s W^q for each written digit, h W^k and
// h W^v once for each state, the product with w for each pair, and the mixture of values for each written digit.
std::size_t soft_attention(std::size_t read, std::size_t written, std::size_t dim) {
  // TODO
  return read + written + dim;
}
