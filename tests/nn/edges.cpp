// Tests of nn/attention/edges.cpp and graph.hpp: attention along edges against attention with the adjacency as a mask.
#include "nn/attention/graph.hpp"
#include "tensor/counters.hpp"
#include "tests/nn/patterns.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

/// A random graph with isolated nodes and loops, and its adjacency.
Edges random_edges(Rng& rng, Size queries, Size keys, Size count) {
  std::vector<Edges::Pair> pairs;
  for (Size e = 0; e < count; e++)
    pairs.push_back({static_cast<int>(rng.below(queries - 1)), static_cast<int>(rng.below(keys))});
  return Edges(queries, keys, pairs);
}
Mask adjacency(const Edges& edges) {
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(edges.queries() * edges.keys()), 0);
  for (std::size_t e = 0; e < edges.key_of().size(); e++)
    keep[static_cast<std::size_t>(edges.query_of()[e] * edges.keys() + edges.key_of()[e])] = 1;
  return Mask({edges.queries(), edges.keys()}, keep);
}

}  // namespace

TEST_CASE("edges: sorted, each once, found from both ends") {
  std::vector<Edges::Pair> pairs{{2, 1}, {0, 2}, {2, 0}, {0, 2}, {2, 1}};
  Edges edges(3, 4, pairs);
  CHECK(edges.count() == 3);
  CHECK(edges.query_of() == std::vector<int>{0, 2, 2});
  CHECK(edges.key_of() == std::vector<int>{2, 0, 1});
  CHECK(edges.first(1) == 1);
  CHECK(edges.first(2) == 1);
  CHECK(edges.first(3) == 3);
  CHECK(edges.in_edges() == std::vector<int>{1, 2, 0});
  CHECK(edges.first_in(3) == 3);
  CHECK(edges.find(2, 1) == 2);
  CHECK(edges.find(1, 1) == -1);
  CHECK(edges.find(2, 3) == -1);
  CHECK(Edges(2, 2, std::vector<Edges::Pair>{}).count() == 0);
  CHECK_THROWS_WITH_AS(Edges(3, 4, std::vector<Edges::Pair>{{1, 4}}),
                       "heed: Edges: pair (1, 4) is outside 3 queries and 4 keys", Error);
  CHECK_THROWS_AS(Edges(3, 4, std::vector<Edges::Pair>{{-1, 0}}), Error);
  CHECK_THROWS_AS(edges.pattern(), Error);
}

TEST_CASE("edges: scores, softmax and sums are attention with the adjacency as a mask") {
  Rng rng(1);
  for (const auto& size : std::vector<std::array<Size, 3>>{{20, 20, 60}, {7, 13, 30}, {2, 1, 1}, {5, 5, 0}}) {
    const Size queries = size[0], keys = size[1], count = size[2];
    Edges edges = random_edges(rng, queries, keys, count);
    Tensor q = random(rng, {2, queries, 3, 4}).permute({0, 2, 1, 3}), k = random(rng, {2, 3, keys, 4}),
           v = random(rng, {2, 3, keys, 5});
    auto ours = [&](const Vars& x) {
      return edge_sum(edge_softmax(edge_scores(x[0], x[1], edges, real(0.5)), edges), x[2], edges);
    };
    auto oracle = [&](const Vars& x) { return dense_attention(x[0], x[1], x[2], adjacency(edges)); };
    CHECK(difference(ours, oracle, {q, k, v}) < same_attention);
    CHECK(layer_gradcheck(ours, {q, k, v}, {}) < gradient_tolerance);
  }
}

TEST_CASE("edges: sixty scores of 100, and none kept") {
  std::vector<Edges::Pair> pairs;
  for (int i = 0; i < 60; i++) pairs.push_back({0, i});
  Edges edges(2, 60, pairs);
  Tensor y = edge_softmax(Tensor({1, 1, 60}, 100), edges).value();
  CHECK(close(y, Tensor({1, 1, 60}, real(1.0 / 60))));
  Tensor none = edge_softmax(Tensor({1, 1, 60}, 100), edges, Mask({60}, std::vector<std::uint8_t>(60, 0))).value();
  CHECK(same_bits(none, Tensor({1, 1, 60}, 0)));
}

TEST_CASE("fault 53: a node without neighbours gets zeros, also when there are no edges at all") {
  Tensor zeros({1, 1, 3, 1}, 0), v = array({1, 1, 3, 1}, {1, 2, 3});
  for (bool any : {true, false}) {
    Edges edges = graph_edges(3, any ? std::vector<Edges::Pair>{{0, 1}} : std::vector<Edges::Pair>{});
    Vars x{Var::parameter(zeros), Var::parameter(zeros), Var::parameter(v)};
    Var y = edge_sum(edge_softmax(edge_scores(x[0], x[1], edges), edges), x[2], edges);
    CHECK(close(y.value(), any ? array({1, 1, 3, 1}, {2, 1, 0}) : Tensor({1, 1, 3, 1}, 0)));
    y.backward(Tensor({1, 1, 3, 1}, 1));
    for (const Var& leaf : x) CHECK(all_finite(leaf.grad()));
    CHECK(close(attention(zeros, zeros, v, {.patterns = {edges.pattern()}}).value(), y.value()));
  }
}

TEST_CASE("graph attention: the graph of the lecture, its diagonal empty") {
  Rng rng(2);
  Edges edges = graph_edges(8, lecture_graph());
  CHECK(edges.count() == 16);
  for (int i = 0; i < 8; i++) CHECK(edges.find(i, i) == -1);
  GraphAttention layer(6, 2, rng);
  randomise(layer.parameters());
  Tensor x = random(rng, {8, 6});
  auto oracle = [&](const Vars& v) {
    auto heads = [](const Var& y) { return split_heads(reshape(y, {1, 8, 6}), 2); };
    Var each = dense_attention(heads(layer.q(v[0])), heads(layer.k(v[0])), heads(layer.v(v[0])), adjacency(edges));
    return layer.o(reshape(merge_heads(each), {8, 6}));
  };
  CHECK(difference([&](const Vars& v) { return layer(v[0], edges); }, oracle, {x}) < same_attention);
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0], edges); }, {x}, layer.parameters()) <
        gradient_tolerance);
  CHECK(graph_edges(8, lecture_graph(), {.self_loops = true}).count() == 24);
  CHECK(graph_edges(8, {{0, 1}}, {.undirected = false}).count() == 1);
}

TEST_CASE("graph attention: kinds of edges, an isolated node, and errors") {
  Rng rng(3);
  Edges edges = graph_edges(5, {{0, 1}, {1, 2}, {3, 0}});
  std::vector<int> kinds{0, 2, 0, 1, 1, 2};
  GraphAttention layer(4, 2, rng, {.edge_types = 3});
  randomise(layer.parameters());
  Tensor x = random(rng, {2, 5, 4});
  CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0], edges, kinds); }, {x}, layer.parameters()) <
        gradient_tolerance);
  Tensor y = layer(x, edges, kinds).value();
  CHECK(close(y.slice(0, 0, 1).slice(1, 4, 5).reshape({4}), layer.o.b.value()));  // node 4 has no edge
  Tensor bias({2, 5, 5}, 0);
  for (std::size_t e = 0; e < kinds.size(); e++)
    for (Size h = 0; h < 2; h++)
      bias.mut()[(h * 5 + edges.query_of()[e]) * 5 + edges.key_of()[e]] = layer.types.value().at({kinds[e], h});
  Var each = dense_attention(split_heads(layer.q(x), 2), split_heads(layer.k(x), 2), split_heads(layer.v(x), 2),
                             adjacency(edges), 0, bias);
  CHECK(close(y, layer.o(merge_heads(each)).value(), tolerance(1e-12, 1e-5)));
  CHECK_THROWS_WITH_AS(layer(x, edges), "heed: GraphAttention: got 0 types for 6 edges", Error);
  CHECK_THROWS_AS(layer(x, edges, std::vector<int>{0, 0, 0, 0, 0, 3}), Error);
  CHECK_THROWS_AS(GraphAttention(4, 2, rng)(x, edges, kinds), Error);
  CHECK_THROWS_AS(GraphAttention(4, 3, rng), Error);
  CHECK_THROWS_AS(layer(Tensor({2, 4, 4}, 1), edges, kinds), Error);
}

TEST_CASE("graph attention: outputs follow any numbering of the nodes, and a union of graphs is its parts") {
  Rng rng(4);
  GraphAttention layer(4, 2, rng);
  Tensor x = random(rng, {6, 4});
  std::vector<Edges::Pair> pairs{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {2, 0}};
  std::vector<int> order = rng.permutation(6);
  std::vector<Edges::Pair> renamed;
  Tensor moved = x;
  for (auto p : pairs)
    renamed.push_back({order[static_cast<std::size_t>(p.query)], order[static_cast<std::size_t>(p.key)]});
  for (int i = 0; i < 6; i++) paste(moved, 0, order[static_cast<std::size_t>(i)], x.slice(0, i, i + 1));
  Tensor y = layer(x, graph_edges(6, pairs)).value(), z = layer(moved, graph_edges(6, renamed)).value();
  for (int i = 0; i < 6; i++) {
    int to = order[static_cast<std::size_t>(i)];
    CHECK(close(z.slice(0, to, to + 1), y.slice(0, i, i + 1)));
  }
  Tensor part = layer(x.slice(0, 0, 3), graph_edges(3, {{0, 1}, {1, 2}, {2, 0}})).value();
  CHECK(close(part, y.slice(0, 0, 3)));
}

TEST_CASE("GAT: the formula, node by node; heads joined and averaged; gradients") {
  Rng rng(5);
  Edges edges = graph_edges(6, {{0, 1}, {1, 2}, {3, 4}, {2, 0}}, {.self_loops = true});
  for (bool average : {false, true}) {
    Gat layer(4, 3, 2, rng, {.average = average});
    randomise(layer.parameters());
    Tensor x = random(rng, {6, 4}), y = layer(x, edges).value(), z = matmul(Var(x), layer.w.w).value();
    CHECK(y.shape() == Shape{6, average ? 3 : 6});
    for (Size i = 0; i < 6; i++) {
      double out[2][3] = {};
      for (Size h = 0; h < 2; h++) {
        std::vector<double> weight;
        double total = 0;
        for (Size e = edges.first(i); e < edges.first(i + 1); e++) {
          double score = 0;
          for (Size c = 0; c < 3; c++)
            score +=
                static_cast<double>(layer.receiver.value().at({h, c})) * static_cast<double>(z.at({i, h * 3 + c})) +
                static_cast<double>(layer.sender.value().at({h, c})) *
                    static_cast<double>(z.at({edges.key_of()[static_cast<std::size_t>(e)], h * 3 + c}));
          weight.push_back(std::exp(score < 0 ? 0.2 * score : score));
          total += weight.back();
        }
        for (Size e = edges.first(i); e < edges.first(i + 1); e++)
          for (Size c = 0; c < 3; c++)
            out[h][c] += weight[static_cast<std::size_t>(e - edges.first(i))] / total *
                         static_cast<double>(z.at({edges.key_of()[static_cast<std::size_t>(e)], h * 3 + c}));
      }
      for (Size c = 0; c < y.size(1); c++) {
        double expected = average ? (out[0][c] + out[1][c]) / 2 : out[c / 3][c % 3];
        expected += static_cast<double>(layer.b.value().at({c}));
        CHECK(close(static_cast<double>(y.at({i, c})), expected, tolerance(1e-12, 1e-5)));
      }
    }
    if (is_double)  // in float a difference may step over the kink of the leaky ReLU
      CHECK(layer_gradcheck([&](const Vars& v) { return layer(v[0], edges); }, {x}, layer.parameters()) <
            gradient_tolerance);
    Tensor two = concat(std::vector<Var>{reshape(Var(x), {1, 6, 4}), reshape(Var(x), {1, 6, 4})}, 0).value();
    CHECK(close(layer(two, edges).value().slice(0, 1, 2).reshape(y.shape()), y));
  }
}

TEST_CASE("graph attention: 100 000 nodes and 1 000 000 edges, forward and backward, in memory that edges explain") {
  Rng rng(6);
  Size nodes = 100'000, count = 1'000'000, dim = 32, heads = 4;
  std::vector<Edges::Pair> pairs;
  for (Size e = 0; e < count; e++)
    pairs.push_back({static_cast<int>(rng.below(nodes)), static_cast<int>(rng.below(nodes))});
  Edges edges(nodes, nodes, pairs);
  GraphAttention layer(dim, heads, rng);
  Var x = Var::parameter(random(rng, {nodes, dim}));
  reset_counters();
  Size held = counters().live_bytes;
  Var y = layer(x, edges);
  y.backward(Tensor(y.shape(), 1));
  CHECK(all_finite(x.grad()));
  double numbers = static_cast<double>(counters().peak_bytes - held) / sizeof(real);
  CHECK(numbers < 10.0 * static_cast<double>(nodes * dim) + 6.0 * static_cast<double>(edges.count() * heads));
}
