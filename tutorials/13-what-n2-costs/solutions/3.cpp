#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

std::vector<double> causal(int n, const std::function<double(int i, int j)>& score,
                           const std::function<double(int j)>& value) {
  std::vector<double> out;
  for (int i = 0; i < n; i++) {
    double largest = -std::numeric_limits<double>::infinity(), total = 0, sum = 0;
    for (int j = 0; j <= i; j++) {
      double s = score(i, j), now = std::max(largest, s), shrink = std::exp(largest - now), weight = std::exp(s - now);
      total = total * shrink + weight;
      sum = sum * shrink + weight * value(j);
      largest = now;
    }
    out.push_back(sum / total);
  }
  return out;
}
