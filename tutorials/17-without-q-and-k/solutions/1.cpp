#include <vector>

// E[largest count] / pairs. ways[n] is the sum over counts at most `limit` of 1 / (product of factorials), for n items
// among the values so far: n! ways[n] / values^n is the chance that no value comes more than `limit` times.
double most_frequent_share(int pairs, int values) {
  auto size = static_cast<std::size_t>(pairs);
  double mean = 0;
  for (std::size_t limit = 0; limit < size; limit++) {
    std::vector<double> ways(size + 1);
    ways[0] = 1;
    for (int value = 0; value < values; value++) {
      std::vector<double> next(size + 1);
      for (std::size_t n = 0; n <= size; n++) {
        double term = 1;  // 1 / (values^c c!)
        for (std::size_t c = 0; c <= limit && n + c <= size; c++) {
          next[n + c] += ways[n] * term;
          term /= static_cast<double>(c + 1) * values;
        }
      }
      ways = next;
    }
    double chance = ways[size];
    for (std::size_t n = 1; n <= size; n++) chance *= static_cast<double>(n);
    mean += 1 - chance;
  }
  return mean / pairs;
}
