#include <doctest/doctest.h>

#include "autograd/ops.hpp"
#include "nn/optim/optimizer.hpp"
#include EXERCISE

TEST_CASE("10.2: Adam as in the library") {
  heed::Var w = heed::Var::parameter(heed::Tensor({1}, 2));
  heed::Adam library({{"w", w}}, {.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .eps = 1e-8});
  double ours = 2, m = 0, s = 0;
  for (int step = 1; step <= 20; step++) {
    double gradient = step % 3 == 0 ? -0.5 : 1.0 / step;
    (w * static_cast<heed::real>(gradient)).backward();
    library.step();
    ours = adam(ours, gradient, m, s, step, 0.1, 0.8, 0.9, 1e-8);
    CAPTURE(step);
    CHECK(ours == doctest::Approx(static_cast<double>(w.item())).epsilon(1e-4));
  }
}
