// Patterns chosen by people: which cells of the matrix are skipped, what that saves, and what it costs a tagger.
#include <algorithm>
#include <cstdio>
#include <heed.hpp>
#include <map>

#include "models/plot/charts.hpp"
#include "models/plot/svg.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

struct Named {
  const char *name, *id;
  std::vector<Pattern> patterns;  // one for all heads, or one for each
};

// [patterns]
std::vector<Named> patterns() {
  return {{"full", "full", {full()}},
          {"local", "local", {local(2)}},
          {"strided 3", "strided3", {strided(3)}},
          {"strided 2", "strided2", {strided(2)}},
          {"local or strided 8", "either", {local(2) | strided(8)}},
          {"global", "global", {global_tokens({0})}},
          {"Longformer", "longformer", {longformer(2, {0})}},
          {"Big Bird", "bigbird", {big_bird(1, {.block = 4, .window = 3, .random = 1, .global = {0}})}},
          {"a head each", "each", {local(2), local(2), strided(3), global_tokens({0})}}};
}
// [/patterns]

// [tagger]
struct Tagger : Module {
  Embedding words;
  Encoder encoder;
  Linear tags;
  Tagger(const tutorial::Corpus& corpus, const std::vector<Pattern>& patterns, Rng& rng)
      : words(sub("words", Embedding(corpus.words(), 64, rng, 0))),
        encoder(sub("encoder", Encoder(64, rng, {.layers = 2, .heads = 4, .hidden = 128, .patterns = patterns}))),
        tags(sub("tags", Linear(64, corpus.tags(), rng))) {}
  Var operator()(const Batch& batch) const {
    Var x = words(batch.words, {batch.batch, batch.length}) * 8;  // √64
    return tags(encoder(SinusoidalPositions()(x), batch.padding));
  }
};
// [/tagger]

// [reach]
// reach[i][j]: whether position i has heard of position j after `layers` layers. Residuals keep what is there.
std::vector<std::vector<bool>> reach(const std::vector<Pattern>& heads, Size n, int layers) {
  auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<bool>> step(size, std::vector<bool>(size)), now = step;
  for (std::size_t i = 0; i < size; i++) step[i][i] = now[i][i] = true;
  for (std::size_t h = 0; h < heads.size(); h++) {
    Mask keep = heads[h].mask(n, n, static_cast<Size>(h));
    for (std::size_t cell = 0; cell < size * size; cell++)
      if (keep[static_cast<Size>(cell)]) step[cell / size][cell % size] = true;
  }
  for (int layer = 0; layer < layers; layer++) {
    std::vector<std::vector<bool>> next(size, std::vector<bool>(size));
    for (std::size_t i = 0; i < size; i++)
      for (std::size_t j = 0; j < size; j++)
        if (step[i][j])
          for (std::size_t from = 0; from < size; from++) next[i][from] = next[i][from] || now[j][from];
    now = next;
  }
  return now;
}
// [/reach]

// The fewest layers after which all have heard of all; 0 when that never comes.
int layers_to_mix(const std::vector<Pattern>& heads, Size n) {
  std::vector<std::vector<bool>> before;
  for (int layers = 1;; layers++) {
    std::vector<std::vector<bool>> now = reach(heads, n, layers);
    bool mixed = true;
    for (const std::vector<bool>& row : now) mixed = mixed && std::find(row.begin(), row.end(), false) == row.end();
    if (mixed) return layers;
    if (now == before) return 0;
    before = now;
  }
}

// [ceiling]
// What two layers can know of the words in lists: all where the first word can be heard of, half where not.
double ceiling(const std::vector<Pattern>& heads, const tutorial::Corpus& corpus) {
  double right = 0, all = 0;
  std::map<std::size_t, std::vector<std::vector<bool>>> known;  // by length
  for (const Sentence& s : corpus.test_text) {
    if (s.form(1) != ":") continue;
    if (!known.contains(s.size())) known[s.size()] = reach(heads, static_cast<Size>(s.size()), 2);
    for (std::size_t at = 2; at < s.size(); at += 2) all++, right += known[s.size()][at][0] ? 1 : 0.5;
  }
  return 100 * right / all;
}
// [/ceiling]

void compare_taggers() {
  tutorial::Corpus corpus(40, Language::english, 2500);
  BarChart bars;
  bars.title = "Words in lists: what two layers can know, and what was learned";
  bars.y.title = "% right", bars.y.low = 0, bars.y.high = 100;
  bars.series = {{"ceiling", {}}, {"measured", {}}};
  tutorial::Block table("taggers", 3);
  std::printf("                     cells  layers   words in lists   in phrases    all\n");
  std::printf("                    (N=80)  to mix  ceiling measured               words\n");
  for (const Named& p : patterns()) {
    Rng rng(1);
    Tagger model(corpus, p.patterns, rng);
    tutorial::train(model, model.parameters(), corpus, 4);
    tutorial::Accuracy found = tutorial::accuracy(model, corpus);
    double cells = 0;
    for (std::size_t h = 0; h < p.patterns.size(); h++)
      cells += static_cast<double>(p.patterns[h].count(80, 80, static_cast<Size>(h))) /
               static_cast<double>(p.patterns.size());
    int layers = layers_to_mix(p.patterns, 80);
    std::string name = p.id;
    std::printf("%-18s %7.0f  %6s  %7s  %7s  %10s  %6s\n", p.name, cells,
                layers ? std::to_string(layers).c_str() : "never",
                tutorial::number(name + "_ceiling", ceiling(p.patterns, corpus), 1).c_str(),
                tutorial::number(name + "_lists", found.lists, 1, 3).c_str(),
                tutorial::number(name + "_phrases", found.phrases, 1, 3).c_str(),
                tutorial::number(name + "_all", found.all, 1, 2).c_str());
    bars.groups.emplace_back(p.name);
    bars.series[0].values.push_back(ceiling(p.patterns, corpus)), bars.series[1].values.push_back(found.lists);
  }
  tutorial::figure("lists", bar_chart(bars));
}

// [work]
double work(Size n, const Pattern& pattern) {  // in millions of multiply-adds, forward, one head of 16
  Rng rng(1);
  Eval eval;
  Tensor q = rng.normal({1, 1, n, 16}, 1);
  attention(q, q, q, {.patterns = {pattern}});  // plans its tiles
  reset_counters();
  attention(q, q, q, {.patterns = {pattern}});
  return 1e-6 * static_cast<double>(counters().multiply_adds);
}
// [/work]

void count_work() {
  tutorial::Block table("work");
  std::printf("    N     full  local(16)  strided(64)  longformer(16, {0})  big_bird(16)\n");
  for (Size n : {64, 256, 1024, 4096})
    std::printf("%5td %8.2f %10.2f %12.2f %20.2f %13.2f\n", n, work(n, full()), work(n, local(16)),
                work(n, strided(64)), work(n, longformer(16, {0})),
                work(n, big_bird(1, {.block = 16, .window = 3, .random = 2})));
}

void check_gradient() {
  Rng rng(5);
  Size n = 13, asked = 6;
  Pattern pattern = longformer(2, {0});
  Var q = Var::parameter(rng.normal({n, 4}, 1)), k = Var::parameter(rng.normal({n, 4}, 1)), v = rng.normal({n, 4}, 1);
  auto gradient_of_keys = [&](const Var& y) {
    k.grad() = Tensor();
    sum(slice(y, 0, asked, asked + 1) * v.value().slice(0, 3, 4)).backward();
    return k.grad();
  };
  Tensor sparse = gradient_of_keys(attention(q, k, v, {.patterns = {pattern}}));
  Var dense = matmul(softmax(matmul(q, transpose(k)), pattern.mask(n, n), real(0.5)), v);
  double apart = max_difference(sparse, gradient_of_keys(dense));
  tutorial::Block report("gradient");
  std::printf("keys with a gradient from the output of position 6:");
  for (Size j = 0; j < n; j++)
    if (sparse.at({j, 0}) != 0) std::printf(" %td", j);
  std::printf("\nagainst the matrix with a mask: %s 1e-5\n", apart < 1e-5 ? "below" : "NOT below");
}

// Rows are queries, columns keys; kept cells are dark.
std::string pictures() {
  const std::vector<std::pair<const char*, Pattern>> shown = {
      {"local(2)", local(2)},
      {"strided(3, 1)", strided(3, 1)},
      {"strided(3)", strided(3)},
      {"global_tokens({0, 1})", global_tokens({0, 1})},
      {"longformer(2, {0})", longformer(2, {0})},
      {"big_bird, blocks of 2", big_bird(7, {.block = 2, .window = 3, .random = 1})}};
  constexpr Size n = 16;
  constexpr double cell = 11, gap = 30;
  Svg svg(3 * (n * cell + gap) + gap, 2 * (n * cell + gap) + gap, "Kept cells of six patterns, 16 queries and 16 keys");
  for (std::size_t p = 0; p < shown.size(); p++) {
    std::size_t column = p % 3, line = p / 3;
    double left = gap + static_cast<double>(column) * (n * cell + gap),
           top = gap + static_cast<double>(line) * (n * cell + gap);
    svg.text({left, top - 6}, shown[p].first, "small");
    Mask keep = shown[p].second.mask(n, n);
    for (Size i = 0; i < n; i++)
      for (Size j = 0; j < n; j++)
        svg.rect({left + static_cast<double>(j) * cell, top + static_cast<double>(i) * cell, cell - 1, cell - 1},
                 keep[i * n + j] ? "fill c0" : "fill grid");
  }
  return svg.str();
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        count_work();
        check_gradient();
        compare_taggers();
        tutorial::figure("patterns", pictures());
      },
      60);
}
