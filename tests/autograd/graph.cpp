// Tests of autograd/graph.hpp: the steps behind a value.
#include "autograd/graph.hpp"

#include "autograd/ops.hpp"
#include "tests/check.hpp"

using namespace heed;
using namespace heed::testing;

TEST_CASE("graph: steps in order, shared ones once, constants left out, names of parameters") {
  Var w = Var::parameter(Tensor({3, 2}, 1)), b = Var::parameter(Tensor({2}, 1));
  Var y = matmul(Tensor({4, 3}, 1), w), z = sum(y * y + b);
  std::vector<GraphStep> steps = graph_steps(z, {{"w", w}, {"b", b}});
  REQUIRE(steps.size() == 6);
  CHECK((steps[0].name == "w" && steps[0].parameter && steps[0].shape == Shape{3, 2} && steps[0].inputs.empty()));
  CHECK((steps[1].name == "b" && steps[1].parameter));
  CHECK((steps[2].name == "matmul" && steps[2].shape == Shape{4, 2} && steps[2].inputs == std::vector<std::size_t>{0}));
  CHECK((steps[3].inputs == std::vector<std::size_t>{2, 2} && !steps[3].parameter));
  CHECK(steps[4].inputs == std::vector<std::size_t>{3, 1});
  CHECK((steps[5].shape == Shape{} && steps[5].inputs == std::vector<std::size_t>{4}));
  CHECK(graph_steps(z)[0].name != "w");
  CHECK(graph_steps(Tensor({2}, 1)).empty());
  z.backward();
  CHECK(graph_steps(z).size() == 1);
}

TEST_CASE("graph: DOT, with what could end a label escaped; a long chain needs no stack") {
  Var x = Var::parameter(Tensor({2}, 1));
  CHECK(graph_dot(exp(x), {{"a\"b\\", x}}) ==
        "digraph {\n  0 [label=\"a\\\"b\\\\\\n(2)\", shape=box];\n  1 [label=\"exp\\n(2)\"];\n  0 -> 1;\n}\n");
  CHECK(graph_dot(Tensor({2}, 1)) == "digraph {\n}\n");
  Var y = x;
  for (int i = 0; i < 100000; i++) y = y + 1;
  CHECK(graph_steps(y).size() == 100001);
}
