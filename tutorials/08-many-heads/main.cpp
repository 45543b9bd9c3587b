// One head looks at one mixture of places. Two questions at once need two.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "models/pos/tagger.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr Size symbols = 12, length = 16;

// Rows of symbols; for each place the symbol one to the left and the one five to the left, -1 where there is none.
struct Puzzle {
  Size rows;
  std::vector<int> given, near, far;
};

// [task]
Puzzle draw(Size rows, Rng& rng) {
  Puzzle p{rows, {}, {}, {}};
  for (Size place = 0; place < rows * length; place++) {
    p.given.push_back(static_cast<int>(rng.below(symbols)));
    auto earlier = [&](Size steps) { return place % length >= steps ? *(p.given.end() - 1 - steps) : -1; };
    p.near.push_back(earlier(1));
    p.far.push_back(earlier(5));
  }
  return p;
}
// [/task]

// [model]
struct Fetcher : Module {
  Embedding table;
  MultiHeadAttention look;
  Linear near, far;
  Fetcher(Size heads, Rng& rng, Size dim = 32)
      : table(sub("table", Embedding(symbols, dim, rng))),
        look(sub("look", MultiHeadAttention(dim, heads, rng))),
        near(sub("near", Linear(dim, symbols, rng))),
        far(sub("far", Linear(dim, symbols, rng))) {}
  Var vectors(const Puzzle& p) const {
    return SinusoidalPositions()(table(p.given, {p.rows, length}) * std::sqrt(real(32)));
  }
  Var loss(const Puzzle& p) const {
    Var b = look(vectors(p));  // one vector for both questions
    return cross_entropy(near(b), p.near) + cross_entropy(far(b), p.far);
  }
};
// [/model]

double percent_right(const Var& scores, const std::vector<int>& wanted) {
  std::vector<real> s = scores.value().to_vector();
  double right = 0, all = 0;
  for (std::size_t i = 0; i < wanted.size(); i++) {
    if (wanted[i] < 0) continue;
    auto row = s.begin() + static_cast<Size>(i) * symbols;
    right += std::max_element(row, row + symbols) - row == wanted[i];
    all++;
  }
  return 100 * right / all;
}

struct Right {
  double near, far;
};
Right test(const Fetcher& model) {
  Eval eval;
  Rng rng(9);
  Puzzle p = draw(300, rng);
  Var b = model.look(model.vectors(p));
  return {percent_right(model.near(b), p.near), percent_right(model.far(b), p.far)};
}

Fetcher trained(Size heads) {
  Rng rng(1), data(7);
  Fetcher model(heads, rng);
  tutorial::fit(model.parameters(), {.steps = 800}, [&](Size) { return model.loss(draw(32, data)); });
  return model;
}

// [by_hand]
// Multi-head attention from single heads: columns h d to h d + d - 1 of W^q, W^k and W^v belong to head h, and so do
// rows h d to h d + d - 1 of W^o.
Var by_hand(const MultiHeadAttention& m, const Var& x) {
  Var q = m.q(x), k = m.k(x), v = m.v(x), sum = m.o.b;  // (B, N, H d) each
  for (Size h = 0; h < m.heads; h++) {
    Size from = h * m.head_dim, to = from + m.head_dim;
    auto of_head = [&](const Var& y) { return slice(y, -1, from, to); };  // (B, N, d)
    Var b = attention(of_head(q), of_head(k), of_head(v));                // one head, as in chapter 07
    sum = sum + matmul(b, slice(m.o.w, 0, from, to));                     // (B, N, d) x (d, D)
  }
  return sum;
}
// [/by_hand]

void compare(const Fetcher& model) {
  Eval eval;
  Rng rng(3);
  Var x = rng.normal({2, 5, 32}, 1);
  std::vector<real> a = model.look(x).value().to_vector(), b = by_hand(model.look, x).value().to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); i++) worst = std::max(worst, std::abs(static_cast<double>(a[i] - b[i])));
  // [view]
  Var q = model.look.q(x);                       // (2, 5, 32)
  Var heads = split_heads(q, model.look.heads);  // (2, 2, 5, 16): batch, head, place, component
  bool copied = !heads.value().shares(q.value());
  // [/view]
  tutorial::Block block("equal");
  std::printf("one head after the other gives the same, to %s\n", tutorial::at_most("same", worst, 1e-4, 4).c_str());
  std::printf("splitting into heads copied numbers: %s\n", copied ? "yes" : "no");
}

// [ablate]
// What is left when one head says nothing: its rows of W^o are 0.
Right without(Fetcher model, Size head) {
  Tensor whole = model.look.o.w.value(), cut = whole;
  Size d = model.look.head_dim, dim = cut.size(1);
  std::fill_n(cut.mut() + head * d * dim, d * dim, real(0));
  model.look.o.w.value() = cut;
  Right right = test(model);
  model.look.o.w.value() = whole;
  return right;
}
// [/ablate]

std::string weights_picture(const Fetcher& model, Size head) {
  Eval eval;
  Rng rng(4);
  Var x = model.vectors(draw(1, rng));
  Tensor weights = attention_weights(split_heads(model.look.q(x), 2), split_heads(model.look.k(x), 2));
  AttentionMatrix picture{
      .title = std::string("Head ").append(std::to_string(head + 1)).append(": rows ask, columns answer")};
  for (Size i = 0; i < length; i++) {
    picture.queries.push_back(std::to_string(i));
    picture.keys.push_back(std::to_string(i));
    picture.weights.emplace_back();
    for (Size j = 0; j < length; j++)
      picture.weights.back().push_back(static_cast<double>(weights.at({0, head, i, j})));
  }
  return attention_matrix(picture);
}

void heads_on_puzzle() {
  std::vector<Fetcher> models;
  {
    tutorial::Block block("puzzle");
    std::printf("heads  width of one  parameters  one left  five left\n");
    for (Size heads : {1, 2, 4, 8}) {
      models.push_back(trained(heads));
      Right right = test(models.back());
      std::string key = std::string("heads").append(std::to_string(heads));
      std::printf("%5td %13td %11td %9s %10s\n", heads, 32 / heads, models.back().parameter_count(),
                  tutorial::number(key + "-near", right.near, 1, heads == 1 ? 15 : 8).c_str(),
                  tutorial::number(key + "-far", right.far, 1, heads == 1 ? 15 : 8).c_str());
      if (heads == 1) tutorial::number("mean1", (right.near + right.far) / 2, 1, 10);
    }
  }
  // [ceiling]
  double one_place = (100 + 100.0 / symbols) / 2;  // one question answered, the other guessed
  // [/ceiling]
  tutorial::number("one-place", one_place, 1);
  const Fetcher& two = models[1];
  compare(two);
  BarChart bars;
  bars.title = "Right answers when a head is silenced";
  bars.y.title = "%", bars.y.low = 0, bars.y.high = 100;
  bars.groups = {"both heads", "without head 1", "without head 2"};
  bars.series = {{"one left", {}}, {"five left", {}}};
  {
    tutorial::Block block("ablation");
    std::printf("                one left  five left\n");
    Right all[] = {test(two), without(two, 0), without(two, 1)};
    for (std::size_t i = 0; i < 3; i++) {
      std::string key = std::string("silent").append(std::to_string(i));
      std::printf("%-16s %7s %9s\n", bars.groups[i].c_str(),
                  tutorial::number(key + "-near", all[i].near, 1, i ? 25 : 2).c_str(),
                  tutorial::number(key + "-far", all[i].far, 1, i ? 25 : 2).c_str());
      bars.series[0].values.push_back(all[i].near), bars.series[1].values.push_back(all[i].far);
    }
  }
  tutorial::figure("silenced", bar_chart(bars));
  tutorial::figure("head1", weights_picture(two, 0));
  tutorial::figure("head2", weights_picture(two, 1));
}

void heads_on_words() {
  tutorial::Corpus corpus;
  tutorial::Block block("words");
  std::printf("heads   all  phrases  lists\n");
  for (Size heads : {1, 2, 4, 8}) {
    Rng rng(1);
    Tagger tagger(corpus.lexicon,
                  {.rung = Rung::multihead,
                   .dim = 64,
                   .heads = heads,
                   .hidden = 128,
                   .dropout = 0,
                   .attention_dropout = 0,
                   .word_dropout = 0},
                  rng);
    tutorial::TagModel scores = [&](const Batch& b) { return tagger(b).tags; };
    tutorial::train(scores, tagger.parameters(), corpus);
    tutorial::Accuracy a = tutorial::accuracy(scores, corpus);
    std::string key = std::string("words").append(std::to_string(heads));
    std::printf("%5td  %s    %s  %s\n", heads, tutorial::number(key + "-all", a.all, 1, 0.5).c_str(),
                tutorial::number(key + "-phrases", a.phrases, 1, 2).c_str(),
                tutorial::number(key + "-lists", a.lists, 1, 1).c_str());
  }
}

void run() {
  heads_on_puzzle();
  heads_on_words();
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }
