// The same network with a graph node for each number and with one for each matrix: equal gradients, unequal speed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/01-one-number/value.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;
using scalar::Value;

namespace {

// [scalars]
// tanh(x W + b) layer after layer, for each point by itself; the loss is the mean squared miss.
Value scalar_loss(const std::vector<Linear>& layers, const Tensor& x, const Tensor& target,
                  std::vector<std::vector<Value>>& parameters) {
  parameters.clear();
  for (const Linear& layer : layers)
    for (const Var& p : {layer.w, layer.b}) {
      parameters.emplace_back();
      for (real value : p.value().to_vector()) parameters.back().emplace_back(value);
    }
  Value sum = 0;
  for (Size n = 0; n < x.size(0); n++) {
    std::vector<Value> y{double(x.at({n, 0})), double(x.at({n, 1}))};
    for (std::size_t layer = 0; layer < layers.size(); layer++) {
      const std::vector<Value>&w = parameters[2 * layer], &b = parameters[2 * layer + 1];
      std::vector<Value> next;
      for (std::size_t j = 0; j < b.size(); j++) {
        Value z = b[j];
        for (std::size_t i = 0; i < y.size(); i++) z = z + y[i] * w[i * b.size() + j];
        next.push_back(tanh(z));
      }
      y = next;
    }
    Value miss = y[0] - double(target.at({n, 0}));
    sum = sum + miss * miss;
  }
  return sum * (1. / static_cast<double>(x.size(0)));
}
// [/scalars]

// [matrices]
Var matrix_loss(const std::vector<Linear>& layers, const Tensor& x, const Tensor& target) {
  Var y = x;                                                                  // (N, 2)
  for (const Linear& layer : layers) y = tanh(matmul(y, layer.w) + layer.b);  // (N, in) (in, out) + (out)
  Var miss = y - target;                                                      // (N, 1)
  return mean(miss * miss);
}
// [/matrices]

double seconds(int repeats, const auto& work) {
  std::clock_t start = std::clock();
  for (int i = 0; i < repeats; i++) work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / repeats;
}

std::vector<Linear> network(Rng& rng) { return {{2, 8, rng}, {8, 8, rng}, {8, 1, rng}}; }

std::size_t count_nodes(const Value& y) {
  std::unordered_set<scalar::Node*> seen;
  std::vector<scalar::Node*> order;
  scalar::in_order(y.node, seen, order);
  return order.size();
}

void compare() {
  Rng rng(1);
  std::vector<Linear> layers = network(rng);
  std::vector<std::vector<Value>> numbers;
  Series scalars{"a node a number", {}, {}}, matrices{"a node a matrix", {}, {}};
  {
    tutorial::Block block("nodes");
    std::printf("points   nodes, numbers   nodes, matrices\n");
    for (Size points : {1, 10, 100, 1000}) {
      Tensor x = rng.normal({points, 2}, 1), target = rng.normal({points, 1}, 1);
      double one = static_cast<double>(count_nodes(scalar_loss(layers, x, target, numbers)));
      Size before = live_nodes();
      Var loss = matrix_loss(layers, x, target);
      auto other = static_cast<double>(live_nodes() - before);
      std::printf("%6td %16.0f %17.0f\n", points, one, other);
      for (auto& [series, y] : {std::pair{&scalars, one}, {&matrices, other}}) {
        series->x.push_back(static_cast<double>(points));
        series->y.push_back(y);
      }
    }
  }
  tutorial::figure("nodes", line_chart({.title = "Nodes of the graph of one loss",
                                        .x = {.title = "points", .log = true},
                                        .y = {.title = "nodes", .log = true},
                                        .series = {scalars, matrices},
                                        .marks = true}));

  Tensor x = rng.normal({1000, 2}, 1), target = rng.normal({1000, 1}, 1);
  scalar_loss(layers, x, target, numbers).backward();
  matrix_loss(layers, x, target).backward();
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); i++) {
    const Linear& layer = layers[i / 2];
    std::vector<real> gradient = (i % 2 ? layer.b : layer.w).grad().to_vector();
    for (std::size_t k = 0; k < gradient.size(); k++)
      worst = std::max(worst, std::abs(numbers[i][k].gradient() - static_cast<double>(gradient[k])));
  }
  tutorial::at_most("difference", worst, 1e-6, 6);
  double slow = seconds(3, [&] { scalar_loss(layers, x, target, numbers).backward(); });
  double fast = seconds(100, [&] { matrix_loss(layers, x, target).backward(); });
  tutorial::at_least("speed-up", slow / fast, 100);
  std::printf("numbers %.1f ms, matrices %.3f ms: %.0f times as fast\n", 1e3 * slow, 1e3 * fast, slow / fast);
}

// The three gradients of Y = X W + b, by the formulas of the text and by the library.
void by_hand() {
  Rng rng(2);
  Tensor x = rng.normal({5, 3}, 1), w = rng.normal({3, 4}, 1), b = rng.normal({4}, 1);
  Var vx = Var::parameter(x), vw = Var::parameter(w), vb = Var::parameter(b);
  Tensor dy = rng.normal({5, 4}, 1);
  (matmul(vx, vw) + vb).backward(dy);
  // [by-hand]
  Var dx = matmul(dy, transpose(Var(w)));  // (N, O) (O, I) -> (N, I)
  Var dw = matmul(transpose(Var(x)), dy);  // (I, N) (N, O) -> (I, O)
  Var db = sum(Var(dy), {0});              // (N, O)        -> (O)
  // [/by-hand]
  auto same = [](const Var& a, const Tensor& grad) {
    Var d = a - grad;
    return double(sum(d * d).item()) < 1e-9;
  };
  tutorial::claim(same(dx, vx.grad()) && same(dw, vw.grad()) && same(db, vb.grad()), "the formulas are the gradients");
  GradCheck options;
  double error = gradcheck([](const std::vector<Var>& v) { return matmul(v[0], v[1]) + v[2]; }, {x, w, b}, options);
  tutorial::claim(error < 2e-2, "finite differences agree, in single precision");
}

void products() {
  Rng rng(3);
  auto speed = [&](Size n) {  // multiply-adds a second of an n x n product
    Tensor a = rng.normal({n, n}, 1), b = rng.normal({n, n}, 1);
    Eval eval;
    auto repeats = static_cast<int>(std::max<Size>(20, 20'000'000 / (n * n * n + 2000)));
    auto size = static_cast<double>(n);
    return size * size * size / seconds(repeats, [&] { matmul(a, b); });
  };
  double small = speed(2), large = speed(256);
  tutorial::at_least("large-over-small", large / small, 100);
  std::printf("2 x 2: %.0f million multiply-adds a second, 256 x 256: %.0f million\n", small / 1e6, large / 1e6);
}

void draw_shapes() {
  tutorial::figure("shapes",
                   graph_picture({.title = "One layer as a graph of matrices, N points, I inputs, O outputs",
                                  .nodes = {{{"X", "(N, I)"}, "input"},
                                            {{"W", "(I, O)"}, "parameter"},
                                            {{"b", "(O)"}, "parameter"},
                                            {{"X W", "(N, O)"}, "computed"},
                                            {{"X W + b", "(N, O)"}, "computed"},
                                            {{"tanh(X W + b)", "(N, O)"}, "computed"}},
                                  .links = {{0, 3, ""}, {1, 3, ""}, {3, 4, ""}, {2, 4, "to each row"}, {4, 5, ""}}}));
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(count, words, [] {
    compare();
    by_hand();
    products();
    draw_shapes();
  });
}
