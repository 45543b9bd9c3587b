#include <vector>

// The weights of one head of a convolution written as attention, for the query at (row, column) of an image: softmax
// over all pixels (y, x), row by row, of -sharpness ((y - row - down)² + (x - column - right)²).
std::vector<double> head_weights(int height, int width, int row, int column, int down, int right, double sharpness) {
  (void)row, (void)column, (void)down, (void)right, (void)sharpness;
  return std::vector<double>(static_cast<std::size_t>(height * width));  // TODO
}
