#include "nn/attention/tiles.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/rows.hpp"

namespace HEED_NAMESPACE::tiles {

Rows<const real> rows(const Tensor& x) { return {x.data(), x.strides()[0], x.strides()[1], x.strides()[2]}; }
Rows<real> result_rows(Tensor& x, Size first) {
  return {x.mut(), x.strides()[0], x.strides()[2], x.strides()[1], first};
}

namespace {

Tensor with_unit_rows(const Tensor& x) { return x.strides()[-1] == 1 || x.size(-1) == 1 ? x : x.compact(); }

// How many positions of each batch entry there are up to its last real key.
std::vector<Size> real_lengths(const Problem& p) {
  std::vector<Size> out(static_cast<std::size_t>(p.batch), p.keys);
  if (!p.options.mask.defined() || p.seen || p.queries != p.keys) return out;
  for (Size b = 0; b < p.batch; b++) {
    const std::uint8_t* keep = p.options.mask.data() + b * p.mask_strides[0];
    Size& n = out[static_cast<std::size_t>(b)];
    while (n > 0 && !keep[(n - 1) * p.mask_strides[3]]) n--;
  }
  return out;
}

}  // namespace

Problem::Problem(const Var& query, const Var& key, const Var& value, const AttentionOptions& choice)
    : q(with_unit_rows(query.value())),
      k(with_unit_rows(key.value())),
      v(with_unit_rows(value.value())),
      options(choice) {
  const char* name = "attention";
  bool four = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  check(four && q.size(0) == k.size(0) && q.size(0) == v.size(0) && q.size(1) == k.size(1) && q.size(1) == v.size(1) &&
            k.size(2) == v.size(2) && q.size(3) == k.size(3),
        name, "shapes do not fit: queries ", q.shape(), ", keys ", k.shape(), ", values ", v.shape());
  check(q.size(2) > 0 && k.size(2) > 0, name, "the sequence is empty: queries ", q.shape(), ", keys ", k.shape());
  batch = q.size(0), heads = q.size(1), queries = q.size(2), keys = k.size(2), width = q.size(3),
  value_width = v.size(3);
  if (options.additive.defined()) {
    additive = options.additive.value().compact();
    check(additive.shape() == Shape{width}, name, "additive weights have shape ", additive.shape(), ", expected (",
          width, ")");
  }
  if (options.scale == 0)
    options.scale = additive.defined() || width == 0 ? 1 : static_cast<real>(1 / std::sqrt(static_cast<double>(width)));
  if (options.relative.defined()) {
    relative = with_unit_rows(options.relative.value());
    check(relative.rank() == 4 && relative.shape() == Shape{batch, heads, queries, relative.size(-1)} &&
              relative.size(-1) % 2 == 1,
          name, "relative scores have shape ", relative.shape(), ", expected (", batch, ", ", heads, ", ", queries,
          ", an odd number)");
    buckets = relative.size(-1), reach = buckets / 2;
  }
  check(options.slopes.empty() || static_cast<Size>(options.slopes.size()) == heads, name, options.slopes.size(),
        " slopes for ", heads, " heads");
  check(options.patterns.size() <= 1 || static_cast<Size>(options.patterns.size()) == heads, name,
        options.patterns.size(), " patterns for ", heads, " heads; give one, or one for each");
  if (options.mask.defined()) {
    const Shape& shape = options.mask.shape();
    mask_strides = broadcast_strides(name, shape, shape.compact_strides(), {batch, heads, queries, keys});
    seen = mask_strides[2];
  }
  check(options.dropout >= 0 && options.dropout < 1 && (options.dropout == 0 || options.rng), name,
        "dropout needs a probability in [0, 1) and a generator, got ", options.dropout);
  if (Eval::on()) options.dropout = 0;
  if (options.dropout > 0) dropout_key = static_cast<std::uint32_t>(options.rng->bits() >> 32);
  options.relative = options.additive = {};  // values are enough: a saved Var would keep its graph alive
  lengths.assign(static_cast<std::size_t>(batch), keys);
  std::vector<Size> real_ones = real_lengths(*this);
  for (Size b = 0; b < batch; b++)
    for (Size h = 0; h < heads; h++) {
      const Pattern& chosen = pattern(h);
      Size& length = lengths[static_cast<std::size_t>(b)];
      bool cut = chosen.defined() && chosen.rule()->by_length();
      if (cut) length = real_ones[static_cast<std::size_t>(b)];
      plans.push_back(make_plan(chosen, cut && queries == keys ? length : queries, cut ? length : keys, h));
    }
}

const Pattern& Problem::pattern(Size h) const {
  static const Pattern everything;
  if (options.patterns.empty()) return everything;
  return options.patterns[options.patterns.size() == 1 ? 0 : static_cast<std::size_t>(h)];
}

std::vector<Place> places(const Problem& p) {
  std::vector<Place> out;
  for (Size b = 0; b < p.batch; b++)
    for (Size h = 0; h < p.heads; h++)
      for (const Plan::Block& block : p.plan(b, h).blocks) out.push_back({b, h, &block});
  return out;
}

Size all_cells(const Problem& p) {
  Size cells = 0;
  for (const auto& plan : p.plans) cells += plan->cells;
  return cells;
}

Scratch::Scratch(const Problem& p) {
  Size cells = 0, longest = 0;
  for (const auto& plan : p.plans) {
    cells = std::max(cells, plan->most_queries * plan->most_keys);
    longest = std::max(longest, plan->most_keys);
  }
  scores = Tensor({cells});
  other = Tensor({cells});
  if (p.options.dropout > 0) spare = Tensor({cells});
  if (p.additive.defined()) columns = Tensor({2 * p.width * longest});
  keep.resize(static_cast<std::size_t>(longest));
  padding.resize(static_cast<std::size_t>(longest));
}

namespace {

enum class Kept { none, some, all };

// What a mask that is alike for all queries says of a tile's keys.
Kept padding(const Problem& p, const Place& place, const Lattice& keys, std::uint8_t* out) {
  if (!p.options.mask.defined() || p.seen) return Kept::all;
  const std::uint8_t* mask = p.options.mask.data() + place.b * p.mask_strides[0] + place.h * p.mask_strides[1];
  Size kept = 0, step = p.mask_strides[3];
  for (Size j = 0; j < keys.count; j++) kept += out[j] = mask[keys[j] * step];
  return kept == 0 ? Kept::none : kept == keys.count ? Kept::all : Kept::some;
}

void transpose_keys(const Problem& p, const Place& place, const Lattice& keys, real* out) {
  for (Size j = 0; j < keys.count; j++) {
    const real* key = rows(p.k).at(place.b, place.h, keys[j]);
    for (Size c = 0; c < p.width; c++) out[c * keys.count + j] = key[c];
  }
}

void additive_scores(const Problem& p, const Place& place, const Lattice& keys, Scratch& scratch, real* s) {
  real* columns = scratch.columns.mut();
  transpose_keys(p, place, keys, columns);
  const Lattice& queries = place.block->queries;
  for (Size i = 0; i < queries.count; i++) {
    const real* query = rows(p.q).at(place.b, place.h, queries[i]);
    real* row = s + i * keys.count;
    std::fill_n(row, keys.count, real(0));
    for (Size c = 0; c < p.width; c++) {
      real shift = query[c], weight = p.additive.data()[c] * p.options.scale;
      const real* column = columns + c * keys.count;
#pragma omp simd
      for (Size j = 0; j < keys.count; j++) row[j] += weight * kernel::tanh(shift + column[j]);
    }
  }
}

void positional_scores(const Problem& p, const Place& place, const Lattice& keys, real* s) {
  const Lattice& queries = place.block->queries;
  for (Size i = 0; i < queries.count; i++) {
    Size at = p.position(place.b, queries[i]);
    real *row = s + i * keys.count, slope = p.slope(place.h);
    if (p.buckets) {
      const real* bonus = rows(p.relative).at(place.b, place.h, queries[i]);
      for (Size j = 0; j < keys.count; j++) row[j] += bonus[p.bucket(keys[j] - at)] * p.options.scale;
    }
    if (slope != 0)
      for (Size j = 0; j < keys.count; j++) row[j] -= slope * static_cast<real>(std::abs(keys[j] - at));
  }
}

}  // namespace

bool scores(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch, real* s) {
  const Lattice &queries = place.block->queries, &keys = tile.keys;
  Kept real_keys = padding(p, place, keys, scratch.padding.data());
  if (real_keys == Kept::none) return false;
  Size n = queries.count, m = keys.count;
  if (p.additive.defined()) {
    additive_scores(p, place, keys, scratch, s);
  } else {
    gemm(matrix(rows(p.q), place, queries, p.width), matrix(rows(p.k), place, keys, p.width, true), s, m, n, m, p.width,
         p.options.scale);
  }
  if (p.buckets || !p.options.slopes.empty()) positional_scores(p, place, keys, s);
  bool by_query = p.options.mask.defined() && p.seen;
  if (tile.all && real_keys == Kept::all && !by_query) return true;

  const Pattern::Rule* rule = p.pattern(place.h).rule().get();
  Pattern::Rule::Place where{place.h, p.lengths[static_cast<std::size_t>(place.b)]};
  for (Size i = 0; i < n; i++) {
    std::uint8_t* keep = scratch.keep.data();
    real* row = s + i * m;
    std::optional<Span> stretch{{0, m, true}};
    if (!tile.all) stretch = rule->stretch(where, p.position(place.b, queries[i]), keys);
    if (stretch) {
      std::fill(row, row + stretch->begin, kernel::none);
      std::fill(row + stretch->end, row + m, kernel::none);
      if (real_keys == Kept::all && !by_query) continue;
      std::fill_n(keep, m, std::uint8_t(1));
    } else {
      rule->row(where, p.position(place.b, queries[i]), keys, keep);
    }
    if (real_keys == Kept::some)
      for (Size j = 0; j < m; j++) keep[j] &= scratch.padding[static_cast<std::size_t>(j)];
    if (by_query) {
      const std::uint8_t* mask = p.options.mask.data() + place.b * p.mask_strides[0] + place.h * p.mask_strides[1] +
                                 queries[i] * p.mask_strides[2];
      for (Size j = 0; j < m; j++) keep[j] &= mask[keys[j] * p.mask_strides[3]];
    }
#pragma omp simd
    for (Size j = 0; j < m; j++) row[j] = keep[j] ? row[j] : kernel::none;
  }
  return true;
}

void additive_backward(const Problem& p, const Place& place, const Plan::Tile& tile, Scratch& scratch, const real* ds,
                       const Rows<real>& dq, const Rows<real>& dk, real* dw) {
  const Lattice &queries = place.block->queries, &keys = tile.keys;
  Size m = keys.count;
  real *columns = scratch.columns.mut(), *sums = columns + p.width * m;
  transpose_keys(p, place, keys, columns);
  std::fill_n(sums, p.width * m, real(0));
  for (Size i = 0; i < queries.count; i++) {
    const real *query = rows(p.q).at(place.b, place.h, queries[i]), *row = ds + i * m;
    real* to_query = dq.at(place.b, place.h, queries[i]);
    for (Size c = 0; c < p.width; c++) {
      real shift = query[c], weight = p.additive.data()[c] * p.options.scale, to_shift = 0, to_weight = 0;
      const real* column = columns + c * m;
      real* sum = sums + c * m;
#pragma omp simd reduction(+ : to_shift, to_weight)
      for (Size j = 0; j < m; j++) {
        real t = kernel::tanh(shift + column[j]), g = row[j] * weight * (1 - t * t);
        to_weight += row[j] * t;
        to_shift += g;
        sum[j] += g;
      }
      to_query[c] += to_shift;
      dw[c] += to_weight * p.options.scale;
    }
  }
  for (Size j = 0; j < m; j++) {
    real* to_key = dk.at(place.b, place.h, keys[j]);
    for (Size c = 0; c < p.width; c++) to_key[c] += sums[c * m + j];
  }
}

void drop(const Problem& p, const Place& place, const Plan::Tile& tile, const real* in, real* out) {
  auto threshold = static_cast<std::uint32_t>(p.options.dropout * 0x1p32);
  auto scale = static_cast<real>(1 / (1 - p.options.dropout));
  Size m = tile.keys.count;
  for (Size i = 0; i < place.block->queries.count; i++) {
    auto row = static_cast<std::uint32_t>((place.b * p.heads + place.h) * p.queries + place.block->queries[i]);
    kernel::drop_row(in + i * m, out + i * m, static_cast<std::uint32_t>(tile.keys.first), static_cast<int>(m),
                     p.dropout_key ^ (row * 0x85ebca6bu + 0x9e3779b9u), threshold, scale);
  }
}

}  // namespace HEED_NAMESPACE::tiles
