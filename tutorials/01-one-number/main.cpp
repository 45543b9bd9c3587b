// Differentiates with single numbers: an expression by hand, what goes wrong with shared numbers, a network.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/01-one-number/value.hpp"
#include "tutorials/tutorial.hpp"

using scalar::Node;
using scalar::Value;
namespace tutorial = heed::tutorial;

namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

void expression() {
  tutorial::Block block("expression");
  // [expression]
  Value a = 2, b = -3, c = 10;
  Value d = a * b;
  Value e = d + c;
  Value f = e * e;
  f.backward();
  // [/expression]
  const char* names[] = {"f", "e", "d", "c", "b", "a"};
  const Value* values[] = {&f, &e, &d, &c, &b, &a};
  for (int i = 0; i < 6; i++)
    std::printf("%s = %3g   df/d%s = %3g\n", names[i], values[i]->value(), names[i], values[i]->gradient());
  heed::GraphPicture picture{.title = "f = (a b + c)²: each value, and the gradient of f with respect to it"};
  for (int i = 5; i >= 0; i--)
    picture.nodes.push_back(
        {.lines = {std::string(names[i]) + " = " + text(values[i]->value()), "gradient " + text(values[i]->gradient())},
         .family = i > 2 ? "input" : "computed"});
  picture.links = {{0, 3, "×"}, {1, 3, "×"}, {3, 4, "+"}, {2, 4, "+"}, {4, 5, "square"}};
  tutorial::figure("expression", heed::graph_picture(picture));
}

// [paths]
// What a walk does that forgets where it has been: it goes down every path.
double count_visits(const Node& node) {
  double visits = 1;
  for (const auto& input : node.inputs) visits += count_visits(*input);
  return visits;
}
// [/paths]

void shared_numbers() {
  tutorial::Block block("doubling");
  std::printf("doublings   visits, path by path   nodes\n");
  heed::Series paths{"path by path", {}, {}}, nodes{"node by node", {}, {}};
  for (int n = 1; n <= 20; n++) {
    // [doubling]
    Value x = 1;
    for (int i = 0; i < n; i++) x = x + x;  // each value is used twice
    // [/doubling]
    std::unordered_set<Node*> seen;
    std::vector<Node*> order;
    scalar::in_order(x.node, seen, order);
    double visits = count_visits(*x.node);
    tutorial::claim(visits == std::pow(2, n + 1) - 1, "a chain of n doublings has 2^(n+1) - 1 paths");
    paths.x.push_back(n), paths.y.push_back(visits);
    nodes.x.push_back(n), nodes.y.push_back(static_cast<double>(order.size()));
    if (n % 5 == 0) std::printf("%9d %22.0f %7zu\n", n, visits, order.size());
  }
  tutorial::figure("visits", heed::line_chart({.title = "Visits of a backward pass over n doublings",
                                               .x = {.title = "n"},
                                               .y = {.title = "visits", .log = true},
                                               .series = {paths, nodes}}));
}

// [network]
using Values = std::vector<Value>;

struct Layer {
  std::size_t inputs;
  Values parameters;  // of each output: a weight an input, then a bias
  Layer(std::size_t in, std::size_t out, heed::Rng& rng) : inputs(in) {
    for (std::size_t i = 0; i < out * (in + 1); i++)
      parameters.emplace_back(rng.normal() / std::sqrt(static_cast<double>(in)));
  }
  Values operator()(const Values& x) const {
    Values out;
    for (std::size_t first = 0; first < parameters.size(); first += inputs + 1) {
      Value sum = parameters[first + inputs];
      for (std::size_t i = 0; i < inputs; i++) sum = sum + parameters[first + i] * x[i];
      out.push_back(tanh(sum));
    }
    return out;
  }
};
// [/network]

struct Point {
  double x, y, side;  // side: 1 on the upper moon, -1 on the lower
};

std::vector<Point> two_moons(std::size_t count, heed::Rng& rng) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; i++) {
    double side = i % 2 ? 1 : -1, angle = rng.uniform() * std::acos(-1.);
    points.push_back({side * std::cos(angle) + (side > 0 ? -0.5 : 0.5) + 0.1 * rng.normal(),
                      side * (std::sin(angle) - 0.25) + 0.1 * rng.normal(), side});
  }
  return points;
}

struct Network {
  std::vector<Layer> layers;
  explicit Network(heed::Rng& rng) : layers{{2, 8, rng}, {8, 8, rng}, {8, 1, rng}} {}
  Value operator()(double x, double y) const {
    Values values{x, y};
    for (const Layer& layer : layers) values = layer(values);
    return values[0];
  }
};

// [loss]
Value loss(const Network& net, const std::vector<Point>& points) {
  Value sum = 0;
  for (const Point& p : points) {
    Value miss = net(p.x, p.y) - p.side;
    sum = sum + miss * miss;
  }
  return sum * (1. / static_cast<double>(points.size()));
}
// [/loss]

double accuracy(const Network& net, const std::vector<Point>& points) {
  double right = 0;
  for (const Point& p : points) right += net(p.x, p.y).value() * p.side > 0;
  return 100 * right / static_cast<double>(points.size());
}

// The greatest difference between a gradient of the loss and what nudging the parameter shows.
double gradient_error(const Network& net, const std::vector<Point>& points) {
  // [nudge]
  loss(net, points).backward();
  double worst = 0, step = 1e-5;
  for (const Layer& layer : net.layers)
    for (const Value& p : layer.parameters) {
      double gradient = p.gradient(), here = p.value();
      p.node->value = here + step;
      double above = loss(net, points).value();
      p.node->value = here - step;
      double below = loss(net, points).value();
      p.node->value = here;
      worst = std::max(worst, std::abs(gradient - (above - below) / (2 * step)));
    }
  // [/nudge]
  return worst;
}

// Where the network changes its mind, with the points it learned from.
void draw(const Network& net, const std::vector<Point>& points) {
  heed::Series upper{"upper moon", {}, {}}, lower{"lower moon", {}, {}}, border{"network says 0", {}, {}};
  for (const Point& p : points) {
    heed::Series& moon = p.side > 0 ? upper : lower;
    moon.x.push_back(p.x), moon.y.push_back(p.y);
  }
  for (int column = 0; column <= 80; column++)
    for (int row = 0; row < 120; row++) {
      double x = -2 + column * 0.05, y = -1.2 + row * 0.02;
      if (net(x, y).value() * net(x, y + 0.02).value() >= 0) continue;
      border.x.push_back(x), border.y.push_back(y + 0.01);
    }
  tutorial::figure("moons", heed::scatter_chart({.title = "Two moons, and the border that the network learned",
                                                 .series = {upper, lower, border}}));
}

void train() {
  heed::Rng rng(1);
  std::vector<Point> points = two_moons(100, rng), fresh = two_moons(1000, rng);
  Network net(rng);
  std::size_t parameters = 0;
  for (const Layer& layer : net.layers) parameters += layer.parameters.size();
  tutorial::number("parameters", static_cast<double>(parameters));
  tutorial::at_most("nudge-error", gradient_error(net, points), 1e-8, 8);
  {
    std::unordered_set<Node*> seen;
    std::vector<Node*> order;
    scalar::in_order(loss(net, points).node, seen, order);
    tutorial::number("nodes", static_cast<double>(order.size()));
  }
  tutorial::number("accuracy-before", accuracy(net, fresh), 1, 0.1);
  tutorial::Block block("training", 0.02);
  std::printf("step   loss\n");
  // [train]
  for (int step = 0; step <= 200; step++) {
    Value error = loss(net, points);
    error.backward();
    for (const Layer& layer : net.layers)
      for (const Value& p : layer.parameters) p.node->value -= 0.5 * p.gradient();
    if (step % 50 == 0) std::printf("%4d  %5.3f\n", step, error.value());
  }
  // [/train]
  tutorial::number("accuracy", accuracy(net, fresh), 1, 1);
  draw(net, points);
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(count, words, [] {
    expression();
    shared_numbers();
    train();
  });
}
