// Images, convolution, recurrence: a convolution written as attention, which of the two needs more data, and how far
// back a recurrent network hears.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <heed.hpp>

#include "models/plot/charts.hpp"
#include "tutorials/examples.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr Size side = 12, patch = 3, patches = side / patch;

void convolution_by_attention() {
  Rng rng(1);
  // [convolution]
  Tensor kernels = rng.normal({5, 3, 3, 3}, 0.3), bias = rng.normal({5}, 0.3);  // (Cout, C, K, K)
  PixelAttention attention = convolution_as_attention(kernels, bias);           // 9 heads
  // [/convolution]
  Tensor image({2, 3, 8, 8}, 0);
  Tensor inside = rng.normal({2, 3, 6, 6}, 1);  // a ring of zeros around it, since softmax never looks outside
  for (Size b = 0; b < 2; b++)
    for (Size c = 0; c < 3; c++)
      for (Size y = 0; y < 6; y++)
        for (Size x = 0; x < 6; x++) image.mut()[((b * 3 + c) * 8 + y + 1) * 8 + x + 1] = inside.at({b, c, y, x});
  auto cut = [](const Var& y) { return slice(slice(y, 2, 1, 7), 3, 1, 7); };
  Tensor seed = rng.normal({2, 5, 6, 6}, 1);
  Var first = Var::parameter(image), second = Var::parameter(image);
  Var by_attention = cut(attention(first)), by_convolution = cut(conv2d(second, kernels, bias, {.padding = 1}));
  double values = max_difference(by_attention.value(), by_convolution.value());
  by_attention.backward(seed), by_convolution.backward(seed);
  double gradients = max_difference(cut(first.grad()).value(), cut(second.grad()).value());
  tutorial::Block report("equal");
  std::printf("values apart by %s 1e-4, gradients of the pixels by %s 1e-4\n",
              values < 1e-4 ? "less than" : "MORE than", gradients < 1e-4 ? "less than" : "MORE than");
}

// [cnn]
struct Cnn : Module {
  Conv2d first, second, third;
  Linear out;
  Cnn(Size channels, Rng& rng)
      : first(sub("first", Conv2d(3, channels, 3, rng, {.padding = 1}))),
        second(sub("second", Conv2d(channels, channels, 3, rng, {.padding = 1}))),
        third(sub("third", Conv2d(channels, channels, 3, rng, {.padding = 1}))),
        out(sub("out", Linear(channels, 8, rng))) {}
  Var operator()(const ExampleBatch& batch) const {
    Var x = batch.features.reshape({batch.size, side, side, 3}).permute({0, 3, 1, 2});  // (B, 3, 12, 12)
    x = max_pool(relu(second(relu(first(x)))));                                         // (B, channels, 6, 6)
    return out(mean(relu(third(x)), {2, 3}));
  }
};
// [/cnn]

// [vit]
struct PatchAttention : Module {
  Linear words;
  LearnedPositions places;
  Encoder encoder;
  Linear out;
  PatchAttention(Size dim, Rng& rng)
      : words(sub("words", Linear(patch * patch * 3, dim, rng))),
        places(sub("places", LearnedPositions(patches * patches, dim, rng))),
        encoder(sub("encoder", Encoder(dim, rng, {.layers = 2, .heads = 2, .hidden = 2 * dim}))),
        out(sub("out", Linear(dim, 8, rng))) {}
  Var operator()(const ExampleBatch& batch) const {
    Tensor cut = batch.features.reshape({batch.size, patches, patch, patches, patch, 3})
                     .permute({0, 1, 3, 2, 4, 5})
                     .reshape({batch.size, patches * patches, patch * patch * 3});  // (B, 16, 27)
    return out(mean(encoder(places(words(cut))), {1}));
  }
};
// [/vit]

template <class M>
double learned(const M& model, const ExampleSet& train, const ExampleSet& test) {
  tutorial::learn(model, train, {.steps = 400, .lr = 3e-3}, 32 * side * side);
  return tutorial::score(model, test);
}

void compare_by_data() {
  ExampleSet all = make_task("shapes:12", 8192, 1, Split::train), test = make_task("shapes:12", 500, 1, Split::test);
  Series cnn{"CNN", {}, {}}, attention{"attention on patches", {}, {}};
  tutorial::Block table("data", 10);
  std::printf("images      CNN  attention\n");
  for (std::size_t count : {64u, 512u, 8192u}) {
    ExampleSet train = all;
    train.items.resize(count);
    Rng rng(2);
    Cnn first(24, rng);
    PatchAttention second(24, rng);
    cnn.x.push_back(static_cast<double>(count)), attention.x.push_back(static_cast<double>(count));
    cnn.y.push_back(learned(first, train, test)), attention.y.push_back(learned(second, train, test));
    std::printf("%6zu  %5s %%    %5s %%\n", count,
                tutorial::number("cnn_" + std::to_string(count), cnn.y.back(), 1, 8).c_str(),
                tutorial::number("attention_" + std::to_string(count), attention.y.back(), 1, 8).c_str());
    std::fflush(stdout);
    if (count > 64) continue;
    tutorial::number("cnn_size", static_cast<double>(first.parameter_count()));
    tutorial::number("attention_size", static_cast<double>(second.parameter_count()));
  }
  tutorial::figure("data", line_chart({.title = "Shapes of 12 x 12 pixels: right answers by number of images",
                                       .x = {.title = "training images", .log = true},
                                       .y = {.title = "%", .low = 0, .high = 100},
                                       .series = {cnn, attention},
                                       .marks = true}));
}

// [reach]
// How much the last output depends on the first input: the length of d(sum of y_N)/d(x_1), at the start of training.
template <class L>
double influence(const L& layer, Size n) {
  Rng rng(4);
  Var x = Var::parameter(rng.normal({1, n, 16}, 1));
  sum(slice(layer(x), 1, n - 1, n)).backward();
  return static_cast<double>(norm(reshape(slice(x.grad(), 1, 0, 1), {1, 16})).item());
}
// [/reach]

void compare_reach() {
  Rng rng(5);
  Rnn rnn(16, 16, rng);
  Lstm lstm(16, 16, rng);
  MultiHeadAttention attention(16, 2, rng);
  LineChart chart{.title = "Influence of the first input on the last output, before training",
                  .x = {.title = "positions N", .log = true},
                  .y = {.title = "length of the gradient", .log = true},
                  .series = {{"RNN", {}, {}}, {"LSTM", {}, {}}, {"attention", {}, {}}},
                  .marks = true};
  tutorial::Block table("reach", 0.5);
  std::printf("    N  steps in a row: RNN  attention   influence: RNN      LSTM  attention\n");
  for (Size n : {4, 8, 16, 32, 64}) {
    double of[] = {influence(rnn, n), influence(lstm, n), influence(attention, n)};
    for (std::size_t i = 0; i < 3; i++)
      chart.series[i].x.push_back(static_cast<double>(n)), chart.series[i].y.push_back(of[i]);
    std::printf("%5td %19td %10d %16.0e %9.0e %10.0e\n", n, n, 1, of[0], of[1], of[2]);
  }
  tutorial::figure("reach", line_chart(chart));
}

void attention_as_recurrence() {
  Rng rng(6);
  LinearAttention layer(16, 2, rng, {.causal = true});
  Tensor x = rng.normal({1, 40, 16}, 1);
  Eval eval;
  Tensor at_once = layer(x).value();
  // [steps]
  LinearState state;  // (1, heads, features, width): the same size after 40 or 40 000 steps
  double apart = 0;
  for (Size i = 0; i < 40; i++) {
    Tensor one = layer.step(x.slice(1, i, i + 1), state).value();
    apart = std::max(apart, max_difference(one, at_once.slice(1, i, i + 1)));
  }
  // [/steps]
  tutorial::Block report("steps");
  std::printf("40 steps against all at once: apart by %s 1e-5, state of %td numbers\n",
              apart < 1e-5 ? "less than" : "MORE than", state.sums.numel());
}

}  // namespace

int main(int count, char** words) {
  return tutorial::chapter(
      count, words,
      [] {
        convolution_by_attention();
        attention_as_recurrence();
        compare_reach();
        compare_by_data();
      },
      60);
}
