// What has to stand around attention so that several layers of it can be trained, and the tagger that comes of it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

// [block]
struct Around {
  bool residual, norm;
};

struct Block : Module {
  Around around;
  LayerNorm norm1, norm2;
  MultiHeadAttention look;  // every place looks at the others
  FeedForward think;        // and works on what it saw: two layers, alone at each place
  Block(Size dim, Around what, Rng& rng)
      : around(what),
        norm1(sub("norm1", LayerNorm(dim))),
        norm2(sub("norm2", LayerNorm(dim))),
        look(sub("look", MultiHeadAttention(dim, 4, rng))),
        think(sub("think", FeedForward(dim, 2 * dim, rng))) {}
  Var operator()(Var x, const Mask& padding) const {
    Var y = look(around.norm ? norm1(x) : x, padding);
    x = around.residual ? x + y : y;
    y = think(around.norm ? norm2(x) : x);
    return around.residual ? x + y : y;
  }
};
// [/block]

// [tagger]
struct DeepTagger : Module {
  Embedding words;
  std::vector<Block> blocks;
  LayerNorm last;
  Linear out;
  DeepTagger(const tutorial::Corpus& corpus, int layers, Around around, Rng& rng, Size dim = 64)
      : words(sub("words", Embedding(corpus.words(), dim, rng))),
        last(sub("last", LayerNorm(dim))),
        out(sub("out", Linear(dim, corpus.tags(), rng))) {
    for (int i = 0; i < layers; i++)
      blocks.push_back(sub(std::string("block").append(std::to_string(i)), Block(dim, around, rng)));
  }
  Var operator()(const Batch& batch) const {
    Var x = SinusoidalPositions()(words(batch.words, {batch.batch, batch.length}) * real(8));  // (B, N, 64)
    for (const Block& block : blocks) x = block(x, batch.padding);
    return out(blocks[0].around.norm ? last(x) : x);  // (B, N, tags)
  }
};
// [/tagger]

double norm_of(const Tensor& x) {
  double sum = 0;
  for (real v : x.to_vector()) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

// Norm of the first block's gradient, before any training.
double first_gradient(const tutorial::Corpus& corpus, int layers, Around around) {
  Rng rng(1);
  DeepTagger model(corpus, layers, around, rng);
  Batch batch = corpus.train.batch(corpus.train.batches(400)[50]);
  cross_entropy(model(batch), batch.tags).backward();
  return norm_of(model.blocks[0].look.v.w.grad());
}

// [guess]
// Share of the most frequent tag: what is right without looking at anything.
double best_single_tag(const tutorial::Corpus& corpus) {
  std::map<std::string_view, int> count;
  int most = 0, all = 0;
  for (const Sentence& s : corpus.test_text)
    for (std::size_t i = 0; i < s.size(); i++) all++, most = std::max(most, ++count[s.upos(i)]);
  return 100.0 * most / all;
}
// [/guess]

struct Variant {
  const char *name, *key;
  Around around;
};
const Variant variants[] = {{"neither", "neither", {false, false}},
                            {"norm only", "norm", {false, true}},
                            {"residual only", "residual", {true, false}},
                            {"both", "both", {true, true}}};

void gradients_by_depth(const tutorial::Corpus& corpus) {
  LineChart chart{.title = "Gradient of the first block before training",
                  .x = {.title = "blocks"},
                  .y = {.title = "norm", .log = true},
                  .marks = true};
  tutorial::Block block("depth", 0.02);
  std::printf("%-14s", "blocks");
  for (int layers : {1, 2, 4, 8}) std::printf("%11d", layers);
  std::printf("\n");
  for (const Variant& v : variants) {
    Series series{.name = v.name, .x = {}, .y = {}};
    std::printf("%-14s", v.name);
    for (int layers : {1, 2, 4, 8}) {
      double norm = first_gradient(corpus, layers, v.around);
      series.x.push_back(layers), series.y.push_back(norm);
      std::printf("%11.4g", norm);
    }
    std::printf("\n");
    chart.series.push_back(series);
  }
  tutorial::figure("gradients", line_chart(chart));
}

void accuracy_by_surroundings(const tutorial::Corpus& corpus) {
  tutorial::Block block("four");
  std::printf("four blocks      all   loss in training\n");
  for (const Variant& v : variants) {
    Rng rng(1);
    DeepTagger model(corpus, 4, v.around, rng);
    double loss = tutorial::train(model, model.parameters(), corpus, 3), all = tutorial::accuracy(model, corpus).all;
    std::string key = v.key;
    std::printf("%-14s %5s %7s\n", v.name, tutorial::number(key, all, 1, v.around.residual ? 1 : 25).c_str(),
                tutorial::number(key + "-loss", loss, 2, v.around.residual ? 0.05 : 1).c_str());
  }
  std::printf("one tag for all %4s\n", tutorial::number("guess", best_single_tag(corpus), 1).c_str());
}

// [loop]
// Two rounds through the sentences with any optimizer. Returns the accuracy on others.
double rounds_with(Optimizer& optimizer, const DeepTagger& model, const tutorial::Corpus& corpus) {
  Rng order(1);
  for (int round = 0; round < 2; round++)
    for (const Group& group : corpus.train.batches(400, &order)) {
      Batch batch = corpus.train.batch(group);
      Var loss = cross_entropy(model(batch), batch.tags);
      loss.backward();                            // adds to the gradient of every parameter
      clip_gradients(optimizer.parameters(), 1);  // no step longer than a gradient of norm 1 makes it
      optimizer.step();                           // changes the parameters, clears the gradients
    }
  return tutorial::accuracy(model, corpus).all;
}
// [/loop]

void optimizers(const tutorial::Corpus& corpus) {
  auto with = [&](const auto& make) {
    Rng rng(1);
    DeepTagger model(corpus, 2, {true, true}, rng);
    auto optimizer = make(model.parameters());
    return rounds_with(optimizer, model, corpus);
  };
  tutorial::Block block("optimizers");
  auto row = [](const char* name, const char* key, double all, double tolerance) {
    std::printf("%-26s %s\n", name, tutorial::number(key, all, 1, tolerance).c_str());
  };
  std::printf("two rounds                 all\n");
  row("gradient descent, 0.1", "sgd", with([](const auto& list) { return Sgd(list, {.lr = 0.1}); }), 4);
  row("with momentum 0.9, 0.1", "momentum",
      with([](const auto& list) { return Sgd(list, {.lr = 0.1, .momentum = 0.9}); }), 4);
  row("Adam, 0.003", "adam", with([](const auto& list) { return Adam(list, {.lr = 3e-3}); }), 1);
}

void check_gradients() {
  Rng rng(1);
  LayerNorm norm(8);
  Block block(8, {true, true}, rng);
  double worst =
      std::max(gradcheck([&](const std::vector<Var>& in) { return norm(in[0]); }, {rng.normal({3, 8}, 1)}),
               gradcheck([&](const std::vector<Var>& in) { return block(in[0], {}); }, {rng.normal({2, 5, 8}, 1)}));
  tutorial::Block quoted("check");
  std::printf("layer norm and the whole block agree with finite differences to %s\n",
              tutorial::at_most("differences", worst, 0.01, 2).c_str());
}

void whole(const tutorial::Corpus& corpus, const char* name, const std::string& key, const std::string& text) {
  Rng rng(1);
  DeepTagger model(corpus, 2, {true, true}, rng);
  tutorial::train(model, model.parameters(), corpus, 5);
  tutorial::Accuracy a = tutorial::accuracy(model, corpus);
  std::printf("%-8s %6td parameters   all %s   phrases %s   lists %s\n", name, model.parameter_count(),
              tutorial::number(key + "-all", a.all, 1, 0.5).c_str(),
              tutorial::number(key + "-phrases", a.phrases, 1, 2).c_str(),
              tutorial::number(key + "-lists", a.lists, 1, 1).c_str());
  std::printf("   %s =>", text.c_str());
  for (const std::string& tag : tutorial::tag(model, corpus, text)) std::printf(" %s", tag.c_str());
  std::printf("\n");
}

void run() {
  tutorial::Corpus english, chinese(40, Language::chinese);
  gradients_by_depth(english);
  accuracy_by_surroundings(english);
  check_gradients();
  optimizers(english);
  tutorial::Block block("whole");
  whole(english, "English", "english", "I saw a saw .");
  whole(chinese, "Chinese", "chinese", "我 锯 这个 锯 。");
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run, 40); }
