// Tests of models/plot/computation.hpp.
#include "models/plot/computation.hpp"

#include "autograd/ops.hpp"
#include "tests/check.hpp"

using namespace heed;

TEST_CASE("computation: the picture shows each step with its shape") {
  Var w = Var::parameter(Tensor({3, 2}, 1));
  std::string svg = graph_svg(sum(relu(w)), {{"w <1>", w}}, "one step");
  for (const char* part : {"<svg", "one step", "w &lt;1&gt;", "(3, 2)", "relu", "sum", "</svg>"}) {
    CAPTURE(part);
    CHECK(svg.find(part) < std::string::npos);
  }
}
