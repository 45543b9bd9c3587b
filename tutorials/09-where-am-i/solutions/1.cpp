// Exercise 09.1: the mean of the greatest count, from the chance that it is at most m, for every m.
#include <cstddef>
#include <vector>

double best_guess(std::size_t length, std::size_t kinds) {
  std::size_t n = length - 1;
  std::vector<double> factorial(n + 1, 1);
  for (std::size_t i = 1; i <= n; i++) factorial[i] = factorial[i - 1] * static_cast<double>(i);
  double expected = 0;  // sum over m of P(greatest > m)
  for (std::size_t m = 0; m < n; m++) {
    std::vector<double> power(n +
                              1);  // chance / n! that so many draws of the kinds so far repeat none more than m times
    power[0] = 1;
    for (std::size_t k = 0; k < kinds; k++) {
      std::vector<double> next(n + 1);
      for (std::size_t a = 0; a <= n; a++)
        for (std::size_t b = 0; b <= m && a + b <= n; b++) next[a + b] += power[a] / factorial[b];
      power = next;
    }
    double chance = power[n] * factorial[n];
    for (std::size_t i = 0; i < n; i++) chance /= static_cast<double>(kinds);
    expected += 1 - chance;
  }
  return expected / static_cast<double>(n);
}
