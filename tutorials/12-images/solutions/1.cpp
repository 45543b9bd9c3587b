#include <algorithm>
#include <cmath>
#include <vector>

std::vector<double> head_weights(int height, int width, int row, int column, int down, int right, double sharpness) {
  std::vector<double> weights;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double a = y - row - down, b = x - column - right;
      weights.push_back(-sharpness * (a * a + b * b));
    }
  double largest = *std::max_element(weights.begin(), weights.end()), total = 0;
  for (double& w : weights) total += w = std::exp(w - largest);
  for (double& w : weights) w /= total;
  return weights;
}
