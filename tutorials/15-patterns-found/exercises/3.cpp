#include <vector>

using Rows = std::vector<std::vector<double>>;

// Sinkhorn's normalisation of e^scores: rows divided by their sums, then columns, so many times. Scores of ±800 must do
// no harm: stay with logarithms until the end.
Rows balanced(const Rows& scores, int rounds) {
  (void)rounds;
  return Rows(scores.size(), std::vector<double>(scores.size()));  // TODO
}
