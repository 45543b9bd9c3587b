// Without q and k: learned matrices, token mixing and Fourier beside attention, on three tasks that ask for different
// things, and all variants on one chart.
#include <algorithm>
#include <cstdio>
#include <heed.hpp>

#include "models/plot/charts.hpp"
#include "tutorials/examples.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

// [variants]
struct Variant {
  const char *id, *label, *mixer, *family;
};
const std::vector<Variant> variants = {{"attention", "attention", "attention", "full"},
                                       {"local", "local", "local:w=2", "skip entries"},
                                       {"longformer", "Longformer", "longformer:w=2,g=1", "skip entries"},
                                       {"linformer", "Linformer", "linformer:rank=8", "fewer keys"},
                                       {"linear", "linear", "linear", "reorder"},
                                       {"performer", "Performer", "performer:m=32", "reorder"},
                                       {"random", "random", "synthesizer:logits=random", "no q and k"},
                                       {"dense", "dense", "synthesizer:logits=dense", "no q and k"},
                                       {"both", "random + dot", "synthesizer:logits=random+dot", "no q and k"},
                                       {"mlp", "MLP-Mixer", "mlp_mixer:hidden=32", "no attention"},
                                       {"gmlp", "gMLP", "gmlp", "no attention"},
                                       {"fnet", "FNet", "fnet", "no attention"}};
// [/variants]

struct Task {
  const char* name;
  ExampleSet train, test;
  Size length, steps;
  std::size_t batch;  // positions
};

ExampleSet tagged(const tutorial::Corpus& corpus, const std::vector<Sentence>& text) {
  ExampleSet set;
  set.task = "tags", set.answer = Answer::each;
  set.symbols = corpus.words(), set.classes = corpus.lexicon.tags.entries();
  for (const Sentence& s : text) {
    Example& item = set.items.emplace_back();
    for (std::size_t i = 0; i < s.size(); i++) {
      item.symbols.push_back(corpus.lexicon.words.id(normalized(s.form(i))));
      item.targets.push_back(corpus.lexicon.tags.id(s.upos(i)));
    }
  }
  return set;
}

std::vector<Task> tasks() {
  tutorial::Corpus corpus(12, Language::english, 2000);
  std::vector<Task> all = {{"tags", tagged(corpus, corpus.train_text), tagged(corpus, corpus.test_text), 40, 900, 400}};
  for (auto [name, length, steps] : {std::tuple{"permutation", 16, 300}, std::tuple{"recall", 13, 400}})
    all.push_back(
        {name, make_task(name, 20000, 1, Split::train), make_task(name, 1000, 1, Split::test), length, steps, 800});
  return all;
}

// [model]
double learned(const Task& task, const char* mixer) {
  Rng rng(1);
  Settings choice = tutorial::settings({{"dim", "32"},
                                        {"layers", "1"},
                                        {"heads", "2"},
                                        {"hidden", "64"},
                                        {"dropout", "0"},
                                        {"mixer", mixer},
                                        {"length", std::to_string(task.length)}});
  Classifier model(task.train, choice, rng);
  tutorial::learn(model, task.train, {.steps = task.steps, .lr = 1e-2}, task.batch);
  return tutorial::score(model, task.test);
}
// [/model]

// [bag]
// The share of right answers of one who knows the values of a sequence but not which key each belongs to: it says the
// most frequent one.
double most_frequent(const ExampleSet& set) {
  double right = 0;
  for (const Example& item : set.items) {
    std::vector<int> count(16);
    for (int value : item.second)
      if (value > 0) count[static_cast<std::size_t>(value - 1)]++;
    right += static_cast<double>(*std::max_element(count.begin(), count.end())) /
             static_cast<double>(item.second.size() - 1);
  }
  return 100 * right / static_cast<double>(set.items.size());
}
// [/bag]

struct Cost {
  double work, peak;
};

Cost cost_of(const char* mixer) {
  Rng rng(1);
  Eval eval;
  Size n = 1024;
  Mixer mix = make_mixer(mixer, 64, rng, {.heads = 4, .length = n});
  Tensor x = rng.normal({1, n, 64}, 1);
  mix(x);
  reset_counters();
  Size before = counters().live_bytes;
  mix(x);
  return {1e-6 * static_cast<double>(counters().multiply_adds),
          static_cast<double>(counters().peak_bytes - before) / (1 << 20)};
}

void compare() {
  std::vector<Task> all = tasks();
  BarChart recall;
  recall.title = "Recall by content: who needs queries and keys";
  recall.y.title = "% right", recall.y.low = 0, recall.y.high = 100;
  recall.series = {{"recall", {}}};
  BubbleChart bubbles{.title = "Three tasks and the cost at N = 1024",
                      .x = {.title = "million multiply-adds, forward", .log = true},
                      .y = {.title = "mean of the three tasks, %"},
                      .size_title = "MiB held at most"};
  {
    tutorial::Block table("scores", 6);
    std::printf("%-30s %6s %12s %7s %7s\n", "", "tags", "permutation", "recall", "mean");
    for (const Variant& v : variants) {
      double sum = 0;
      std::printf("%-30s", v.mixer);
      for (const Task& task : all) {
        double percent = learned(task, v.mixer);
        sum += percent / 3;
        std::printf(" %*s",
                    task.length == 16   ? 12
                    : task.length == 13 ? 7
                                        : 6,
                    tutorial::number(std::string(v.id) + "_" + task.name, percent, 1, 6).c_str());
        std::fflush(stdout);
        if (task.length == 13) recall.groups.emplace_back(v.label), recall.series[0].values.push_back(percent);
      }
      std::printf(" %7.1f\n", sum);
      Cost cost = cost_of(v.mixer);
      bubbles.bubbles.push_back({v.label, v.family, cost.work, sum, cost.peak});
    }
  }
  {
    tutorial::Block table("cost");
    std::printf("%-30s %22s %10s\n", "N = 1024, width 64, 4 heads", "million multiply-adds", "peak MiB");
    for (std::size_t i = 0; i < variants.size(); i++)
      std::printf("%-30s %22.1f %10.2f\n", variants[i].mixer, bubbles.bubbles[i].x, bubbles.bubbles[i].size);
  }
  tutorial::number("bag", most_frequent(all[2].test), 1);
  tutorial::figure("recall", bar_chart(recall));
  tutorial::figure("bubbles", bubble_chart(bubbles));
}

// [fixed]
// Whether the weights of a random Synthesizer change with its input, and FNet's gradient.
void look_inside() {
  Rng rng(2);
  Synthesizer layer(32, 2, 16, rng);
  Tensor a = rng.normal({1, 16, 32}, 1), b = rng.normal({1, 16, 32}, 1);
  double moved = max_difference(layer.logits(a).value(), layer.logits(b).value());
  Var x = Var::parameter(a);
  fourier_mix(x).backward(b);
  double apart = max_difference(x.grad(), fourier_mix(b).value());
  tutorial::Block report("inside");
  std::printf("a random Synthesizer's logits for two inputs differ by %g\n", moved);
  std::printf("FNet's backward pass and its forward pass differ by less than 1e-5: %s\n", apart < 1e-5 ? "yes" : "no");
}
// [/fixed]

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        look_inside();
        compare();
      },
      80);
}
