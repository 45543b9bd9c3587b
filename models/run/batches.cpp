#include "models/run/batches.hpp"

#include <algorithm>
#include <numeric>

namespace HEED_NAMESPACE {

std::vector<Group> batches_of_like_length(const std::vector<std::size_t>& lengths, std::size_t tokens, Rng* shuffle) {
  std::vector<double> key;
  for (std::size_t length : lengths) {
    double n = static_cast<double>(length);
    key.push_back(shuffle ? n + (shuffle->uniform() - 0.5) * (2 + 0.2 * n) : n);
  }
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  std::vector<Group> groups;
  std::size_t longest = 0;
  for (std::size_t i : order) {
    longest = std::max(longest, lengths[i]);
    if (groups.empty() || longest * (groups.back().size() + 1) > tokens) {
      groups.emplace_back();
      longest = lengths[i];
    }
    groups.back().push_back(i);
  }
  if (shuffle) shuffle->shuffle(groups);
  return groups;
}

}  // namespace HEED_NAMESPACE
