// Patterns found in the data: small weights dropped, buckets of a hash, clusters, and a sorting that is learned.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <heed.hpp>
#include <numeric>

#include "models/plot/charts.hpp"
#include "tutorials/examples.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr std::size_t positions = 64;

// [model]
Classifier make_model(const ExampleSet& set, const std::string& mixer, Rng& rng) {
  return Classifier(set,
                    tutorial::settings({{"dim", "32"},
                                        {"layers", "1"},
                                        {"heads", "2"},
                                        {"hidden", "64"},
                                        {"dropout", "0"},
                                        {"mixer", mixer},
                                        {"length", "64"}}),
                    rng);
}

// The same weights with another way to choose cells: the kinds have the same parameters in the same order.
double score_as(const std::string& mixer, const Classifier& model, const ExampleSet& set) {
  Rng rng(1);
  Classifier other = make_model(set, mixer, rng);
  for (std::size_t i = 0; i < model.parameters().size(); i++)
    Var(other.parameters()[i].var).value() = model.parameters()[i].var.value();
  return tutorial::score(other, set);
}
// [/model]

// Where the other position with the same symbol is.
std::size_t twin(const Example& item, std::size_t i) {
  for (std::size_t j = 0; j < positions; j++)
    if (j != i && item.symbols[j] == item.symbols[i]) return j;
  return i;
}

// [bound]
// Right answers, in percent, of one who sees the twin in so many percent of the cases and else guesses one of 8 tags.
double bound(double seen) { return seen + (100 - seen) / 8; }
// [/bound]

double twins_in_window(const ExampleSet& set, std::size_t w) {
  double seen = 0;
  for (const Example& item : set.items)
    for (std::size_t i = 0; i < positions; i++) {
      std::size_t j = twin(item, i);
      seen += (i > j ? i - j : j - i) <= w;
    }
  return 100 * seen / static_cast<double>(set.items.size() * positions);
}

constexpr std::size_t looked_at = 16;
Group first_items() {
  Group items(looked_at);
  std::iota(items.begin(), items.end(), std::size_t(0));
  return items;
}

Var inputs(const Classifier& model, const ExampleSet& set) {
  return model.context.encoder.blocks[0].norm1(SinusoidalPositions()(model.vectors(make_batch(set, first_items()))));
}

void drop_small_weights(const ExampleSet& train, const ExampleSet& test) {
  Rng rng(1);
  Classifier model = make_model(train, "attention", rng);
  tutorial::learn(model, train, {.steps = 400, .lr = 5e-3}, 16 * positions);
  Eval eval;
  const MultiHeadAttention& layer = model.context.encoder.blocks[0].attention[0];
  Var x = inputs(model, test);
  std::vector<real> weights =
      attention_weights(split_heads(layer.q(x), layer.heads), split_heads(layer.k(x), layer.heads)).to_vector();
  auto below = [&](double tau) {
    return 100 *
           static_cast<double>(
               std::count_if(weights.begin(), weights.end(), [&](real w) { return static_cast<double>(w) < tau; })) /
           static_cast<double>(weights.size());
  };
  std::vector<double> mass(positions);
  for (auto row = weights.begin(); row != weights.end(); row += positions) {
    std::sort(row, row + positions, std::greater<>());
    for (std::size_t k = 0; k < positions; k++)
      mass[k] += 100 * static_cast<double>(row[static_cast<std::ptrdiff_t>(k)]) * positions /
                 static_cast<double>(weights.size());
  }
  std::vector<double> count;
  for (std::size_t k = 0; k < positions; k++) {
    count.push_back(static_cast<double>(k + 1));
    if (k) mass[k] += mass[k - 1];
  }
  tutorial::figure("mass", line_chart({.title = "Weight on the largest cells of a row, full attention, partner",
                                       .x = {.title = "cells of 64", .log = true},
                                       .y = {.title = "% of the weight", .low = 0, .high = 100},
                                       .series = {{"trained", count, mass}},
                                       .marks = true}));
  tutorial::number("mass_4", mass[3], 0, 15);
  tutorial::Block table("dropped", 12);
  std::printf("%-14s %14s %8s\n", "", "dropped cells", "right");
  std::printf("%-14s %14s %8s\n", "full", "0.0 %",
              (tutorial::number("full", tutorial::score(model, test), 1, 3) + " %").c_str());
  for (const char* tau : {"0.01", "0.03", "0.1"})
    std::printf("%-14s %12.1f %% %6.1f %%\n", (std::string("below ") + tau).c_str(), below(std::stod(tau)),
                score_as(std::string("prune:tau=") + tau, model, test));
  for (int k : {4, 2, 1})
    std::printf("%-14s %12.1f %% %6.1f %%\n", ("largest " + std::to_string(k)).c_str(), 100 * (1 - k / 64.0),
                score_as("topk:k=" + std::to_string(k), model, test));
}

void hash_into_buckets(const ExampleSet& train, const ExampleSet& test) {
  Rng rng(1);
  std::string mixer = "reformer:buckets=8,chunk=16,rounds=4,eval_rounds=";
  Classifier model = make_model(train, mixer + "4", rng);
  tutorial::learn(model, train, {.steps = 700, .lr = 5e-3}, 16 * positions);
  Eval eval;
  Var x = inputs(model, test);
  tutorial::Block table("buckets", 12);
  std::printf("rounds  cells  twins found  bound  right\n");
  for (int rounds : {1, 2, 4, 8}) {
    // [buckets]
    Reformer layer(32, 2, rng, {.rounds = 4, .eval_rounds = rounds, .buckets = 8, .chunk = 16});
    const Mixer& trained = model.context.encoder.blocks[0].mixer[0];
    for (std::size_t i = 0; i < trained.parameters().size(); i++)
      Var(layer.parameters()[i].var).value() = trained.parameters()[i].var.value();
    Tensor q = split_heads(layer.qk(x), 2).value().compact();
    Edges cells = layer.edges(q, layer.rotations(16), {});
    double found = 0, all = 0;
    for (std::size_t item = 0; item < looked_at; item++)
      for (std::size_t i = 0; i < positions; i++) {
        auto mine = static_cast<Size>(i), other = static_cast<Size>(twin(test.items[item], i));
        bool seen = false;
        for (Size head = 0; head < 2; head++) {  // heads of all items are one list of nodes
          Size first = (static_cast<Size>(item) * 2 + head) * static_cast<Size>(positions);
          seen = seen || cells.find(first + mine, first + other) >= 0;
        }
        all++, found += seen;
      }
    // [/buckets]
    double percent = 100 * found / all,
           share = 100 * static_cast<double>(cells.count()) / (2 * looked_at * 64.0 * 64.0);
    std::printf("%6d %4.0f %% %10.0f %% %4.0f %% %4.0f %%\n", rounds, share, percent, bound(percent),
                score_as(mixer + std::to_string(rounds), model, test));
    if (rounds == 1) tutorial::number("cells_1", share, 0, 12), tutorial::number("found_1", percent, 0, 12);
    if (rounds == 2) tutorial::number("cells_2", share, 0, 12), tutorial::number("found_2", percent, 0, 12);
  }
}

// [sinkhorn]
// e^(scores / temperature) with rows, then columns, divided by their sums, again and again: (n, n) -> (n, n).
Var sinkhorn(const Var& scores, real temperature, int rounds) {
  Var s = scores / temperature;
  for (int i = 0; i < rounds; i++) {
    s = s - reshape(logsumexp(s), {s.size(0), 1});
    s = transpose(transpose(s) - reshape(logsumexp(transpose(s)), {s.size(1), 1}));
  }
  return exp(s);
}
// [/sinkhorn]

void learn_to_sort() {
  Rng rng(3);
  constexpr Size n = 8;
  Tensor start = rng.normal({n, n}, 0.1);
  std::vector<int> order = rng.permutation(n);
  Tensor x = rng.normal({n, 6}, 1), target(x.shape());
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 6; c++) target.mut()[i * 6 + c] = x.at({order[static_cast<std::size_t>(i)], c});
  auto off = [&](int rounds) {
    Tensor rows = sum(sinkhorn(start * real(20), 1, rounds), {1}).value();
    double most = 0;
    for (real r : rows.to_vector()) most = std::max(most, std::abs(static_cast<double>(r) - 1));
    return most;
  };
  tutorial::number("off_1", off(1), 2, 0.05);
  tutorial::number("off_20", off(20), 3, 0.02);
  // [sort]
  Var scores = Var::parameter(start);
  Adam adam({{"scores", scores}}, {.lr = 0.05});
  for (int step = 0; step < 300; step++) {
    mse(matmul(sinkhorn(scores, real(0.75), 8), x), target).backward();
    adam.step();
  }
  // [/sort]
  Tensor s = sinkhorn(scores, real(0.75), 8).value();
  std::vector<std::vector<double>> shades(n, std::vector<double>(n));
  double right = 0;
  for (Size i = 0; i < n; i++)
    for (Size j = 0; j < n; j++) {
      shades[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = static_cast<double>(s.at({i, j}));
      if (j == order[static_cast<std::size_t>(i)]) right += 100 * static_cast<double>(s.at({i, j})) / n;
    }
  tutorial::number("sorted", right, 0, 3);
  tutorial::figure("sorting", heat_map({.title = "A learned sorting of 8 blocks",
                                        .rows = {"0", "1", "2", "3", "4", "5", "6", "7"},
                                        .columns = {"0", "1", "2", "3", "4", "5", "6", "7"},
                                        .values = shades,
                                        .row_title = "place",
                                        .column_title = "block",
                                        .decimals = 2}));
  double apart = gradcheck([](const std::vector<Var>& v) { return sinkhorn(v[0], 1, 5); }, {start});
  tutorial::claim(apart < 2e-3, "gradients of sinkhorn agree with finite differences in float");
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        ExampleSet train = make_task("partner", 2000, 1, Split::train),
                   test = make_task("partner", 200, 1, Split::test);
        double seen = twins_in_window(test, 8);
        tutorial::number("window_seen", seen, 1);
        tutorial::number("window_bound", bound(seen), 1);
        learn_to_sort();
        drop_small_weights(train, test);
        hash_into_buckets(train, test);
      },
      60);
}
