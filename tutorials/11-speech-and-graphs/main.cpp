// Speech and graphs: what to leave out when one knows where not to look, in time and along edges.
#include <algorithm>
#include <cstdio>
#include <heed.hpp>

#include "models/graph/classifier.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/examples.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

double phones(const ExampleSet& train, const ExampleSet& test, const char* mixer) {
  Rng rng(1);
  Classifier model(train,
                   tutorial::settings({{"dim", "32"},
                                       {"layers", "2"},
                                       {"heads", "4"},
                                       {"hidden", "64"},
                                       {"dropout", "0"},
                                       {"mixer", mixer},
                                       {"length", "60"}}),
                   rng);
  tutorial::learn(model, train, {.steps = 350, .lr = 5e-3}, std::size_t{16} * 60);
  return tutorial::score(model, test);
}

// [alone]
// The best that one frame alone can tell: the phone whose two channels are the loudest.
double loudest(const ExampleSet& set) {
  double right = 0, all = 0;
  for (const Example& item : set.items)
    for (std::size_t i = 0; i < item.targets.size(); i++) {
      const float* frame = item.features.data() + 16 * i;
      Size best = 0;
      for (Size phone = 1; phone < 5; phone++)
        if (frame[2 * phone] + frame[2 * phone + 1] > frame[2 * best] + frame[2 * best + 1]) best = phone;
      all++, right += best == item.targets[i];
    }
  return 100 * right / all;
}
// [/alone]

// [work]
double work(Size n, const Pattern& pattern) {  // millions of multiply-adds, one head of 16, forward
  Rng rng(1);
  Eval eval;
  Tensor q = rng.normal({1, 1, n, 16}, 1);
  attention(q, q, q, {.patterns = {pattern}});  // plans its tiles
  reset_counters();
  attention(q, q, q, {.patterns = {pattern}});
  return 1e-6 * static_cast<double>(counters().multiply_adds);
}
// [/work]

void speech() {
  ExampleSet train = make_task("phones:60", 1500, 1, Split::train), test = make_task("phones:60", 150, 1, Split::test);
  {
    tutorial::Block table("phones", 4);
    std::printf("one frame, the loudest channels   %s %%\n", tutorial::number("alone", loudest(test), 1).c_str());
    std::printf("each frame alone, trained         %s %%\n",
                tutorial::number("trained_alone", phones(train, test, "local:w=0"), 1, 4).c_str());
    std::printf("6 frames to each side, 2 layers   %s %%\n",
                tutorial::number("truncated", phones(train, test, "local:w=6"), 1, 4).c_str());
    std::printf("all frames, 2 layers              %s %%\n",
                tutorial::number("all", phones(train, test, "attention"), 1, 4).c_str());
  }
  Series full_line{"all frames", {}, {}}, truncated_line{"6 to each side", {}, {}};
  tutorial::Block table("work");
  std::printf("frames  seconds  all frames  6 to each side\n");
  for (Size n : {100, 500, 2000}) {
    double a = work(n, full()), b = work(n, truncated(6, 6));
    full_line.x.push_back(static_cast<double>(n)), full_line.y.push_back(a);
    truncated_line.x.push_back(static_cast<double>(n)), truncated_line.y.push_back(b);
    std::printf("%6td %8td %11.2f %15.2f\n", n, n / 100, a, b);
  }
  tutorial::number("saving", full_line.y.back() / truncated_line.y.back(), 0, 2);
  tutorial::figure("work", line_chart({.title = "Attention over frames, one head of 16",
                                       .x = {.title = "frames", .log = true},
                                       .y = {.title = "million multiply-adds", .log = true},
                                       .series = {full_line, truncated_line},
                                       .marks = true}));
}

// [graph]
// The graph of the lecture: eight nodes, and who is joined to whom.
const std::vector<Edges::Pair> drawn = {{1, 5}, {1, 6}, {1, 8}, {2, 3}, {3, 5}, {3, 7}, {4, 5}, {6, 7}};

Edges lecture_graph() {
  std::vector<Edges::Pair> from_zero;
  for (Edges::Pair p : drawn) from_zero.push_back({p.query - 1, p.key - 1});
  return graph_edges(8, from_zero);
}
// [/graph]

void lecture() {
  Rng rng(2);
  Edges edges = lecture_graph();
  GraphAttention layer(8, 1, rng);
  Tensor x = rng.normal({8, 8}, 1);
  Var q = reshape(layer.q(x), {1, 1, 8, 8}), k = reshape(layer.k(x), {1, 1, 8, 8});
  // The same cells as a mask over the whole matrix.
  Tensor along_edges = edge_softmax(edge_scores(q, k, edges, 1 / std::sqrt(real(8))), edges).value();
  Tensor masked = attention_weights(q, k, {.patterns = {edges.pattern()}});
  AttentionMatrix picture{.title = "The lecture's graph, as a matrix"};
  double apart = 0;
  for (int i = 0; i < 8; i++) {
    picture.queries.push_back(std::to_string(i + 1)), picture.keys.push_back(std::to_string(i + 1));
    std::vector<double>& row = picture.weights.emplace_back();
    for (int j = 0; j < 8; j++) {
      Size edge = edges.find(i, j);
      row.push_back(edge < 0 ? Axis::automatic : static_cast<double>(along_edges.at({0, 0, edge})));
      if (edge >= 0) apart = std::max(apart, std::abs(row.back() - static_cast<double>(masked.at({0, 0, i, j}))));
    }
  }
  tutorial::Block report("graph");
  std::printf("%td cells of 64; along edges against a masked matrix: apart by %s 1e-5\n", edges.count(),
              apart < 1e-5 ? "less than" : "MORE than");
  tutorial::figure("graph", attention_matrix(picture));
}

// [gnn]
struct NodeTagger : Module {
  bool edges;  // whether they are used
  Linear in, out;
  std::vector<LayerNorm> norms;
  std::vector<GraphAttention> layers;
  NodeTagger(bool with_edges, Rng& rng)
      : edges(with_edges), in(sub("in", Linear(3, 32, rng))), out(sub("out", Linear(32, 3, rng))) {
    for (const char* name : {"0", "1"}) {
      norms.push_back(sub(std::string("norm") + name, LayerNorm(32)));
      layers.push_back(sub(name, GraphAttention(32, 4, rng)));
    }
  }
  Var operator()(const ExampleBatch& batch) const {
    Size nodes = batch.size * batch.length;  // graphs of a batch are one graph that falls apart
    Var x = in(reshape(batch.features, {1, nodes, 3}));
    std::vector<Edges::Pair> alone;
    for (int i = 0; i < static_cast<int>(nodes); i++) alone.push_back({i, i});
    Edges list = edges ? join_edges(batch, 0).edges : Edges(nodes, nodes, alone);
    for (std::size_t i = 0; i < 2; i++) x = x + layers[i](norms[i](x), list);
    return reshape(out(relu(x)), {batch.size, batch.length, 3});
  }
};
// [/gnn]

void graphs() {
  ExampleSet train = make_task("nodes", 800, 1, Split::train), test = make_task("nodes", 60, 1, Split::test);
  double best = 0, all = 0;
  for (const Example& item : test.items)
    for (std::size_t i = 0; i < item.targets.size(); i++) {
      auto first = item.features.begin() + static_cast<std::ptrdiff_t>(3 * i);
      all++, best += std::max_element(first, first + 3) - first == item.targets[i];
    }
  tutorial::Block table("nodes", 4);
  std::printf("the largest of a node's own numbers  %s %%\n", tutorial::number("own", 100 * best / all, 1).c_str());
  for (bool edges : {false, true}) {
    Rng rng(3);
    NodeTagger model(edges, rng);
    tutorial::learn(model, train, {.steps = 300, .lr = 5e-3}, std::size_t{16} * 60);
    std::printf("%-36s %s %%\n", edges ? "attention along edges, 2 layers" : "the same, every node alone",
                tutorial::number(edges ? "along" : "without", tutorial::score(model, test), 1, 4).c_str());
  }
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        lecture();
        graphs();
        speech();
      },
      60);
}
