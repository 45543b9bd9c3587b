// Exercise 10.3: clipping by the norm of all gradients together. One factor for all keeps the direction of the step.
#include <cmath>
#include <vector>

double clip(std::vector<std::vector<double>>& gradients, double most) {
  double sum = 0;
  for (const std::vector<double>& gradient : gradients)
    for (double g : gradient) sum += g * g;
  double norm = std::sqrt(sum);
  if (norm > most)
    for (std::vector<double>& gradient : gradients)
      for (double& g : gradient) g *= most / norm;
  return norm;
}
