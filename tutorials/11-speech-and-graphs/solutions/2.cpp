#include <vector>

std::vector<std::vector<bool>> truncated(int n, int left, int right) {
  auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<bool>> keep(size, std::vector<bool>(size));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      keep[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = i - left <= j && j <= i + right;
  return keep;
}

// left + right + 1 a row, but for a triangle in each corner.
long kept(long n, long left, long right) {
  return n * (left + right + 1) - left * (left + 1) / 2 - right * (right + 1) / 2;
}
