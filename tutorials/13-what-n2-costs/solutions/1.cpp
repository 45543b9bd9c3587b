#include <cstddef>

// Both sides divided by 2 N dim: N = 2 dim + hidden.
std::ptrdiff_t crossing(std::ptrdiff_t dim, std::ptrdiff_t hidden) { return 2 * dim + hidden; }
