// Attention for one query over four vectors, forward and backward, every number printed; checked against finite
// differences and the library.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "heed.hpp"
#include "models/plot/svg.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr std::size_t N = 4;  // vectors

// [types]
using Input = std::array<double, 3>;   // a
using Row = std::array<double, 2>;     // a query, a key, a value, a result
using Inputs = std::array<Input, N>;   // (4, 3)
using Scores = std::array<double, N>;  // one number for each of the four vectors
using Matrix = std::array<Row, 3>;     // (3, 2): turns an Input into a Row

struct Weights {
  Matrix q, k, v;
};
// [/types]

const Inputs vectors = {{{0, 1, 2}, {0, 1, 1}, {1, 0, 1}, {1, 0, 0}}};
const Weights start = {{{{-1, 1}, {-1, -1}, {1, 0}}}, {{{1, 0}, {-1, 1}, {1, 0}}}, {{{2, 0}, {0, 1}, {1, 1}}}};
const std::array<Row, N> wanted = {{{2, 2}, {3, 0}, {1, 2}, {0, 1}}};

double dot(const Row& x, const Row& y) { return x[0] * y[0] + x[1] * y[1]; }

Row times(const Input& a, const Matrix& w) {
  Row y{};
  for (std::size_t r = 0; r < 3; r++)
    for (std::size_t c = 0; c < 2; c++) y[c] += a[r] * w[r][c];
  return y;
}

void add(Row& sum, double factor, const Row& x) {
  for (std::size_t c = 0; c < 2; c++) sum[c] += factor * x[c];
}

// [softmax]
Scores softmax(const Scores& alpha) {
  double top = *std::max_element(alpha.begin(), alpha.end()), total = 0;
  Scores weight;
  for (std::size_t j = 0; j < N; j++) total += weight[j] = std::exp(alpha[j] - top);
  for (double& w : weight) w /= total;
  return weight;
}
// [/softmax]

// [forward]
struct Forward {
  Row q;                 // what vector i asks
  std::array<Row, N> k;  // what each vector offers to be found by
  std::array<Row, N> v;  // what each vector gives when it is found
  Scores alpha, weight;  // q·k, and softmax of it
  Row b;
};

Forward attend(const Inputs& a, const Weights& w, std::size_t i) {
  Forward f{};
  f.q = times(a[i], w.q);
  for (std::size_t j = 0; j < N; j++) {
    f.k[j] = times(a[j], w.k);
    f.v[j] = times(a[j], w.v);
    f.alpha[j] = dot(f.q, f.k[j]);
  }
  f.weight = softmax(f.alpha);
  for (std::size_t j = 0; j < N; j++) add(f.b, f.weight[j], f.v[j]);
  return f;
}
// [/forward]

double loss(const Row& b, const Row& target) {
  double x = b[0] - target[0], y = b[1] - target[1];
  return (x * x + y * y) / 2;
}

// [backward]
struct Backward {
  Row b, q;
  std::array<Row, N> k, v;
  Scores weight, alpha;
};

// Adds the gradients of the three matrices to `dw`, and returns those on the way to them.
Backward backward(const Inputs& a, const Forward& f, std::size_t i, const Row& target, Weights& dw) {
  Backward d{};
  d.b = {f.b[0] - target[0], f.b[1] - target[1]};
  double mean = 0;  // of the weights' gradients, as the weights themselves count them
  for (std::size_t j = 0; j < N; j++) {
    d.weight[j] = dot(d.b, f.v[j]);
    add(d.v[j], f.weight[j], d.b);
    mean += f.weight[j] * d.weight[j];
  }
  for (std::size_t j = 0; j < N; j++) {
    d.alpha[j] = f.weight[j] * (d.weight[j] - mean);
    add(d.q, d.alpha[j], f.k[j]);
    add(d.k[j], d.alpha[j], f.q);
  }
  for (std::size_t r = 0; r < 3; r++) {
    add(dw.q[r], a[i][r], d.q);
    for (std::size_t j = 0; j < N; j++) {
      add(dw.k[r], a[j][r], d.k[j]);
      add(dw.v[r], a[j][r], d.v[j]);
    }
  }
  return d;
}
// [/backward]

// [step]
double step_down(const Inputs& a, Weights& w, double rate) {
  Weights dw{};
  double total = 0;
  for (std::size_t i = 0; i < N; i++) {
    Forward f = attend(a, w, i);
    total += loss(f.b, wanted[i]) / N;
    backward(a, f, i, wanted[i], dw);
  }
  for (std::size_t r = 0; r < 3; r++)
    add(w.q[r], -rate, dw.q[r]), add(w.k[r], -rate, dw.k[r]), add(w.v[r], -rate, dw.v[r]);
  return total;
}
// [/step]

// Greatest difference between the gradients `dw` and (L(w + h) - L(w - h)) / 2h, over all 18 weights.
double check_by_differences(const Weights& dw) {
  double worst = 0, h = 1e-5;
  for (auto matrix : {&Weights::q, &Weights::k, &Weights::v})
    for (std::size_t r = 0; r < 3; r++)
      for (std::size_t c = 0; c < 2; c++) {
        Weights up = start, down = start;
        (up.*matrix)[r][c] += h, (down.*matrix)[r][c] -= h;
        double slope =
            (loss(attend(vectors, up, 0).b, wanted[0]) - loss(attend(vectors, down, 0).b, wanted[0])) / (2 * h);
        worst = std::max(worst, std::abs(slope - (dw.*matrix)[r][c]));
      }
  return worst;
}

template <class Rows>
Tensor tensor(const Rows& rows) {
  std::vector<real> numbers;
  for (const auto& row : rows)
    for (double x : row) numbers.push_back(static_cast<real>(x));
  return {{static_cast<Size>(rows.size()), static_cast<Size>(rows[0].size())}, numbers};
}

double difference(const Tensor& x, const Matrix& y) {
  double worst = 0;
  for (std::size_t r = 0; r < 3; r++)
    for (std::size_t c = 0; c < 2; c++)
      worst = std::max(worst, std::abs(static_cast<double>(x.to_vector()[2 * r + c]) - y[r][c]));
  return worst;
}

double check_by_library(const Weights& dw) {
  // [library]
  Var a = tensor(vectors);
  Var wq = Var::parameter(tensor(start.q)), wk = Var::parameter(tensor(start.k)), wv = Var::parameter(tensor(start.v));
  Var q = matmul(slice(a, 0, 0, 1), wq);                             // (1, 2): the query of the first vector
  Var b = attention(q, matmul(a, wk), matmul(a, wv), {.scale = 1});  // (1, 2)
  Var error = b - tensor(std::array<Row, 1>{wanted[0]});
  (sum(error * error) / 2).backward();
  // [/library]
  return std::max({difference(wq.grad(), dw.q), difference(wk.grad(), dw.k), difference(wv.grad(), dw.v)});
}

// [others]
Scores additive(const Forward& f) {  // w · tanh(q + k) with w = (1, 1)
  Scores alpha;
  for (std::size_t j = 0; j < N; j++) alpha[j] = std::tanh(f.q[0] + f.k[j][0]) + std::tanh(f.q[1] + f.k[j][1]);
  return alpha;
}

Scores relu(const Scores& alpha) {
  Scores weight;
  for (std::size_t j = 0; j < N; j++) weight[j] = std::max(alpha[j], 0.0);
  return weight;
}
// [/others]

void print_others(const Forward& f) {
  auto line = [&](const char* name, const Scores& weight) {
    Row b{};
    for (std::size_t j = 0; j < N; j++) add(b, weight[j], f.v[j]);
    std::printf("%-22s %7.4f %7.4f %7.4f %7.4f   b = (%.4f, %.4f)\n", name, weight[0], weight[1], weight[2], weight[3],
                b[0], b[1]);
  };
  line("dot product, softmax", f.weight);
  line("additive, softmax", softmax(additive(f)));
  line("dot product, relu", relu(f.alpha));
}

template <class Numbers>
std::string vector_text(const char* name, const Numbers& numbers) {
  std::string text = name, between = "(";
  for (double x : numbers) text.append(between).append(number_text(x)), between = ", ";
  return text.append(")");
}

// The lecture's picture of b1: vectors at the bottom, keys and values above them, scores, weights, and the sum.
std::string picture(const Forward& f) {
  Svg svg(760, 430, "From four vectors to b1: keys, scores, weights, values");
  auto box = [&](double x, double y, const std::string& style, const std::string& text, double width = 76) {
    svg.rect({x - width / 2, y - 14, width, 28}, "fill " + style, {.opacity = 0.25}, 4);
    svg.rect({x - width / 2, y - 14, width, 28}, "line " + style, {}, 4);
    svg.text({x, y + 4}, text, "", Anchor::middle);
  };
  auto label = [&](double y, const char* text) { svg.text({8, y + 4}, text, "muted small"); };
  label(394, "vectors a"), label(330, "query, keys, values"), label(240, "scores α"), label(180, "weights α′");
  label(110, "α′ times v"), label(40, "their sum");
  const char* names[] = {"1", "2", "3", "4"};
  for (std::size_t j = 0; j < N; j++) {
    double x = 230 + 145 * static_cast<double>(j), left = x - 2, right = x + 56;
    const Input& a = vectors[j];
    svg.line({x + 27, 380}, {left, 346}, "line muted thin");
    svg.line({x + 27, 380}, {right, 346}, "line muted thin");
    svg.line({left, 316}, {left, 256}, "line muted thin");
    svg.line({left, 226}, {left, 196}, "line muted thin");
    svg.line({left, 166}, {x + 20, 126}, "line muted thin");
    svg.line({right, 316}, {x + 34, 126}, "line muted thin");
    svg.line({x + 27, 96}, {440, 56}, "line c0", {.opacity = std::max(0.15, f.weight[j])});
    box(x + 27, 394, "muted", vector_text(std::string("a").append(names[j]).append(" = ").c_str(), a), 106);
    box(left, 330, "c1", vector_text("k ", f.k[j]), 56);
    box(right, 330, "c2", vector_text("v ", f.v[j]), 56);
    box(left, 240, "c3", number_text(f.alpha[j]), 44);
    box(left, 180, "c0", number_text(f.weight[j]), 44);
    box(x + 27, 110, "c0", vector_text("", Row{f.weight[j] * f.v[j][0], f.weight[j] * f.v[j][1]}), 92);
  }
  box(170, 285, "c4", vector_text("q ", f.q), 62);
  for (std::size_t j = 0; j < N; j++)
    svg.line({200, 280}, {206 + 145 * static_cast<double>(j), 246}, "line c4 thin", {.opacity = 0.6});
  svg.line({210, 380}, {172, 300}, "line muted thin");
  box(440, 40, "c0", vector_text("b1 = ", f.b), 130);
  return svg.str();
}

void run() {
  Weights dw{};
  Forward f = attend(vectors, start, 0);
  Backward d = backward(vectors, f, 0, wanted[0], dw);
  {
    tutorial::Block block("forward");
    std::printf("q = (%.0f, %.0f)\n j   k          v        alpha   weight\n", f.q[0], f.q[1]);
    for (std::size_t j = 0; j < N; j++)
      std::printf("%2zu  (%.0f, %.0f)    (%.0f, %.0f)     %2.0f    %.4f\n", j + 1, f.k[j][0], f.k[j][1], f.v[j][0],
                  f.v[j][1], f.alpha[j], f.weight[j]);
    std::printf("b = (%.4f, %.4f)   L = %.4f\n", f.b[0], f.b[1], loss(f.b, wanted[0]));
  }
  {
    tutorial::Block block("backward");
    std::printf("db = (%.4f, %.4f)\n j  dweight   dalpha   dk                  dv\n", d.b[0], d.b[1]);
    for (std::size_t j = 0; j < N; j++)
      std::printf("%2zu  %7.4f  %7.4f   (%7.4f, %7.4f)  (%7.4f, %7.4f)\n", j + 1, d.weight[j], d.alpha[j], d.k[j][0],
                  d.k[j][1], d.v[j][0], d.v[j][1]);
    std::printf("dq = (%.4f, %.4f)\n", d.q[0], d.q[1]);
  }
  {
    tutorial::Block block("matrices");
    std::printf("dWq                 dWk                 dWv\n");
    for (std::size_t r = 0; r < 3; r++)
      std::printf("%7.4f  %7.4f    %7.4f  %7.4f    %7.4f  %7.4f\n", dw.q[r][0], dw.q[r][1], dw.k[r][0], dw.k[r][1],
                  dw.v[r][0], dw.v[r][1]);
  }
  {
    tutorial::Block block("checks");
    std::printf("difference quotients agree to %s\n",
                tutorial::at_most("quotients", check_by_differences(dw), 1e-8, 8).c_str());
    std::printf("the library agrees to %s\n", tutorial::at_most("library", check_by_library(dw), 1e-6, 6).c_str());
  }
  {
    tutorial::Block block("others");
    print_others(f);
  }
  {
    tutorial::Block block("training");
    Weights w = start;
    for (int step = 0; step <= 200; step++) {
      double total = step_down(vectors, w, 0.1);
      if (step == 0 || step == 10 || step == 50 || step == 200) std::printf("step %3d  L = %.4f\n", step, total);
      if (step == 200) tutorial::number("trained", total, 3, 0.0005);
    }
  }
  // [ceiling]
  Row mean{};
  double least = 0;
  for (const Row& t : wanted) add(mean, 1.0 / N, t);
  for (const Row& t : wanted) least += loss(mean, t) / N;
  // [/ceiling]
  tutorial::number("least", least, 2, 0.001);
  tutorial::figure("b1", picture(f));
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }
