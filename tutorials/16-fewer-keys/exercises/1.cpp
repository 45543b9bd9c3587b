#include <vector>

// The fewest singular values (given in falling order) whose squares add up to at least `share` of all squares.
int values_for(const std::vector<double>& singular, double share) {
  (void)singular, (void)share;
  return -1;  // TODO
}
