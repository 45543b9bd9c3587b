#include "nn/mixer/features.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

Tensor orthogonal_normals(Size count, Size width, Rng& rng) {
  Tensor out({count, width});
  real* to = out.mut();
  auto w = static_cast<std::size_t>(width);
  // Gram and Schmidt make the Q of a QR whose R has a positive diagonal. Other methods leave signs in R that depend on
  // the numbers; Q is then not spread evenly over all rotations, and estimates from it are biased.
  std::vector<std::vector<double>> rows;
  for (Size i = 0; i < count; i++) {
    if (i % width == 0) rows.clear();
    std::vector<double> row(w), fresh(w);
    for (double& v : row) v = rng.normal();
    for (double& v : fresh) v = rng.normal();
    auto dot = [](const auto& a, const auto& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    for (int twice = 0; twice < 2; twice++)
      for (const auto& other : rows) {
        double part = dot(row, other);
        for (std::size_t c = 0; c < w; c++) row[c] -= part * other[c];
      }
    double length = std::sqrt(dot(row, row)), target = std::sqrt(dot(fresh, fresh));
    for (double& v : row) v /= length;
    for (std::size_t c = 0; c < w; c++) to[static_cast<std::size_t>(i) * w + c] = static_cast<real>(row[c] * target);
    rows.push_back(std::move(row));
  }
  return out;
}

namespace {

// Both at once, without a branch so that loops become vector code: x less n π/2, π/2 in three parts (Cody and Waite),
// then the polynomials for |r| <= π/4 that Cephes (Moshier) fitted. To rounding for |x| < 8192.
[[maybe_unused, gnu::always_inline]] inline void sine_cosine(float x, float& sine, float& cosine) {
  float n = std::rint(x * 0.636619772f);
  float r = ((x - n * 1.5703125f) - n * 4.837512970e-4f) - n * 7.549789949e-8f, z = r * r;
  float s = ((-1.951529589e-4f * z + 8.332160874e-3f) * z - 1.666665461e-1f) * z * r + r;
  float c = ((2.443315712e-5f * z - 1.388731625e-3f) * z + 4.166664568e-2f) * z * z - 0.5f * z + 1;
  int quarter = static_cast<int>(x == x ? n : 0.0f);
  float first = quarter & 1 ? c : s, second = quarter & 1 ? s : c;
  sine = quarter & 2 ? -first : first, cosine = (quarter + 1) & 2 ? -second : second;
}
[[maybe_unused]] inline void sine_cosine(double x, double& sine, double& cosine) {
  sine = std::sin(x), cosine = std::cos(x);
}

// [sin x; cos x] * scale along the last axis.
Var sine_cosine(const Var& x, real scale) {
  Size m = x.size(-1), rows = x.value().numel() / m;
  Tensor in = x.value().compact(), out(x.shape().with(-1, 2 * m));
  real* to = out.mut();
  count_work(in.numel());
  parallel_for(rows, std::max<Size>(1, kernel::grain / (4 * m)), [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) {
      const real* from = in.data() + i * m;
      real *sine = to + 2 * i * m, *cosine = sine + m;
      real largest = 0;
#pragma omp simd reduction(max : largest)
      for (Size c = 0; c < m; c++) largest = std::abs(from[c]) > largest ? std::abs(from[c]) : largest;
      if (largest > 8192) {
        for (Size c = 0; c < m; c++) sine[c] = std::sin(from[c]) * scale, cosine[c] = std::cos(from[c]) * scale;
        continue;
      }
#pragma omp simd
      for (Size c = 0; c < m; c++) {
        real s, t;
        sine_cosine(from[c], s, t);
        sine[c] = s * scale, cosine[c] = t * scale;
      }
    }
  });
  return op("sine_cosine", out, {{x, [y = out, m](const Tensor& g) {
                                    auto half = [m](const Tensor& t, Size i) {
                                      return t.slice(-1, i * m, (i + 1) * m);
                                    };
                                    return map([](real a, real b, real s, real c) { return a * c - b * s; }, half(g, 0),
                                               half(g, 1), half(y, 0), half(y, 1));
                                  }}});
}

}  // namespace

RandomFeatureAttention::RandomFeatureAttention(Size dim, Size head_count, Rng& generator,
                                               const RandomFeatureOptions& choice)
    : LinearMixer("RandomFeatureAttention", dim, head_count, generator, choice.causal),
      options(choice),
      rng(&generator),
      sigma(param("sigma", Tensor({heads, dim / heads}, 1), false)) {
  check(options.pool > 0 && options.least > 0, name, "expected pool > 0 and least > 0, got ", options.pool, " and ",
        options.least);
  check(!options.gate || causal, name, "a gate forgets what came before and needs causal");
  if (options.features == 0) options.features = dim / heads;
  pool = fixed("pool", generator.normal({options.pool, options.features, dim / heads}, 1));
  if (options.gate) gate.push_back(sub("gate", Linear(dim, heads, generator)));
}

Var RandomFeatureAttention::phi(const Var& x, Size set) const {
  Var directions = transpose(reshape(slice(pool.detach(), 0, set, set + 1), {options.features, x.size(-1)}));
  auto scale = static_cast<real>(1 / std::sqrt(static_cast<double>(options.features)));
  return sine_cosine(linear(x * sigma, directions), scale);
}

Features RandomFeatureAttention::features(const FeatureInput& in) const {
  Size set = Eval::on() || options.pool == 1 ? 0 : rng->below(options.pool);
  Features f{
      phi(unit(in.q), set), masked_fill(phi(unit(in.k), set), in.keep, 0), {.least = static_cast<real>(options.least)}};
  if (gate.empty()) return f;
  Var a = gate[0](in.x);  // (B, N, H)
  f.key = f.key * reshape(sigmoid(-a), {a.size(0), a.size(1), heads, 1});
  Mask keep = in.keep.defined() ? in.keep.reshape({a.size(0), a.size(1), 1}) : Mask();
  f.how.decay = permute(masked_fill(-softplus(-a), keep, 0), {0, 2, 1});
  return f;
}

Performer::Performer(Size dim, Size head_count, Rng& generator, const PerformerOptions& choice)
    : LinearMixer("Performer", dim, head_count, generator, choice.causal), options(choice), rng(&generator) {
  Size width = dim / heads;
  auto d = static_cast<double>(width);
  if (options.features == 0) options.features = std::max<Size>(1, static_cast<Size>(std::ceil(d * std::log(d))));
  omega = fixed("omega", options.orthogonal ? orthogonal_normals(options.features, width, generator)
                                            : generator.normal({options.features, width}, 1));
}

namespace {

// The largest of the last axis, which becomes 1; of absolute values when `both`.
Tensor row_tops(const Tensor& x, bool both) {
  Tensor in = both ? map([](real v) { return std::abs(v); }, x) : x.compact(), out(x.shape().with(-1, 1));
  Size n = x.size(-1);
  real* to = out.mut();
  count_work(x.numel());
  parallel_for(out.numel(), std::max<Size>(1, kernel::grain / n), [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) to[i] = kernel::row_max(in.data() + i * n, n);
  });
  return out;
}

// What the exponents of keys are relative to: the largest of all, or causal, of those so far, with what it loses from
// one position to the next. Of what does not count, infinity.
struct Stabiliser {
  Tensor shift;  // (B, N, H, 1)
  Tensor decay;  // (B, H, N), when causal
};
Stabiliser stabiliser(const Tensor& tops, const Mask& keep, bool causal, LinearState* state) {
  Size batch = tops.size(0), n = tops.size(1), heads = tops.size(2);
  Stabiliser s{Tensor(tops.shape()), causal ? Tensor({batch, heads, n}) : Tensor()};
  real *shift = s.shift.mut(), *decay = causal ? s.decay.mut() : nullptr;
  Tensor largest = state && state->reference.defined() ? state->reference : Tensor({batch, heads}, kernel::none);
  real* so_far = largest.mut();
  auto real_key = [&](Size b, Size i) { return !keep.defined() || keep[b * n + i]; };
  for (Size b = 0; b < batch; b++)
    for (Size h = 0; h < heads; h++) {
      real& top = so_far[b * heads + h];
      auto at = [&](Size i) { return (b * n + i) * heads + h; };
      for (Size i = 0; i < n; i++) {
        real before = top;
        if (real_key(b, i)) top = std::max(top, tops.data()[at(i)]);
        if (causal) decay[(b * heads + h) * n + i] = before == kernel::none ? 0 : before - top;
        shift[at(i)] = real_key(b, i) ? top : -kernel::none;
      }
      for (Size i = 0; i < n && !causal; i++)
        if (real_key(b, i)) shift[at(i)] = top;
    }
  count_work(tops.numel());
  if (state) state->reference = largest;
  return s;
}

}  // namespace

Features Performer::features(const FeatureInput& in) const {
  Size d = in.q.size(-1);
  if (!Eval::on() && options.redraw > 0 && ++*steps % options.redraw == 0)
    Var(omega).value() =
        options.orthogonal ? orthogonal_normals(options.features, d, *rng) : rng->normal({options.features, d}, 1);
  auto scale = static_cast<real>(1 / std::sqrt(std::sqrt(static_cast<double>(d))));
  // The scale goes with the directions, which are few.
  Var directions = transpose(omega.detach() * scale);
  Var query = linear(in.q, directions), key = linear(in.k, directions);
  auto eps = static_cast<real>(options.eps);
  if (options.kind == FavorKind::relu)
    return {relu(query) + (real(1e-3) + eps), masked_fill(relu(key) + (real(1e-3) + eps), in.keep, 0)};
  bool both = options.kind == FavorKind::hyperbolic;
  Var half = sum(in.k * in.k, {-1}, true) * (scale * scale / 2);
  auto exponentials = [&](const Var& x, const Var& shift) {
    Var up = exp_shifted(x, shift);
    return both ? concat({up, exp_shifted(-x, shift)}, -1) : up;
  };
  Tensor tops = map([](real a, real b) { return a - b; }, row_tops(key.value(), both), half.value());
  Stabiliser keys = stabiliser(tops, in.keep, causal, in.state);
  // A query's own factors, e^(-|x'|²/2) among them, cancel against the denominator, as does 1/√M.
  Features f{exponentials(query, row_tops(query.value(), both)), exponentials(key, half + keys.shift)};
  if (eps > 0) f.query = f.query + eps, f.key = masked_fill(f.key + eps, in.keep, 0);
  if (causal) f.how.decay = keys.decay;
  return f;
}

}  // namespace HEED_NAMESPACE
