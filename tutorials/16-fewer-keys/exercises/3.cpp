#include <vector>

using Rows = std::vector<std::vector<double>>;

// Causal linear attention as a recurrent network: out_i = φq_i' S_i / φq_i · z_i with S_i = S_{i-1} + φk_i v_i' and
// z_i = z_{i-1} + φk_i. One pass, and no matrix of N x N.
Rows recurrent(const Rows& query_features, const Rows& key_features, const Rows& values) {
  (void)query_features, (void)key_features;
  return Rows(values.size(), std::vector<double>(values[0].size()));  // TODO
}
