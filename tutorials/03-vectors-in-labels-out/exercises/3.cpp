// Exercise 3: how many vectors there are, and one for all of them.
#include <vector>

// Frames of 25 ms, a new one every 10 ms, that fit into a sound of so many milliseconds.
inline int frames(int milliseconds) {
  return -1;  // TODO
}

// The mean of N vectors of equal length.
inline std::vector<double> mean(const std::vector<std::vector<double>>& x) {
  return {};  // TODO
}

// From the gradient g of the mean, that of each of the n vectors (it is the same for all).
inline std::vector<double> mean_backward(const std::vector<double>& g, int n) {
  return {};  // TODO
}
