#include "nn/attention/pattern.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

namespace {

using Rule = Pattern::Rule;
constexpr Size far = std::numeric_limits<Size>::max() / 4;

// Indices of the lattice's numbers in [low, high].
Span inside(const Lattice& keys, Size low, Size high, bool all) {
  auto up_to = [&](Size bound) {  // how many lie below `bound`
    return bound <= keys.first ? 0 : std::min(keys.count, (bound - keys.first + keys.step - 1) / keys.step);
  };
  return {up_to(low), up_to(high + 1), all};
}

Size floor_divide(Size a, Size b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

void append(std::vector<Span>& out, Size begin, Size end, bool all) {
  if (begin < end) out.push_back({begin, end, all});
}

// Keys [low(p), high(p)], both never falling with p.
struct Interval : Rule {
  virtual Size low(Size p) const = 0;
  virtual Size high(Size p) const = 0;
  void spans(const Place&, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    Span any = inside(keys, low(queries.first), high(queries.last()), false);
    Span all = inside(keys, low(queries.last()), high(queries.first), true);
    if (all.begin >= all.end) return append(out, any.begin, any.end, false);
    append(out, any.begin, all.begin, false);
    append(out, all.begin, all.end, true);
    append(out, all.end, any.end, false);
  }
  void row(const Place& place, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    Span kept = *stretch(place, p, keys);
    std::fill_n(keep, keys.count, std::uint8_t(0));
    std::fill(keep + kept.begin, keep + kept.end, std::uint8_t(1));
  }
  std::optional<Span> stretch(const Place&, Size p, const Lattice& keys) const override {
    Span kept = inside(keys, low(p), high(p), true);
    kept.end = std::max(kept.begin, kept.end);
    return kept;
  }
};

struct Band : Interval {
  Size left, right;
  Band(Size l, Size r) : left(l), right(r) {}
  Size low(Size p) const override { return p - left; }
  Size high(Size p) const override { return p + right; }
};

struct Blocks : Interval {
  Size size, side;
  Blocks(Size block, Size width) : size(block), side(width / 2) {}
  Size low(Size p) const override { return (floor_divide(p, size) - side) * size; }
  Size high(Size p) const override { return (floor_divide(p, size) + side + 1) * size - 1; }
};

struct PassedWindows : Interval {
  Size size, queries;
  PassedWindows(Size window, Size count) : size(window), queries(count) {}
  Size low(Size) const override { return 0; }
  Size high(Size p) const override { return (p - (1 + (queries + size - 1) / size) + queries + 1) / size; }
};

struct Comb : Rule {
  Size stride;
  Band band;
  Comb(Size s, Size reach) : stride(s), band(reach, reach) {}
  bool aligned(const Lattice& x) const { return x.step % stride == 0 || x.count == 1; }
  void spans(const Place& place, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    std::size_t before = out.size();
    if (aligned(queries) && aligned(keys)) {
      if ((queries.first - keys.first) % stride == 0) band.spans(place, queries, keys, out);
      return;
    }
    band.spans(place, queries, keys, out);
    for (; before < out.size(); before++) out[before].all = false;
  }
  void row(const Place&, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    std::fill_n(keep, keys.count, std::uint8_t(0));
    Span kept = inside(keys, band.low(p), band.high(p), true);
    Size start = kept.begin;
    while (start < kept.end && (p - keys[start]) % stride != 0) start++;
    Size step = stride / std::gcd(stride, keys.step);  // teeth of the comb on the lattice
    for (Size j = start; j < kept.end; j += step) keep[j] = 1;
  }
  Size classes() const override { return stride; }
  bool scattered(Size step) const override { return step % stride != 0; }
};

struct Global : Rule {
  std::vector<Size> tokens;
  bool see;  // whether the tokens themselves use all keys
  Global(std::vector<Size> positions, bool look) : tokens(std::move(positions)), see(look) {}
  bool has(Size p) const { return see && std::binary_search(tokens.begin(), tokens.end(), p); }
  void spans(const Place&, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    Size busy_rows = 0;
    for (Size token : tokens)
      busy_rows +=
          see && token >= queries.first && token <= queries.last() && (token - queries.first) % queries.step == 0;
    if (busy_rows) return append(out, 0, keys.count, busy_rows == queries.count);
    for (Size token : tokens) {
      Span one = inside(keys, token, token, true);
      if (one.begin >= one.end) continue;
      if (!out.empty() && out.back().end == one.begin)
        out.back().end = one.end;
      else
        out.push_back(one);
    }
  }
  void row(const Place&, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    std::fill_n(keep, keys.count, std::uint8_t(has(p)));
    for (Size token : tokens) {
      Span one = inside(keys, token, token, true);
      if (one.begin < one.end) keep[one.begin] = 1;
    }
  }
  void busy(std::vector<Size>& out) const override {
    if (see) out.insert(out.end(), tokens.begin(), tokens.end());
  }
};

struct RandomBlocks : Rule {
  Size size, draws, side;
  std::uint64_t seed;
  std::vector<Size> global;
  RandomBlocks(Size block, Size count, std::uint64_t s, Size width, std::vector<Size> g)
      : size(block), draws(count), side(width / 2), seed(s), global(std::move(g)) {}
  Size blocks(const Place& place) const { return (place.keys + size - 1) / size; }
  bool everything(const Place& place) const {
    return blocks(place) <= 2 * side + 1 + static_cast<Size>(global.size()) + draws;
  }
  // The key blocks of a block of queries, in order.
  std::vector<Size> chosen(const Place& place, Size block) const {
    std::vector<Size> out;
    Rng rng(seed + static_cast<std::uint64_t>(place.head) * 0x9e3779b97f4a7c15u +
            static_cast<std::uint64_t>(block) * 0xd1342543de82ef95u);
    auto taken = [&](Size b) {
      return std::abs(b - block) <= side || std::binary_search(global.begin(), global.end(), b) ||
             std::find(out.begin(), out.end(), b) != out.end();
    };
    while (static_cast<Size>(out.size()) < draws)
      if (Size b = rng.below(blocks(place)); !taken(b)) out.push_back(b);
    std::sort(out.begin(), out.end());
    return out;
  }
  void spans(const Place& place, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    if (everything(place)) return append(out, 0, keys.count, true);
    Size first = floor_divide(queries.first, size), last = floor_divide(queries.last(), size);
    std::vector<Size> any;
    for (Size block = first; block <= last; block++) {
      std::vector<Size> some = chosen(place, block);
      any.insert(any.end(), some.begin(), some.end());
    }
    std::sort(any.begin(), any.end());
    any.erase(std::unique(any.begin(), any.end()), any.end());
    for (Size block : any) {
      Span span = inside(keys, block * size, (block + 1) * size - 1, first == last);
      append(out, span.begin, span.end, span.all);
    }
  }
  void row(const Place& place, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    std::fill_n(keep, keys.count, std::uint8_t(everything(place)));
    if (everything(place)) return;
    for (Size block : chosen(place, floor_divide(p, size))) {
      Span span = inside(keys, block * size, (block + 1) * size - 1, true);
      if (span.begin < span.end) std::fill(keep + span.begin, keep + span.end, std::uint8_t(1));
    }
  }
  bool by_head() const override { return true; }
  bool by_length() const override { return true; }
};

struct Pair : Rule {
  std::shared_ptr<const Rule> a, b;
  bool both;
  Pair(std::shared_ptr<const Rule> x, std::shared_ptr<const Rule> y, bool is_and)
      : a(std::move(x)), b(std::move(y)), both(is_and) {}

  void spans(const Place& place, const Lattice& queries, const Lattice& keys, std::vector<Span>& out) const override {
    std::vector<Span> x, y;
    a->spans(place, queries, keys, x);
    b->spans(place, queries, keys, y);
    // 0 nothing, 1 some, 2 all: & is the lesser, | the greater. Some and some may be nothing, or all; it stays "some".
    auto level = [](const std::vector<Span>& list, std::size_t& at, Size key) {
      while (at < list.size() && list[at].end <= key) at++;
      return at < list.size() && list[at].begin <= key ? 1 + list[at].all : 0;
    };
    auto change = [](const std::vector<Span>& list, std::size_t at, Size key) {  // where the level next changes
      return at == list.size() ? far : list[at].begin > key ? list[at].begin : list[at].end;
    };
    std::size_t i = 0, j = 0;
    for (Size key = 0; key < keys.count;) {
      int p = level(x, i, key), q = level(y, j, key), kept = both ? std::min(p, q) : std::max(p, q);
      Size end = std::min({keys.count, change(x, i, key), change(y, j, key)});
      if (kept && !out.empty() && out.back().end == key && out.back().all == (kept == 2))
        out.back().end = end;
      else if (kept)
        out.push_back({key, end, kept == 2});
      key = end;
    }
  }
  void row(const Place& place, Size p, const Lattice& keys, std::uint8_t* keep) const override {
    std::vector<std::uint8_t> other(static_cast<std::size_t>(keys.count));
    a->row(place, p, keys, keep);
    b->row(place, p, keys, other.data());
    const std::uint8_t* y = other.data();
    if (both)
      for (Size j = 0; j < keys.count; j++) keep[j] &= y[j];
    else
      for (Size j = 0; j < keys.count; j++) keep[j] |= y[j];
  }
  Size classes() const override {
    Size x = a->classes(), y = b->classes();
    return x == y ? x : both && std::min(x, y) == 1 ? std::max(x, y) : 1;
  }
  void busy(std::vector<Size>& out) const override {
    a->busy(out);
    b->busy(out);
  }
  bool scattered(Size step) const override { return a->scattered(step) || b->scattered(step); }
  bool by_head() const override { return a->by_head() || b->by_head(); }
  bool by_length() const override { return a->by_length() || b->by_length(); }
};

template <class R, class... Arguments>
Pattern make(Arguments&&... arguments) {
  return Pattern(std::make_shared<const R>(std::forward<Arguments>(arguments)...));
}

std::vector<Size> sorted(const char* name, std::vector<Size> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  check(list.empty() || list[0] >= 0, name, "position ", list.empty() ? 0 : list[0], " is negative");
  return list;
}

}  // namespace

Mask Pattern::mask(Size queries, Size keys, Size head) const {
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(queries * keys), 1);
  for (Size i = 0; rule_ && i < queries; i++)
    rule_->row({head, keys}, i + keys - queries, {0, keys}, keep.data() + i * keys);
  return Mask({queries, keys}, std::move(keep));
}

Pattern operator&(const Pattern& a, const Pattern& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return make<Pair>(a.rule(), b.rule(), true);
}
Pattern operator|(const Pattern& a, const Pattern& b) {
  if (!a.defined() || !b.defined()) return {};
  return make<Pair>(a.rule(), b.rule(), false);
}

Pattern causal() { return make<Band>(far, 0); }
Pattern local(Size reach) {
  check(reach >= 0, "local", "expected a reach of 0 or more, got ", reach);
  return make<Band>(reach, reach);
}
Pattern truncated(Size left, Size right) {
  check(left >= 0 && right >= 0, "truncated", "expected contexts of 0 or more, got ", left, " and ", right);
  return make<Band>(left, right);
}
Pattern local_blocks(Size size, Size width) {
  check(size > 0 && width > 0 && width % 2 == 1, "local_blocks", "expected a positive size and an odd width, got ",
        size, " and ", width);
  return make<Blocks>(size, width);
}
Pattern passed_windows(Size size, Size queries) {
  check(size > 0 && queries > 0, "passed_windows", "expected a size and queries above 0, got ", size, " and ", queries);
  return Pattern(std::make_shared<const PassedWindows>(size, queries));
}

Pattern strided(Size stride, Size reach) {
  check(stride > 0 && reach >= 0, "strided", "expected a stride above 0 and a reach of 0 or more, got ", stride,
        " and ", reach);
  if (stride == 1) return reach ? local(reach) : full();
  return make<Comb>(stride, reach ? reach * stride : far);
}
Pattern dilated(Size reach, Size gap) {
  check(reach >= 0 && gap > 0, "dilated", "expected a reach of 0 or more and a gap above 0, got ", reach, " and ", gap);
  return reach ? strided(gap, reach) : local(0);
}
Pattern global_tokens(std::vector<Size> positions) {
  return make<Global>(sorted("global_tokens", std::move(positions)), true);
}
Pattern seen_by_all(std::vector<Size> positions) {
  return make<Global>(sorted("seen_by_all", std::move(positions)), false);
}
Pattern random_blocks(Size size, Size count, std::uint64_t seed, Size width, std::vector<Size> global) {
  check(size > 0 && count >= 0 && width > 0 && width % 2 == 1, "random_blocks",
        "expected a positive size, a count of 0 or more and an odd width, got ", size, ", ", count, " and ", width);
  return make<RandomBlocks>(size, count, seed, width, sorted("random_blocks", std::move(global)));
}
Pattern sparse_transformer(Size stride) { return causal() & (local(stride) | strided(stride)); }
Pattern longformer(Size reach, std::vector<Size> tokens, Size gap) {
  Pattern window = dilated(reach, gap);
  return tokens.empty() ? window : window | global_tokens(std::move(tokens));
}
Pattern big_bird(std::uint64_t seed, const BigBirdOptions& o) {
  Pattern pattern = local_blocks(o.block, o.window) | random_blocks(o.block, o.random, seed, o.window, o.global);
  std::vector<Size> tokens;
  for (Size block : o.global)
    for (Size i = 0; i < o.block; i++) tokens.push_back(block * o.block + i);
  return tokens.empty() ? pattern : pattern | global_tokens(std::move(tokens));
}

}  // namespace HEED_NAMESPACE
