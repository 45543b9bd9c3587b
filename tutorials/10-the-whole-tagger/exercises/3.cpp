// Exercise 10.3: clipping by the norm of all gradients together.
#include <vector>

// Scales all arrays by the same factor so that the norm of all their numbers together is at most `most`; leaves them
// alone when it is already. Returns the norm before.
double clip(std::vector<std::vector<double>>& gradients, double most) {
  // TODO
  (void)gradients;
  return most;
}
