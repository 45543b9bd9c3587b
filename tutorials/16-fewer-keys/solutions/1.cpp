#include <vector>

int values_for(const std::vector<double>& singular, double share) {
  double all = 0, sum = 0;
  for (double value : singular) all += value * value;
  int count = 0;
  for (double value : singular) {
    if (sum >= share * all) break;
    sum += value * value;
    count++;
  }
  return count;
}
