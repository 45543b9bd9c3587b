// What N² costs: the matrix counted, then computed without ever being held, forward and backward.
#include <cmath>
#include <cstdio>
#include <heed.hpp>
#include <limits>

#include "models/plot/charts.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr Size dim = 64, heads = 4;

// [dense]
// (B, H, N, d) three times -> (B, H, N, d), by way of all N x N weights.
Var dense(const Var& q, const Var& k, const Var& v) {
  real scale = 1 / std::sqrt(static_cast<real>(q.size(-1)));
  Var scores = matmul(q, transpose(k));          // (B, H, N, N)
  return matmul(softmax(scores, {}, scale), v);  // (B, H, N, d)
}
// [/dense]

struct Cost {
  Size multiply_adds, bytes;
};

// [cost]
template <class F>
Cost cost_of(const F& f) {
  for (int run = 0; run < 2; run++) {  // the first run also plans and fetches memory
    reset_counters();
    Size before = counters().live_bytes;
    Var y = f();
    if (run) return {counters().multiply_adds, counters().peak_bytes - before};
  }
  return {};
}
// [/cost]

// [streaming]
using Row = double*;
struct Rows {  // numbers in rows of `width`
  Size width;
  std::vector<double> x;
  Row operator[](Size i) { return x.data() + i * width; }
  Size count() const { return static_cast<Size>(x.size()) / width; }
};

double dot(const double* a, const double* b, Size n) {
  double sum = 0;
  for (Size c = 0; c < n; c++) sum += a[c] * b[c];
  return sum;
}

// Fills `out` (N, d) and log_total (N, 1); holds one score at a time.
void forward(Rows& q, Rows& k, Rows& v, Rows& out, Rows& log_total) {
  double scale = 1 / std::sqrt(static_cast<double>(q.width));
  for (Size i = 0; i < q.count(); i++) {
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (Size c = 0; c < v.width; c++) out[i][c] = 0;
    for (Size j = 0; j < k.count(); j++) {
      double score = scale * dot(q[i], k[j], q.width);
      double now = std::max(largest, score);
      double shrink = std::exp(largest - now), weight = std::exp(score - now);
      total = total * shrink + weight;
      for (Size c = 0; c < v.width; c++) out[i][c] = out[i][c] * shrink + weight * v[j][c];
      largest = now;
    }
    for (Size c = 0; c < v.width; c++) out[i][c] /= total;
    log_total[i][0] = largest + std::log(total);
  }
}
// [/streaming]

// [backward]
// Adds to dq, dk and dv, given g = dL/dout; weights are made again from log_total.
void backward(Rows& q, Rows& k, Rows& v, Rows& out, Rows& log_total, Rows& g, Rows& dq, Rows& dk, Rows& dv) {
  double scale = 1 / std::sqrt(static_cast<double>(q.width));
  for (Size i = 0; i < q.count(); i++) {
    double mean = dot(g[i], out[i], v.width);  // Σ_j w_ij (g_i · v_j)
    for (Size j = 0; j < k.count(); j++) {
      double weight = std::exp(scale * dot(q[i], k[j], q.width) - log_total[i][0]);
      double ds = scale * weight * (dot(g[i], v[j], v.width) - mean);
      for (Size c = 0; c < v.width; c++) dv[j][c] += weight * g[i][c];
      for (Size c = 0; c < q.width; c++) dq[i][c] += ds * k[j][c], dk[j][c] += ds * q[i][c];
    }
  }
}
// [/backward]

Rows rows_of(const Tensor& x) {
  std::vector<real> all = x.to_vector();
  return {x.size(-1), {all.begin(), all.end()}};
}
Rows zeros(Size count, Size width) { return {width, std::vector<double>(static_cast<std::size_t>(count * width))}; }

double difference(const Rows& a, const Rows& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.x.size(); i++) most = std::max(most, std::abs(a.x[i] - b.x[i]));
  return most;
}

double mega(Size bytes) { return static_cast<double>(bytes) / (1 << 20); }

// Draws what the table prints.
struct Curves {
  std::vector<double> n, dense, tiles, share;
};

Curves count_everything() {
  Rng rng(1);
  EncoderBlock block(dim, rng, {.heads = heads, .hidden = 2 * dim});
  Curves curves;
  double before = 0;
  tutorial::Block table("costs", 0.3);
  std::printf("    N  matrix  dense  tiles  multiply-adds  growth  share\n");
  std::printf("          MiB    MiB    MiB       millions          of the layer\n");
  for (Size n = 64; n <= 2048; n *= 2) {
    Eval eval;
    Tensor x = rng.normal({1, n, dim}, 1), q = rng.normal({1, heads, n, dim / heads}, 1);
    Cost matrix = cost_of([&] { return dense(q, q, q); });
    Cost tiles = cost_of([&] { return attention(q, q, q); });
    Cost layer = cost_of([&] { return block(x); });
    double work = 1e-6 * static_cast<double>(tiles.multiply_adds);
    double share = 1e8 * work / static_cast<double>(layer.multiply_adds);
    std::printf("%5td %7.2f %6.2f %6.2f %14.1f %7s %6.1f %%\n", n, mega(4 * heads * n * n), mega(matrix.bytes),
                mega(tiles.bytes), work, before > 0 ? std::to_string(work / before).substr(0, 4).c_str() : "", share);
    before = work;
    curves.n.push_back(static_cast<double>(n)), curves.dense.push_back(mega(matrix.bytes));
    curves.tiles.push_back(mega(tiles.bytes)), curves.share.push_back(share);
    if (n == 4 * dim) tutorial::number("share_at_crossing", share, 1, 0.1);
    if (n == 2048) {
      tutorial::number("dense_2048", mega(matrix.bytes), 1, 0.5);
      tutorial::number("tiles_2048", mega(tiles.bytes), 2, 0.2);
      tutorial::number("share_2048", share, 1, 0.2);
    }
  }
  return curves;
}

// The hand-written passes against the matrix, and their gradient against finite differences.
void check_streaming() {
  Rng rng(2);
  Size n = 48, d = 8;
  Shape shape{1, 1, n, d};
  Var q = Var::parameter(rng.normal(shape, 1)), k = Var::parameter(rng.normal(shape, 1)),
      v = Var::parameter(rng.normal(shape, 1));
  Tensor seed = rng.normal(shape, 1);
  Var y = dense(q, k, v);
  y.backward(seed);
  Rows rq = rows_of(q.value()), rk = rows_of(k.value()), rv = rows_of(v.value()), g = rows_of(seed);
  Rows out = zeros(n, d), log_total = zeros(n, 1), dq = zeros(n, d), dk = zeros(n, d), dv = zeros(n, d);
  forward(rq, rk, rv, out, log_total);
  backward(rq, rk, rv, out, log_total, g, dq, dk, dv);
  double values = difference(out, rows_of(y.value()));
  double gradients = std::max(
      {difference(dq, rows_of(q.grad())), difference(dk, rows_of(k.grad())), difference(dv, rows_of(v.grad()))});

  auto loss = [&] {
    Rows o = zeros(n, d), unused = zeros(n, 1);
    forward(rq, rk, rv, o, unused);
    double sum = 0;
    for (std::size_t i = 0; i < o.x.size(); i++) sum += o.x[i] * g.x[i];
    return sum;
  };
  double finite = 0;
  for (auto [x, dx] : {std::pair{&rq, &dq}, std::pair{&rk, &dk}, std::pair{&rv, &dv}})
    for (std::size_t at = 0; at < x->x.size(); at += 29) {
      double kept = x->x[at], step = 1e-5;
      x->x[at] = kept + step;
      double above = loss();
      x->x[at] = kept - step;
      double below = loss();
      x->x[at] = kept;
      finite = std::max(finite, std::abs((above - below) / (2 * step) - dx->x[at]));
    }
  tutorial::Block report("check");
  auto line = [](const char* what, double found, double bound) {
    std::printf("%-44s %s %g\n", what, found < bound ? "below" : "NOT below", bound);
  };
  line("row by row against the matrix, values", values, 1e-5);
  line("row by row against the matrix, gradients", gradients, 1e-5);
  line("gradients against finite differences", finite, 1e-7);
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(count, words, [] {
    Curves curves = count_everything();
    tutorial::figure(
        "memory", line_chart({.title = "Most memory held at once, 4 heads of 16",
                              .x = {.title = "positions N", .log = true},
                              .y = {.title = "MiB", .log = true},
                              .series = {{"whole matrix", curves.n, curves.dense}, {"tiles", curves.n, curves.tiles}},
                              .marks = true}));
    tutorial::figure("share", line_chart({.title = "Share of the N x N part in a layer of width 64",
                                          .x = {.title = "positions N", .log = true},
                                          .y = {.title = "% of multiply-adds", .low = 0, .high = 100},
                                          .series = {{"scores, softmax, sum", curves.n, curves.share}},
                                          .marks = true}));
    check_streaming();
    double pixels = 256 * 256, gib = 4 * static_cast<double>(heads) * pixels * pixels / (1 << 30);
    tutorial::number("pixels", pixels, 0);
    tutorial::number("pixel_pairs", pixels * pixels * 1e-9, 1);
    tutorial::number("pixel_gib", gib, 0);
    tutorial::number("crossing", 4 * static_cast<double>(dim), 0);
  });
}
