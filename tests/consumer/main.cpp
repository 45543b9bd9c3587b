// A program of someone else: it knows heed only as it is installed.
#include <heed.hpp>
#include <iostream>

int main() {
  heed::Rng rng(1);
  heed::Linear layer(2, 3, rng);
  heed::Var x = heed::Var::parameter(heed::Tensor({1, 2}, {3, 4}));
  sum(x * x + sum(layer(x) * 0)).backward();
  std::cout << x.grad().at({0, 1}) << " in " << sizeof(heed::real) << " bytes\n";
}
