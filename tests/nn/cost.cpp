// The cost that each pattern promises, by the library's own counters: multiply-adds and peak bytes as N doubles.
#include "nn/attention/graph.hpp"
#include "nn/attention/longformer.hpp"
#include "nn/mixer/mixer.hpp"
#include "tensor/counters.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

struct Cost {
  double forward, both, peak;
};

/// Multiply-adds of forward and of forward and backward, and the most bytes held beyond what was there.
template <class F>
Cost cost_of(const Vars& leaves, const F& f) {
  Cost cost{};
  for (int run = 0; run < 2; run++) {  // the first run makes the plan
    reset_counters();
    Size start = counters().live_bytes;
    Var y = f();
    cost.forward = static_cast<double>(counters().multiply_adds);
    y.backward(Tensor(y.shape(), 1));
    cost.both = static_cast<double>(counters().multiply_adds);
    cost.peak = static_cast<double>(counters().peak_bytes - start);
    for (Var x : leaves) x.grad() = Tensor();
  }
  return cost;
}

Cost attention_cost(Size n, const AttentionOptions& options, bool dense = false) {
  Rng rng(1);
  Vars x;
  for (int i = 0; i < 3; i++) x.push_back(Var::parameter(random(rng, {1, 2, n, 16})));
  return cost_of(x,
                 [&] { return dense ? dense_attention(x[0], x[1], x[2], {}) : attention(x[0], x[1], x[2], options); });
}

void check_growth(const std::function<Cost(Size)>& cost, double low, double high, bool linear_memory = true) {
  int before = threads();
  set_threads(1);  // each thread has a tile of its own
  Cost c[] = {cost(512), cost(1024), cost(2048)};
  for (int i = 0; i < 2; i++) {
    CAPTURE(c[i].peak);
    CAPTURE(c[i].both);
    for (double growth : {c[i + 1].forward / c[i].forward, c[i + 1].both / c[i].both}) {
      CHECK(growth > low);
      CHECK(growth < high);
    }
    if (linear_memory) CHECK(c[i + 1].peak / c[i].peak < 2.2);
  }
  set_threads(before);
}

}  // namespace

TEST_CASE("cost: windows, globals, random blocks and drawn strides are linear in N, forward and backward") {
  for (const Pattern& pattern :
       {local(8), local(0), truncated(12, 3), strided(4, 2), dilated(4, 3), local_blocks(16), global_tokens({0, 7}),
        longformer(8, {0}), causal() & local(16), big_bird(1, {.block = 32, .window = 3, .random = 2, .global = {0}})})
    check_growth([&](Size n) { return attention_cost(n, {.patterns = {pattern}}); }, 1.8, 2.2);
}

TEST_CASE("cost: full and causal attention are quadratic in time and linear in memory") {
  for (const Pattern& pattern : {full(), causal()})
    check_growth([&](Size n) { return attention_cost(n, {.patterns = {pattern}}); }, 3.4, 4.2);
  double full_cost = attention_cost(2048, {}).both, half = attention_cost(2048, {.patterns = {causal()}}).both;
  CHECK(half < 0.6 * full_cost);
}

TEST_CASE("cost: combs of √N teeth apart take N^1.5, alone and with a window") {
  auto comb = [](Size n) { return strided(static_cast<Size>(std::sqrt(static_cast<double>(n)))); };
  check_growth([&](Size n) { return attention_cost(n, {.patterns = {comb(n)}}); }, 2.5, 3.1);
  auto both = [](Size n) { return sparse_transformer(static_cast<Size>(std::sqrt(static_cast<double>(n)))); };
  check_growth([&](Size n) { return attention_cost(n, {.patterns = {both(n)}}); }, 2.5, 3.1, false);
}

TEST_CASE("cost: different patterns on different heads cost their sum") {
  double first = attention_cost(1024, {.patterns = {local(8)}}).both,
         second = attention_cost(1024, {.patterns = {full()}}).both;
  double mixed = attention_cost(1024, {.patterns = {local(8), full()}}).both;
  CHECK(std::abs(mixed / ((first + second) / 2) - 1) < 0.02);
}

TEST_CASE("cost: no pass of a window, and none of full attention, holds N x N numbers") {
  double window = attention_cost(4096, {.patterns = {local(32)}}).peak, all = attention_cost(4096, {}).peak;
  double n_by_n = attention_cost(4096, {}, true).peak;
  CHECK(window < n_by_n / 8);
  CHECK(all < n_by_n / 8);
}

TEST_CASE("cost: padding is not worked on") {
  std::vector<int> lengths{128};
  Size n = 2048;
  double padded = attention_cost(n, {.mask = padding_keys("test", padding_mask(lengths, n), 1, n)}).both;
  CHECK(padded < attention_cost(n, {}).both / 6);
}

TEST_CASE("cost: attention on a graph grows with its edges, in time and memory") {
  Rng rng(2);
  auto graph = [&](Size n) {
    std::vector<Edges::Pair> pairs;
    for (Size e = 0; e < 4 * n; e++) pairs.push_back({static_cast<int>(rng.below(n)), static_cast<int>(rng.below(n))});
    return Edges(n, n, pairs);
  };
  check_growth(
      [&](Size n) {
        Edges edges = graph(2 * n);
        GraphAttention layer(16, 2, rng);
        Var x = Var::parameter(random(rng, {2 * n, 16}));
        return cost_of({x}, [&] { return layer(x, edges); });
      },
      1.8, 2.2);
  check_growth(
      [&](Size n) {
        Edges edges = graph(2 * n);
        Gat layer(16, 4, 2, rng);
        Var x = Var::parameter(random(rng, {2 * n, 16}));
        return cost_of({x}, [&] { return layer(x, edges); });
      },
      1.8, 2.2);
}

TEST_CASE("cost: Longformer with projections of its own for global positions is linear") {
  Rng rng(3);
  check_growth(
      [&](Size n) {
        Longformer layer(16, 2, rng, {.reach = 8});
        Var x = Var::parameter(random(rng, {1, n, 16}));
        return cost_of({x}, [&] { return layer(x); });
      },
      1.8, 2.2);
}

namespace {
Cost mixer_cost(const std::string& spec, Size n, bool causal) {
  Rng rng(4);
  Mixer mixer = make_mixer(spec, 16, rng, {.heads = 2, .length = n, .causal = causal});
  Var x = Var::parameter(random(rng, {1, n, 16}));
  return cost_of({x}, [&] { return mixer(x); });
}
}  // namespace

TEST_CASE("cost: mixers that promise to be linear in N are, causal too, without N x N cells") {
  struct Case {
    const char* spec;
    bool causal;
  };
  for (const Case& c : std::vector<Case>{{"linear", false},
                                         {"linear", true},
                                         {"efficient", false},
                                         {"efficient", true},
                                         {"rfa:m=8", false},
                                         {"rfa:m=8,gate", true},
                                         {"performer:m=16", false},
                                         {"performer:m=16", true},
                                         {"linformer", false},
                                         {"linformer:rank=4,share=none", false},
                                         {"local:w=8", false}}) {
    CAPTURE(c.spec);
    check_growth([&](Size n) { return mixer_cost(c.spec, n, c.causal); }, 1.8, 2.2);
    CHECK(mixer_cost(c.spec, 4096, c.causal).peak < 8 * 4096.0 * 4096 / 8);  // of a byte a cell, two heads
  }
}

TEST_CASE("cost: compressed keys are quadratic, a constant factor of full attention, with linear memory") {
  auto compressed = [](Size n) { return mixer_cost("compressed:s=4", n, false); };
  // What grows with N alone is a part of it that shrinks.
  check_growth([&](Size n) { return compressed(4 * n); }, 3.2, 4.2);
  double part = compressed(4096).both / mixer_cost("attention", 4096, false).both;
  CHECK(part < 0.3);
  CHECK(part > 0.2);
}
TEST_CASE("cost: mixers grow as their pages say, forward and backward") {
  struct Promise {
    std::string spec;
    double low, high;
    bool linear_memory = true;
  };
  for (const Promise& promise :
       {Promise{"mlp_mixer", 1.8, 2.2}, Promise{"gmlp", 3.3, 4.2, false}, Promise{"fnet", 1.9, 2.5},
        Promise{"topk", 3.3, 4.2}, Promise{"prune", 3.3, 4.2}, Promise{"reformer:buckets=4,chunk=8", 1.8, 2.5},
        Promise{"routing", 2.3, 3.1, false}, Promise{"sinkhorn:block=√N", 2.4, 3.1, false},
        Promise{"sinkhorn:mode=mask,block=√N", 2.4, 3.1, false}, Promise{"sinkhorn:mode=sortcut,block=√N", 1.8, 2.9}}) {
    CAPTURE(promise.spec);
    check_growth(
        [&](Size n) {
          Rng rng(4);
          std::string spec = promise.spec;
          if (auto at = spec.find("√N"); at != spec.npos)
            spec = spec.substr(0, at) + std::to_string(std::lround(std::sqrt(static_cast<double>(n))));
          Mixer mixer = make_mixer(spec, 16, rng, {.heads = 2, .length = n});
          Vars leaves{Var::parameter(random(rng, {1, n, 16}))};
          for (const Parameter& p : mixer.parameters()) leaves.push_back(p.var);
          return cost_of(leaves, [&] { return mixer(leaves[0]); });
        },
        promise.low, promise.high, promise.linear_memory);
  }
}
