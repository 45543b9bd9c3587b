#include <vector>

using Rows = std::vector<std::vector<double>>;

// An image of one channel as words: patches of `size` x `size` pixels, row by row, each flattened row by row. Both
// sides of the image are multiples of size.
Rows cut(const Rows& image, int size) {
  (void)image, (void)size;
  return {};  // TODO
}
