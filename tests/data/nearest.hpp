// nearest.hpp — the simplest classifier, to show what a task's items tell without any model.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "models/data/example.hpp"

namespace HEED_NAMESPACE::testing {

// How often the class is that of the nearest mean of other items, by `look`, a vector of numbers for each.
template <class F>
double nearest_mean(const ExampleSet& set, const F& look) {
  std::map<int, std::vector<double>> sums;
  std::map<int, double> counts;
  std::size_t half = set.items.size() / 2;
  double right = 0;
  for (std::size_t i = 0; i < set.items.size(); i++) {
    std::vector<double> x = look(set.items[i]);
    int answer = set.items[i].targets[0];
    if (i < half) {
      sums[answer].resize(x.size());
      for (std::size_t k = 0; k < x.size(); k++) sums[answer][k] += x[k];
      counts[answer]++;
    } else {
      std::map<double, int> by_distance;
      for (const auto& [c, sum] : sums) {
        double distance = 0;
        for (std::size_t k = 0; k < x.size(); k++) distance += std::pow(x[k] - sum[k] / counts[c], 2);
        by_distance[distance] = c;
      }
      right += by_distance.begin()->second == answer;
    }
  }
  return right / static_cast<double>(set.items.size() - half);
}

}  // namespace HEED_NAMESPACE::testing
