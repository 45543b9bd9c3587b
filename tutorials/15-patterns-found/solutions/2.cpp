#include <vector>

// A cluster of s costs s²; the sum is least when sizes differ by one at most.
long cells(const std::vector<long>& sizes) {
  long sum = 0;
  for (long size : sizes) sum += size * size;
  return sum;
}
long fewest_cells(long n, long clusters) {
  long small = n / clusters, larger = n % clusters;
  return larger * (small + 1) * (small + 1) + (clusters - larger) * small * small;
}
