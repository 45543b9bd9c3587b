// Exercise 3: shapes and costs of Y = X W with X (N, I) and W (I, O).
#include <array>

using Sizes = std::array<long, 2>;

inline Sizes shape_of_y(long N, long I, long O) {
  return {0, 0};  // TODO
}
// Of the gradient with respect to W.
inline Sizes shape_of_dw(long N, long I, long O) {
  return {0, 0};  // TODO
}
// Multiply-adds of Y.
inline long forward_cost(long N, long I, long O) {
  return 0;  // TODO
}
// Multiply-adds of the gradients with respect to X and W together.
inline long backward_cost(long N, long I, long O) {
  return 0;  // TODO
}
