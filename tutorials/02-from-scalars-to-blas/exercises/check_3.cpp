#include EXERCISE

#include <doctest/doctest.h>

#include "autograd/ops.hpp"

using namespace heed;

TEST_CASE("shapes are the library's") {
  Var x = Var::parameter(Tensor({5, 3}, 1)), w = Var::parameter(Tensor({3, 4}, 1));
  Var y = matmul(x, w);
  sum(y).backward();
  CHECK(shape_of_y(5, 3, 4) == Sizes{y.size(0), y.size(1)});
  CHECK(shape_of_dw(5, 3, 4) == Sizes{w.grad().size(0), w.grad().size(1)});
}

TEST_CASE("costs") {
  CHECK(forward_cost(5, 3, 4) == 60);
  CHECK(forward_cost(100, 64, 8) == 51200);
  CHECK(backward_cost(100, 64, 8) == 102400);
}
