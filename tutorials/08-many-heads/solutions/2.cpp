// Exercise 08.2: three matrices (D, H d) with biases of H d, one (H d, D) with a bias of D.
#include <cstddef>

std::size_t parameters(std::size_t dim, std::size_t heads, std::size_t width) {
  std::size_t all = heads * width;
  return 3 * (dim * all + all) + all * dim + dim;
}
