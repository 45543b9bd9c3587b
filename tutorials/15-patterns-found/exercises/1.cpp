#include <vector>

// The places of the k largest scores, in falling order; of equal ones the lower place first. All places when k is
// larger.
std::vector<int> largest(const std::vector<double>& scores, int k) {
  (void)scores, (void)k;
  return {};  // TODO
}
