#include <vector>

// keep[i][j]: query i may use key j, for i - left <= j <= i + right, both within n.
std::vector<std::vector<bool>> truncated(int n, int left, int right) {
  (void)left, (void)right;
  auto size = static_cast<std::size_t>(n);
  return std::vector<std::vector<bool>>(size, std::vector<bool>(size));  // TODO
}

// How many cells that keeps, without making the matrix. left and right are below n.
long kept(long n, long left, long right) {
  (void)n, (void)left, (void)right;
  return 0;  // TODO
}
