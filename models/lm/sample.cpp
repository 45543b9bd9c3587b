#include "models/lm/sample.hpp"

#include <algorithm>
#include <cmath>

namespace HEED_NAMESPACE {

int sample(std::span<const real> scores, const SampleOptions& o, Rng& rng) {
  check(!scores.empty() && o.temperature >= 0, "sample", "expected scores and a temperature of 0 or more, got ",
        scores.size(), " and ", o.temperature);
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  auto score = [&](int i) { return static_cast<double>(scores[static_cast<std::size_t>(i)]); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score(a) > score(b); });
  if (o.temperature == 0) return order[0];
  if (o.top_k > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(o.top_k)));
  std::vector<double> weights;
  double total = 0;
  for (int i : order) total += weights.emplace_back(std::exp((score(i) - score(order[0])) / o.temperature));
  double kept = 0;
  std::size_t count = 0;
  while (count < weights.size() && (count == 0 || kept < o.top_p * total)) kept += weights[count++];
  double at = rng.uniform() * kept;
  for (std::size_t i = 0; i + 1 < count; i++)
    if ((at -= weights[i]) < 0) return order[i];
  return order[count - 1];
}

}  // namespace HEED_NAMESPACE
