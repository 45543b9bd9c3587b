// Everything is a product of a chunk of rows with a matrix of sums (features x values). For the gradient of the keys
// the same sums are made of the queries' features and the gradient of the output, from the end on. The denominator is
// one more column of the values, all ones, so that no pass knows of it but the last.
#include "nn/mixer/reorder.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"
#include "tensor/rows.hpp"

namespace HEED_NAMESPACE {

namespace {

// The matrices of (B, H, N, width), rows or columns with unit stride.
struct Heads {
  Tensor x;
  bool transposed = false;
  explicit Heads(const Tensor& t) : x(t) {
    auto apart = [&](int outer, int inner) {
      return (x.strides()[inner] == 1 || x.size(inner) == 1) &&
             (x.strides()[outer] >= x.size(inner) || x.size(outer) == 1);
    };
    transposed = !apart(-2, -1) && apart(-1, -2);
    if (!transposed && !apart(-2, -1)) x = x.compact();
  }
  Matrix at(Size b, Size h, Size i) const {
    const Shape& s = x.strides();
    const real* data = x.data() + b * s[0] + h * s[1] + i * s[2];
    return {data, std::max(x.size(transposed ? -2 : -1), s[transposed ? -1 : -2]), transposed};
  }
};

Matrix flipped(const Matrix& x) { return {x.data, x.stride, !x.transposed}; }

// Rows of a result (B, N, H, width).
struct Result {
  Tensor x;
  real* data;
  Result(Size batch, Size n, Size heads, Size width) : x({batch, n, heads, width}), data(x.mut()) {}
  Size stride() const { return x.strides()[1]; }
  real* at(Size b, Size h, Size i) const { return data + ((b * x.size(1) + i) * x.size(2) + h) * x.size(3); }
  Tensor by_head() const { return x.permute({0, 2, 1, 3}); }
};

struct Problem {
  Heads q, k;
  Tensor v, decay;
  LinearAttentionOptions how;
  Size batch, heads, queries, keys, features, width, columns, chunk;
  Tensor passed;  // (B, H, N): Σ of decay from the start of the chunk to this position

  Problem(const Var& query, const Var& key, const Var& values, const LinearAttentionOptions& options)
      : q(query.value()), k(key.value()), v(values.value()), how(options) {
    const char* name = "linear_attention";
    const Shape &a = query.shape(), &b = key.shape(), &c = values.shape();
    check(a.rank() == 4 && b.rank() == 4 && c.rank() == 4 && a[0] == b[0] && a[0] == c[0] && a[1] == b[1] &&
              a[1] == c[1] && b[2] == c[2] && a[3] == b[3],
          name, "shapes do not fit: features ", a, " and ", b, ", values ", c);
    check(a[2] > 0 && b[2] > 0 && a[3] > 0 && c[3] > 0, name, "nothing to attend with: features ", a, " and ", b,
          ", values ", c);
    check(!how.causal || a[2] == b[2], name, "causal needs as many queries as keys, got ", a, " and ", b);
    check(how.causal || (!how.decay.defined() && !how.state), name, "only the causal form has a decay or a state");
    check(!how.state || Eval::on(), name, "a state is carried under Eval only");
    batch = a[0], heads = a[1], queries = a[2], keys = b[2], features = a[3], width = c[3];
    columns = width + how.divide, chunk = features > 96 ? 128 : 64;
    if (v.strides()[-1] != 1) v = v.compact();
    if (!how.decay.defined()) return;
    check(how.decay.shape() == Shape{batch, heads, keys}, name, "expected a decay of shape ", Shape{batch, heads, keys},
          ", got ", how.decay.shape());
    decay = how.decay.value().compact(), passed = Tensor(decay.shape());
    how.decay = {};  // the value is enough: a saved Var would keep its graph alive
    real* to = passed.mut();
    for (Size i = 0; i < passed.numel(); i++) to[i] = decay.data()[i] + (i % keys % chunk == 0 ? 0 : to[i - 1]);
  }

  Size chunks(Size n) const { return (n + chunk - 1) / chunk; }
  const real* passed_at(Size b, Size h, Size i) const {
    return passed.defined() ? passed.data() + (b * heads + h) * keys + i : nullptr;
  }
  // Calls f(b, h, number, scratch) for `count` numbers of all heads, on threads when the whole is worth it.
  template <class F>
  void each(Size count, Size rows, const F& f) const {
    Size all = batch * heads * count, work = rows * features * columns;
    Size grain = std::max<Size>(1, (Size(1) << 18) / std::max<Size>(1, work));
    parallel_for(all, grain, [&](Size begin, Size end) {
      Tensor scratch({2 * chunk * (columns + chunk)});
      for (Size i = begin; i < end; i++) f(i / count / heads, i / count % heads, i % count, scratch.mut());
    });
  }
};

// A chunk of values with the column of ones.
struct Values {
  const Problem& p;
  void operator()(Size b, Size h, Size first, Size m, real* to) const {
    const Shape& s = p.v.strides();
    const real* from = p.v.data() + b * s[0] + h * s[1] + first * s[2];
    for (Size i = 0; i < m; i++, to += p.columns) {
      std::copy_n(from + i * s[2], p.width, to);
      if (p.how.divide) to[p.width] = 1;
    }
  }
};

// A chunk of the gradient of numerators and denominators.
struct Slopes {
  const Problem& p;
  Tensor up, out, inverse;  // (B, H, N, dv) with unit rows, (B, N, H, dv), (B, N, H)
  void operator()(Size b, Size h, Size first, Size m, real* to) const {
    const Shape& s = up.strides();
    const real* from = up.data() + b * s[0] + h * s[1] + first * s[2];
    for (Size i = 0; i < m; i++, to += p.columns) {
      const real* g = from + i * s[2];
      std::copy_n(g, p.width, to);
      if (!p.how.divide) continue;
      Size row = (b * p.queries + first + i) * p.heads + h;
      real scale = inverse.data()[row];
      kernel::scale_row(to, scale, p.width);
      bool clamped = p.how.least > 0 && scale == 1 / p.how.least;
      to[p.width] = clamped ? 0 : -scale * kernel::dot_row(g, out.data() + row * p.width, p.width);
    }
  }
};

// Σ x_i' y_i over the positions before each chunk, or after it, as (B, H, chunks, M, columns); one for all chunks
// unless causal. Each chunk is summed by itself first, which also keeps the digits that a long sum would lose.
template <class Rows>
Tensor sums(const Problem& p, const Heads& x, Size n, const Rows& y, bool after) {
  Size chunks = p.chunks(n), size = p.features * p.columns;
  Size run = p.how.causal ? 1 : (chunks + 7) / 8, parts = (chunks + run - 1) / run;  // chunks in a part
  Tensor out({p.batch, p.heads, parts, p.features, p.columns});
  real* to = out.mut();
  p.each(parts, run * p.chunk, [&](Size b, Size h, Size part, real* rows) {
    real* total = to + ((b * p.heads + h) * parts + part) * size;
    for (Size c = part * run; c < std::min((part + 1) * run, chunks); c++) {
      Size first = c * p.chunk, m = std::min(n - first, p.chunk);
      y(b, h, first, m, rows);
      if (const real* passed = p.passed_at(b, h, first))
        for (Size i = 0; i < m; i++)
          kernel::scale_row(rows + i * p.columns, kernel::exp(after ? passed[i] : passed[m - 1] - passed[i]),
                            p.columns);
      gemm(flipped(x.at(b, h, first)), {rows, p.columns}, total, p.columns, p.features, p.columns, m, 1,
           c == part * run ? real(0) : real(1));
    }
  });
  count_work(p.batch * p.heads * n * size);
  Tensor* carried = after ? nullptr : p.how.state;
  Tensor ends;
  if (carried) {
    Shape shape{p.batch, p.heads, p.features, p.columns};
    check(!carried->defined() || carried->shape() == shape, "linear_attention", "expected a state of shape ", shape,
          ", got ", carried->defined() ? carried->shape() : Shape{});
    ends = carried->defined() ? *carried : Tensor(shape, 0);
  }
  real* end = carried ? ends.mut() : nullptr;
  parallel_for(p.batch * p.heads, std::max<Size>(1, kernel::grain / (parts * size)), [&](Size begin, Size stop) {
    Tensor now({size});
    real* before = now.mut();
    for (Size head = begin; head < stop; head++) {
      real* mine = to + head * parts * size;
      if (!p.how.causal) {
        for (Size c = 1; c < parts; c++)
#pragma omp simd
          for (Size i = 0; i < size; i++) mine[i] += mine[c * size + i];
        continue;
      }
      if (end)
        std::copy_n(end + head * size, size, before);
      else
        std::fill_n(before, size, real(0));
      for (Size step = 0; step < chunks; step++) {
        Size c = after ? chunks - 1 - step : step, last = std::min((c + 1) * p.chunk, n) - 1;
        const real* passed = p.passed_at(head / p.heads, head % p.heads, last);
        real left = passed ? kernel::exp(*passed) : 1, *here = mine + c * size;
#pragma omp simd
        for (Size i = 0; i < size; i++) {
          real sum = here[i];
          here[i] = before[i];
          before[i] = before[i] * left + sum;
        }
      }
      if (end) std::copy_n(before, size, end + head * size);
    }
  });
  count_work(p.batch * p.heads * parts * size);
  if (carried) *carried = ends;
  return out;
}

const real* of_chunk(const Problem& p, const Tensor& sums, Size b, Size h, Size c) {
  Size parts = sums.size(2);
  return sums.data() + ((b * p.heads + h) * parts + (p.how.causal ? c : 0)) * p.features * p.columns;
}

// Zeros what comes later than its row, and lets the rest decay.
void keep_causal(real* cells, Size m, const real* passed) {
  for (Size i = 0; i < m; i++) {
    real* row = cells + i * m;
    if (passed) {
      real at = passed[i];
#pragma omp simd
      for (Size j = 0; j <= i; j++) row[j] *= kernel::exp(at - passed[j]);
    }
    std::fill(row + i + 1, row + m, real(0));
  }
}

struct Forward {
  Tensor out, inverse;  // (B, N, H, dv), (B, N, H)
};

Forward forward(const Problem& p) {
  Tensor before = sums(p, p.k, p.keys, Values{p}, false);
  Result out(p.batch, p.queries, p.heads, p.width);
  Tensor inverse = p.how.divide ? Tensor({p.batch, p.queries, p.heads}) : Tensor();
  real* inverses = inverse.defined() ? inverse.mut() : nullptr;
  p.each(p.chunks(p.queries), p.chunk, [&](Size b, Size h, Size c, real* y) {
    Size first = c * p.chunk, m = std::min(p.chunk, p.queries - first), n = p.columns;
    real *values = y + p.chunk * n, *cells = values + p.chunk * n;
    Matrix q = p.q.at(b, h, first);
    gemm(q, {of_chunk(p, before, b, h, c), n}, y, n, m, n, p.features);
    const real* passed = p.passed_at(b, h, first);
    if (passed)
      for (Size i = 0; i < m; i++) kernel::scale_row(y + i * n, kernel::exp(passed[i]), n);
    if (p.how.causal) {
      gemm(q, flipped(p.k.at(b, h, first)), cells, m, m, m, p.features);
      keep_causal(cells, m, passed);
      Values{p}(b, h, first, m, values);
      gemm({cells, m}, {values, n}, y, n, m, n, m, 1, 1);
    }
    for (Size i = 0; i < m; i++, y += n) {
      real* to = out.at(b, h, first + i);
      std::copy_n(y, p.width, to);
      if (!p.how.divide) continue;
      real sum = y[p.width] + p.how.eps;
      if (p.how.least > 0) sum = std::max(sum, p.how.least);
      real scale = inverses[(b * p.queries + first + i) * p.heads + h] = sum == 0 ? 0 : 1 / sum;
      kernel::scale_row(to, scale, p.width);
    }
  });
  count_work(p.batch * p.heads * p.queries *
             (p.features * p.columns + (p.how.causal ? p.chunk * (p.features + p.columns) : 0)));
  return {out.x, inverse};
}

// Of decay at t: what passes from before t to t and later. Σ_{i>=t} (what row i gets) - Σ_{j>=t} (what key j gives).
Tensor decay_gradient(const Problem& p, const Tensor& dq, const Tensor& dk) {
  Tensor out({p.batch, p.heads, p.keys});
  real* to = out.mut();
  Tensor q = p.q.transposed ? p.q.x.compact() : p.q.x, k = p.k.transposed ? p.k.x.compact() : p.k.x;
  auto dot = [&](const Tensor& x, const Tensor& y, Size b, Size h, Size i) {
    auto row = [&](const Tensor& t) { return t.data() + b * t.strides()[0] + h * t.strides()[1] + i * t.strides()[2]; };
    return static_cast<double>(kernel::dot_row(row(x), row(y), p.features));
  };
  parallel_for(p.batch * p.heads, 1, [&](Size begin, Size end) {
    for (Size head = begin; head < end; head++) {
      double total = 0;
      for (Size i = p.keys - 1; i >= 0; i--) {
        total += dot(q, dq, head / p.heads, head % p.heads, i);
        // The same cell stands in both, once its row and its key are behind t.
        total -= dot(k, dk, head / p.heads, head % p.heads, i);
        to[head * p.keys + i] = static_cast<real>(total);
      }
    }
  });
  count_work(2 * p.batch * p.heads * p.keys * p.features);
  return out;
}

std::vector<Tensor> backward(const Problem& p, const Forward& o, const Tensor& gradient) {
  Slopes slopes{p, gradient.strides()[-1] == 1 ? gradient : gradient.compact(), o.out, o.inverse};
  Tensor before = sums(p, p.k, p.keys, Values{p}, false), after = sums(p, p.q, p.queries, slopes, true);
  Result dq(p.batch, p.queries, p.heads, p.features), dk(p.batch, p.keys, p.heads, p.features),
      dv(p.batch, p.keys, p.heads, p.width);
  p.each(p.chunks(std::max(p.queries, p.keys)), 2 * p.chunk, [&](Size b, Size h, Size c, real* up) {
    Size first = c * p.chunk, n = p.columns, d = p.features;
    Size rows = std::clamp<Size>(p.queries - first, 0, p.chunk), m = std::clamp<Size>(p.keys - first, 0, p.chunk);
    real *values = up + p.chunk * n, *cells = values + p.chunk * n, *slope = cells + p.chunk * p.chunk;
    const real* passed = p.passed_at(b, h, first);
    auto decayed = [&](const Result& x, Size width, bool to_the_end) {
      for (Size i = 0; passed && i < m; i++)
        kernel::scale_row(x.at(b, h, first + i), kernel::exp(to_the_end ? passed[m - 1] - passed[i] : passed[i]),
                          width);
    };
    if (rows > 0) {
      slopes(b, h, first, rows, up);
      gemm({up, n}, {of_chunk(p, before, b, h, c), n, true}, dq.at(b, h, first), dq.stride(), rows, d, n);
      decayed(dq, d, false);
    }
    if (m > 0) {
      const real* later = of_chunk(p, after, b, h, c);
      Values{p}(b, h, first, m, values);
      gemm({values, n}, {later, n, true}, dk.at(b, h, first), dk.stride(), m, d, n);
      gemm(p.k.at(b, h, first), {later, n}, dv.at(b, h, first), dv.stride(), m, p.width, d);
      decayed(dk, d, true), decayed(dv, p.width, true);
    }
    if (!p.how.causal) return;
    Matrix q = p.q.at(b, h, first), k = p.k.at(b, h, first);
    gemm(q, flipped(k), cells, m, m, m, d);
    gemm({up, n}, {values, n, true}, slope, m, m, m, n);
    keep_causal(cells, m, passed), keep_causal(slope, m, passed);
    gemm({slope, m}, k, dq.at(b, h, first), dq.stride(), m, d, m, 1, 1);
    gemm({slope, m, true}, q, dk.at(b, h, first), dk.stride(), m, d, m, 1, 1);
    gemm({cells, m, true}, {up, n}, dv.at(b, h, first), dv.stride(), m, p.width, m, 1, 1);
  });
  count_work(p.batch * p.heads *
             ((p.queries + 2 * p.keys) * p.features * p.columns +
              (p.how.causal ? p.keys * p.chunk * (3 * p.features + 2 * p.columns) : 0)));
  std::vector<Tensor> out{dq.by_head(), dk.by_head(), dv.by_head()};
  if (p.passed.defined()) out.push_back(decay_gradient(p, out[0], out[1]));
  return out;
}

}  // namespace

Var linear_attention(const Var& query_features, const Var& key_features, const Var& values,
                     const LinearAttentionOptions& options) {
  auto problem = std::make_shared<const Problem>(query_features, key_features, values, options);
  Forward o = forward(*problem);
  std::vector<Var> inputs{query_features, key_features, values};
  if (options.decay.defined()) inputs.push_back(options.decay);
  return op("linear_attention", o.out.permute({0, 2, 1, 3}), inputs,
            [problem, o](const Tensor& gradient) { return backward(*problem, o, gradient); });
}

}  // namespace HEED_NAMESPACE
