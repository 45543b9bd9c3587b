// Fewer keys, and another order: is the matrix low rank, what do K keys keep, and what does φ(q) (φ(k)' v) cost.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <heed.hpp>

#include "models/plot/charts.hpp"
#include "tutorials/examples.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

// [singular]
// Singular values of a square matrix, falling: columns are turned in pairs until all are orthogonal (Hestenes 1958).
std::vector<double> singular_values(std::vector<std::vector<double>> columns) {
  std::size_t n = columns.size();
  for (int sweep = 0; sweep < 12; sweep++)
    for (std::size_t a = 0; a < n; a++)
      for (std::size_t b = a + 1; b < n; b++) {
        double aa = 0, bb = 0, ab = 0;
        for (std::size_t i = 0; i < n; i++) {
          double x = columns[a][i], y = columns[b][i];
          aa += x * x, bb += y * y, ab += x * y;
        }
        if (std::abs(ab) <= 1e-12 * std::sqrt(aa * bb)) continue;
        double angle = 0.5 * std::atan2(2 * ab, aa - bb), c = std::cos(angle), s = std::sin(angle);
        for (std::size_t i = 0; i < n; i++) {
          double x = columns[a][i], y = columns[b][i];
          columns[a][i] = c * x + s * y, columns[b][i] = c * y - s * x;
        }
      }
  std::vector<double> lengths;
  for (const std::vector<double>& column : columns) {
    double sum = 0;
    for (double x : column) sum += x * x;
    lengths.push_back(std::sqrt(sum));
  }
  std::sort(lengths.rbegin(), lengths.rend());
  return lengths;
}
// [/singular]

// How many of them hold 90 % of the sum of squares.
int rank_90(const std::vector<double>& values) {
  double all = 0, sum = 0;
  for (double v : values) all += v * v;
  int count = 0;
  while (sum < 0.9 * all)
    sum += values[static_cast<std::size_t>(count)] * values[static_cast<std::size_t>(count)], count++;
  return count;
}

Classifier trained(const std::string& mixer, const ExampleSet& set, Rng& rng) {
  Classifier model(set,
                   tutorial::settings({{"dim", "32"},
                                       {"layers", "1"},
                                       {"heads", "2"},
                                       {"hidden", "64"},
                                       {"dropout", "0"},
                                       {"mixer", mixer},
                                       {"length", "64"}}),
                   rng);
  tutorial::learn(model, set, {.steps = 400, .lr = 5e-3}, std::size_t{16} * 64);
  return model;
}

// The weights of the first head of the only layer for one item, as columns.
std::vector<std::vector<double>> weights(const Classifier& model, const ExampleSet& set) {
  Eval eval;
  const EncoderBlock& block = model.context.encoder.blocks[0];
  Var x = block.norm1(SinusoidalPositions()(model.vectors(make_batch(set, {0}))));
  const MultiHeadAttention& layer = block.attention[0];
  Tensor all = attention_weights(split_heads(layer.q(x), layer.heads), split_heads(layer.k(x), layer.heads));
  std::vector<std::vector<double>> columns(64, std::vector<double>(64));
  for (Size i = 0; i < 64; i++)
    for (Size j = 0; j < 64; j++)
      columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = static_cast<double>(all.at({0, 0, i, j}));
  return columns;
}

// How much weight goes to a position itself, and how much to the other one with its symbol.
void look_at_twins(const std::vector<std::vector<double>>& columns, const Example& item) {
  double self = 0, twin = 0;
  for (std::size_t i = 0; i < 64; i++)
    for (std::size_t j = 0; j < 64; j++)
      if (item.symbols[i] == item.symbols[j]) (i == j ? self : twin) += 100 * columns[j][i] / 64;
  tutorial::number("self", self, 0, 15);
  tutorial::number("twin", twin, 0, 15);
}

void train_on_two_tasks() {
  LineChart spectrum{.title = "Singular values of trained attention matrices, N = 64",
                     .x = {.title = "number", .low = 1},
                     .y = {.title = "share of the greatest"}};
  tutorial::Block table("tasks", 4);
  std::printf("                          vote   partner\n");
  std::vector<ExampleSet> train, test;
  for (const char* task : {"vote", "partner"})
    train.push_back(make_task(task, 2000, 1, Split::train)), test.push_back(make_task(task, 200, 1, Split::test));
  for (const char* mixer :
       {"attention", "linformer:rank=8", "linformer:rank=32", "compressed:s=8", "linear", "performer:m=32"}) {
    std::printf("%-20s", mixer);
    for (std::size_t t = 0; t < 2; t++) {
      Rng rng(1);
      Classifier model = trained(mixer, train[t], rng);
      std::string id = std::string(mixer).substr(0, std::string(mixer).find(':'));
      std::string name = id + (std::string(mixer).ends_with("32") && id[1] == 'i' ? "32" : "") + "_" + train[t].task;
      std::printf("  %8s", tutorial::number(name, tutorial::score(model, test[t]), 1, 6).c_str());
      if (id != "attention") continue;
      std::vector<std::vector<double>> columns = weights(model, test[t]);
      if (t == 1) look_at_twins(columns, test[t].items[0]);
      std::vector<double> values = singular_values(columns), place, height;
      tutorial::number("rank_" + train[t].task, rank_90(values), 0, 6);
      for (std::size_t i = 0; i < values.size(); i++)
        place.push_back(static_cast<double>(i + 1)), height.push_back(values[i] / values[0]);
      spectrum.series.push_back({train[t].task, place, height});
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  tutorial::figure("spectrum", line_chart(spectrum));
}

// [linformer]
// q, k, v (N, d) and mixtures e, f (K, N) -> (N, d): K keys and values, each a sum of all.
Var fewer_keys(const Var& q, const Var& k, const Var& v, const Var& e, const Var& f) {
  real scale = 1 / std::sqrt(static_cast<real>(q.size(-1)));
  Var scores = matmul(q, transpose(matmul(e, k)));          // (N, K)
  return matmul(softmax(scores, {}, scale), matmul(f, v));  // (N, d)
}
// [/linformer]

// [orders]
// The same result twice, φ(q) and φ(k) (N, M), v (N, d), without the division by the sum of weights.
Var matrix_first(const Var& fq, const Var& fk, const Var& v) { return matmul(matmul(fq, transpose(fk)), v); }
Var values_first(const Var& fq, const Var& fk, const Var& v) { return matmul(fq, matmul(transpose(fk), v)); }
// [/orders]

void compare_orders() {
  Rng rng(3);
  Size d = 16;
  auto make = [&](Size n) {
    std::vector<Var> x;
    for (int i = 0; i < 3; i++) x.push_back(Var::parameter(rng.normal({n, d}, 1)));
    return x;
  };
  auto run = [&](auto order, const std::vector<Var>& x, std::vector<Tensor>& found) {
    Var fq = elu_plus_one(x[0]), fk = elu_plus_one(x[1]);
    reset_counters();
    Var y = order(fq, fk, x[2]);
    Size work = counters().multiply_adds;
    Var all = sum(y * y) / static_cast<real>(x[0].size(0));
    all.backward();
    found = {y.value()};
    for (Var p : x) found.push_back(p.grad()), p.grad() = Tensor();
    return static_cast<double>(work);
  };
  tutorial::Block table("orders");
  std::printf("    N  matrix first  values first\n");
  double apart = 0;
  for (Size n : {8, 16, 64, 256, 1024}) {
    std::vector<Var> x = make(n);
    std::vector<Tensor> first, second;
    double a = run(matrix_first, x, first), b = run(values_first, x, second);
    for (std::size_t i = 0; i < first.size(); i++) {
      double largest = 0;
      for (real v : first[i].to_vector()) largest = std::max(largest, static_cast<double>(std::abs(v)));
      apart = std::max(apart, max_difference(first[i], second[i]) / std::max(1.0, largest));
    }
    std::printf("%5td  %12.0f  %12.0f\n", n, a, b);
  }
  std::printf("results and gradients apart by: %s 1e-4\n", apart < 1e-4 ? "less than" : "MORE than");
}

// [favor]
// φ(x) (N, M) with E φ(q) · φ(k) = e^(q·k/√d): ω (M, d), x' = x / d^¼.
Tensor positive_features(const Tensor& x, const Tensor& omega) {
  Eval eval;
  Var turned = Var(x) / std::pow(static_cast<real>(x.size(-1)), real(0.25));
  Var length = sum(turned * turned, {-1}, true) / 2;
  return exp(matmul(turned, transpose(Var(omega))) - length).value();
}
// [/favor]

// Root mean square error of outputs, against attention, by number of features; entries of q and k as large as told.
Series errors_of_features(const char* name, double deviation) {
  Rng rng(4);
  Size n = 64, d = 16;
  Tensor q = rng.normal({n, d}, deviation), k = rng.normal({n, d}, deviation), v = rng.normal({n, d}, 1);
  Eval eval;
  std::vector<real> exact = attention(q, k, v).value().to_vector();
  Series line{name, {}, {}};
  auto heads = [&](const Tensor& x) { return x.reshape({1, 1, n, x.size(1)}); };
  for (Size m = 8; m <= 512; m *= 2) {
    double squares = 0;
    constexpr int draws = 20;
    for (int draw = 0; draw < draws; draw++) {
      Tensor omega = orthogonal_normals(m, d, rng);
      Var y = linear_attention(heads(positive_features(q, omega)), heads(positive_features(k, omega)), heads(v));
      std::vector<real> found = y.value().to_vector();
      for (std::size_t i = 0; i < found.size(); i++)
        squares += std::pow(static_cast<double>(found[i] - exact[i]), 2) / static_cast<double>(draws * n * d);
    }
    line.x.push_back(static_cast<double>(m)), line.y.push_back(std::sqrt(squares));
  }
  return line;
}

double slope(const Series& line) {
  return std::log(line.y.back() / line.y.front()) / std::log(line.x.back() / line.x.front());
}

void measure_features() {
  Series near = errors_of_features("vectors of length 2", 0.5), far = errors_of_features("vectors of length 4", 1);
  tutorial::number("error_8", near.y.front(), 3, 0.02);
  tutorial::number("error_512", near.y.back(), 3, 0.01);
  tutorial::number("error_slope", slope(near), 2, 0.1);
  tutorial::number("far_slope", slope(far), 2, 0.1);
  tutorial::figure("features", line_chart({.title = "Error of positive random features against softmax attention",
                                           .x = {.title = "features M", .log = true},
                                           .y = {.title = "root mean square error", .log = true},
                                           .series = {near, far},
                                           .marks = true}));
}

void count_work() {
  LineChart chart{.title = "One layer's mixing, width 64, 4 heads, forward",
                  .x = {.title = "positions N", .log = true},
                  .y = {.title = "million multiply-adds", .log = true}};
  for (const char* mixer : {"attention", "linformer:rank=64", "performer:m=64", "linear"}) {
    Series line{mixer, {}, {}};
    for (Size n : {64, 256, 1024, 4096}) {
      Rng rng(5);
      Eval eval;
      Mixer mix = make_mixer(mixer, 64, rng, {.heads = 4, .length = 4096});
      Tensor x = rng.normal({1, n, 64}, 1);
      mix(x);
      reset_counters();
      mix(x);
      line.x.push_back(static_cast<double>(n)), line.y.push_back(1e-6 * static_cast<double>(counters().multiply_adds));
    }
    chart.series.push_back(line);
  }
  tutorial::Block table("work");
  std::printf("%-18s %8s %8s %8s %8s\n", "N", "64", "256", "1024", "4096");
  for (const Series& line : chart.series) {
    std::printf("%-18s", line.name.c_str());
    for (double y : line.y) std::printf(" %8.1f", y);
    std::printf("\n");
  }
  tutorial::figure("work", line_chart(chart));
}

void check_fewer_keys() {
  Rng rng(6);
  std::vector<Tensor> inputs;
  for (const Shape& shape : {Shape{9, 4}, Shape{9, 4}, Shape{9, 4}, Shape{3, 9}, Shape{3, 9}})
    inputs.push_back(rng.normal(shape, 0.5));
  double apart = gradcheck([](const std::vector<Var>& x) { return fewer_keys(x[0], x[1], x[2], x[3], x[4]); }, inputs);
  tutorial::claim(apart < 2e-3, "gradients of fewer_keys agree with finite differences in float");
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        check_fewer_keys();
        compare_orders();
        count_work();
        measure_features();
        train_on_two_tasks();
      },
      60);
}
