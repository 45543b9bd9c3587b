#include "models/show/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/gemm.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

// (B, H, N, d) of one item without its first axis; of one head, (B, N, d) and (N, d) are such already.
Tensor of_item(const Tensor& x) { return x.reshape({x.rank() == 4 ? x.size(1) : 1, x.size(-2), x.size(-1)}).compact(); }

bool one_item(const Var& q) { return q.rank() < 3 || q.size(0) == 1; }

// The same values; the gradient that comes by is kept.
Var watched(const Var& x, const std::shared_ptr<Tensor>& gradient) {
  return op("watch", x.value(), {{x, [gradient](const Tensor& g) {
                                    *gradient = g;
                                    return g;
                                  }}});
}

Tensor gradient_of(const std::shared_ptr<Tensor>& kept, const Tensor& like) {
  if (!kept || !kept->defined()) return {};
  Tensor g = of_item(*kept);
  return g.size(-1) == like.size(-1) ? g : g.slice(-1, 0, like.size(-1)).compact();
}

Tensor scores_of(const Tensor& q, const Tensor& k, const AttentionOptions& options, double scale) {
  if (options.additive.defined() || options.relative.defined()) return {};
  Tensor s = matmul(q, k.transpose()).compact();
  real* to = s.mut();
  const Size heads = s.size(0), queries = s.size(1), keys = s.size(2);
  for (Size h = 0; h < heads; h++) {
    const double slope = options.slopes.empty() ? 0 : double(options.slopes[static_cast<std::size_t>(h)]);
    for (Size i = 0; i < queries; i++)
      for (Size j = 0; j < keys; j++, to++)
        *to = static_cast<real>(scale * double(*to) - slope * std::fabs(double(i + keys - queries - j)));
  }
  return s;
}

std::vector<Mask> kept_cells(const AttentionOptions& options, Size heads, Size queries, Size keys) {
  std::vector<Mask> kept;
  const bool any = std::any_of(options.patterns.begin(), options.patterns.end(),
                               [](const Pattern& pattern) { return pattern.defined(); });
  for (Size h = 0; any && h < heads; h++)
    kept.push_back(
        options.patterns[options.patterns.size() == 1 ? 0 : static_cast<std::size_t>(h)].mask(queries, keys, h));
  return kept;
}

// Rows of queries one after the other.
void append(Tensor& to, const Tensor& more) {
  if (!to.defined() || !more.defined()) {
    to = Tensor();
    return;
  }
  Tensor parts[] = {to, more};
  to = concat(parts, 1);
}

void add(Tensor& to, const Tensor& more) {
  if (to.defined() && more.defined()) to = map([](real a, real b) { return a + b; }, to, more);
}

}  // namespace

Tensor SeenAttention::dweights() const { return dout.defined() ? matmul(dout, v.transpose()).compact() : Tensor(); }

Tensor SeenAttention::dscores() const {
  if (!dout.defined() || !scores.defined() || !softmax) return {};
  Tensor d = dweights();
  real* row = d.mut();
  const real* a = weights.data();
  for (Size i = 0; i < heads() * queries(); i++, row += keys(), a += keys()) {
    double mean = 0;
    for (Size j = 0; j < keys(); j++) mean += double(a[j]) * double(row[j]);
    for (Size j = 0; j < keys(); j++) row[j] = static_cast<real>(double(a[j]) * (double(row[j]) - mean));
  }
  return d;
}

Var Recorder::attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
  const std::size_t place = place_(count_++);
  if (!one_item(q)) {
    gathered_++;
    return attention(q, k, v, options);
  }
  Call call{place,
            {},
            std::make_shared<Tensor>(),
            std::make_shared<Tensor>(),
            std::make_shared<Tensor>(),
            std::make_shared<Tensor>()};
  Var out = watched(attention(watched(q, call.dq), watched(k, call.dk), watched(v, call.dv), options), call.dout);
  SeenAttention& seen = call.seen;
  seen.place = place;
  seen.q = of_item(q.value()), seen.k = of_item(k.value()), seen.v = of_item(v.value());
  seen.out = of_item(out.value()).slice(-1, 0, v.size(-1)).compact();  // behind them are sums of relative positions
  seen.weights = of_item(attention_weights(q, k, options));
  seen.scale = options.scale != 0 ? double(options.scale) : 1 / std::sqrt(double(q.size(-1)));
  seen.softmax = options.normaliser == Normaliser::softmax;
  seen.scores = scores_of(seen.q, seen.k, options, seen.scale);
  seen.kept = kept_cells(options, seen.heads(), seen.queries(), seen.keys());
  calls_.push_back(std::move(call));
  return out;
}

void Recorder::see(const char* mixer, const Tensor& weights) {
  const std::size_t place = place_(count_++);
  if (weights.size(0) == 1)
    calls_.push_back(
        {place, {.mixer = mixer, .place = place, .weights = of_item(weights)}, nullptr, nullptr, nullptr, nullptr});
}

std::vector<SeenAttention> Recorder::result() const {
  std::vector<SeenAttention> all;
  std::vector<std::size_t> places;
  for (const Call& call : calls_) {
    SeenAttention seen = call.seen;
    if (seen.q.defined()) {
      seen.dq = gradient_of(call.dq, seen.q), seen.dk = gradient_of(call.dk, seen.k);
      seen.dv = gradient_of(call.dv, seen.v), seen.dout = gradient_of(call.dout, seen.out);
    }
    auto at = std::find(places.begin(), places.end(), call.place);
    if (at == places.end()) {
      places.push_back(call.place);
      all.push_back(std::move(seen));
      continue;
    }
    SeenAttention& whole = all[static_cast<std::size_t>(at - places.begin())];
    for (auto part : {&SeenAttention::weights, &SeenAttention::q, &SeenAttention::out, &SeenAttention::dq,
                      &SeenAttention::dout, &SeenAttention::scores})
      append(whole.*part, seen.*part);
    add(whole.dk, seen.dk), add(whole.dv, seen.dv);
    whole.kept.clear();
  }
  return all;
}

Var HeadCut::attend(const Var& q, const Var& k, const Var& v, const AttentionOptions& options) {
  Var out = attention(q, k, v, options);
  if (place_(count_++) != where_) return out;
  const Size heads = out.rank() == 4 ? out.size(1) : 1;
  Tensor keep(out.rank() == 4 ? Shape{heads, 1, 1} : Shape{1, 1}, 1);
  keep.mut()[head_] = 0;
  return out * Var(keep);
}

}  // namespace HEED_NAMESPACE
