#include <functional>
#include <vector>

// out[i] = Σ_{j<=i} w_ij value(j), w_i the softmax of score(i, 0) to score(i, i).
std::vector<double> causal(int n, const std::function<double(int i, int j)>& score,
                           const std::function<double(int j)>& value) {
  (void)score, (void)value;
  return std::vector<double>(static_cast<std::size_t>(n));  // TODO
}
