#include <vector>

using Rows = std::vector<std::vector<double>>;

Rows recurrent(const Rows& query_features, const Rows& key_features, const Rows& values) {
  std::size_t features = key_features[0].size(), width = values[0].size();
  Rows sums(features, std::vector<double>(width)), out(values.size(), std::vector<double>(width));
  std::vector<double> total(features);
  for (std::size_t i = 0; i < values.size(); i++) {
    double weight = 0;
    for (std::size_t m = 0; m < features; m++) {
      total[m] += key_features[i][m];
      weight += query_features[i][m] * total[m];
      for (std::size_t c = 0; c < width; c++) {
        sums[m][c] += key_features[i][m] * values[i][c];
        out[i][c] += query_features[i][m] * sums[m][c];
      }
    }
    for (double& x : out[i]) x /= weight;
  }
  return out;
}
