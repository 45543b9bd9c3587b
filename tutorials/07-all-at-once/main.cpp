// Self-attention as matrix products: the same numbers as the loops, their gradients, what they cost, and what they
// cannot see.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "models/pos/tagger.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

double largest_difference(const Tensor& x, const Tensor& y) {
  std::vector<real> a = x.to_vector(), b = y.to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); i++) worst = std::max(worst, std::abs(static_cast<double>(a[i] - b[i])));
  return worst;
}

// [loops]
// One output after the other, as in chapter 06: x (N, D), three matrices (D, d) -> (N, d).
Tensor by_loops(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv) {
  Size n = x.size(0), in = x.size(1), d = wq.size(1);
  auto project = [&](const Tensor& w, Size row, Size column) {
    double sum = 0;
    for (Size r = 0; r < in; r++) sum += static_cast<double>(x.at({row, r})) * static_cast<double>(w.at({r, column}));
    return sum;
  };
  std::vector<real> b;
  for (Size i = 0; i < n; i++) {
    std::vector<double> weight, result(static_cast<std::size_t>(d));
    double total = 0;
    for (Size j = 0; j < n; j++) {
      double alpha = 0;
      for (Size c = 0; c < d; c++) alpha += project(wq, i, c) * project(wk, j, c);
      weight.push_back(std::exp(alpha / std::sqrt(static_cast<double>(d))));
      total += weight.back();
    }
    for (Size j = 0; j < n; j++)
      for (Size c = 0; c < d; c++)
        result[static_cast<std::size_t>(c)] += weight[static_cast<std::size_t>(j)] / total * project(wv, j, c);
    b.insert(b.end(), result.begin(), result.end());
  }
  return {{n, d}, b};
}
// [/loops]

// [matrices]
struct Attended {
  Var q, k, v, weights, out;
};

Attended by_matrices(const Var& x, const Var& wq, const Var& wk, const Var& wv) {
  Var q = matmul(x, wq), k = matmul(x, wk), v = matmul(x, wv);              // (N, D) x (D, d) = (N, d), three times
  Var scores = matmul(q, transpose(k));                                     // (N, d) x (d, N) = (N, N)
  Var weights = softmax(scores / std::sqrt(static_cast<real>(q.size(1))));  // each row adds up to 1
  return {q, k, v, weights, matmul(weights, v)};                            // (N, N) x (N, d) = (N, d)
}
// [/matrices]

// [backward]
struct Gradients {
  Var wq, wk, wv;
};

Gradients backward(const Var& x, const Attended& f, const Var& dout) {
  Var dv = matmul(transpose(f.weights), dout);       // (N, d)
  Var dweights = matmul(dout, transpose(f.v));       // (N, N)
  Var mean = sum(f.weights * dweights, {-1}, true);  // (N, 1): one number for each row
  Var dscores = f.weights * (dweights - mean) / std::sqrt(static_cast<real>(f.q.size(1)));
  Var dq = matmul(dscores, f.k), dk = matmul(transpose(dscores), f.q);
  return {matmul(transpose(x), dq), matmul(transpose(x), dk), matmul(transpose(x), dv)};
}
// [/backward]

void compare(Rng& rng) {
  Size n = 24, dim = 16, d = 8;
  Tensor x = rng.normal({n, dim}, 1), g = rng.normal({n, d}, 1);
  Var wq = Var::parameter(xavier_uniform({dim, d}, rng)), wk = Var::parameter(xavier_uniform({dim, d}, rng)),
      wv = Var::parameter(xavier_uniform({dim, d}, rng));
  Attended f = by_matrices(x, wq, wk, wv);
  double forward = largest_difference(f.out.value(), by_loops(x, wq.value(), wk.value(), wv.value()));
  Attended constant = by_matrices(x, wq.detach(), wk.detach(), wv.detach());
  Gradients by_hand = backward(x, constant, g);
  sum(f.out * g).backward();  // the engine's own way back
  double back =
      std::max({largest_difference(by_hand.wq.value(), wq.grad()), largest_difference(by_hand.wk.value(), wk.grad()),
                largest_difference(by_hand.wv.value(), wv.grad())});
  // [shuffle]
  std::vector<int> order = rng.permutation(static_cast<int>(n));
  Var shuffled = embedding(Var(x), order, {n});  // row i is row order[i] of x
  double moved =
      largest_difference(by_matrices(shuffled, wq, wk, wv).out.value(), embedding(f.out, order, {n}).value());
  // [/shuffle]
  tutorial::Block block("equal");
  std::printf("loops and matrices agree to %s\n", tutorial::at_most("forward", forward, 1e-6, 6).c_str());
  std::printf("the gradients and the engine's agree to %s\n", tutorial::at_most("back", back, 1e-4, 4).c_str());
  std::printf("shuffled inputs give shuffled outputs, to %s\n", tutorial::at_most("moved", moved, 1e-5, 5).c_str());
}

void count_work_of(Size n) {
  Eval eval;
  Size d = 64;
  Tensor x({n, d}, 0.1F), w({d, d}, 0.1F);
  reset_counters();
  Var q = matmul(x, w), k = matmul(x, w), v = matmul(x, w);
  Size projections = counters().multiply_adds;
  matmul(softmax(matmul(q, transpose(k))), v);
  std::printf("%6td %14td %14td\n", n, projections, counters().multiply_adds - projections);
}

// Mean of the largest weight over 16 keys, when queries and keys are standard normal.
double sharpness(Size d, bool scaled, Rng& rng) {
  Tensor q = rng.normal({200, d}, 1), k = rng.normal({16, d}, 1);
  real scale = scaled ? 1 / std::sqrt(static_cast<real>(d)) : 1;
  return static_cast<double>(mean(max(softmax(matmul(q, transpose(Var(k))), {}, scale), -1)).item());
}

// [tagger]
// A vector for each word, self-attention, and chapter 04's fully connected network on what came out.
struct AttentionTagger : Module {
  bool own;  // whether the network sees the word's own vector beside b
  Embedding words;
  SelfAttention look;
  Linear hidden, out;
  AttentionTagger(const tutorial::Corpus& corpus, bool with_own, Rng& rng, Size dim = 64)
      : own(with_own),
        words(sub("words", Embedding(corpus.words(), dim, rng))),
        look(sub("look", SelfAttention(dim, dim, rng))),
        hidden(sub("hidden", Linear(own ? 2 * dim : dim, 128, rng))),
        out(sub("out", Linear(128, corpus.tags(), rng))) {}
  Var vectors(const Batch& batch) const { return words(batch.words, {batch.batch, batch.length}) * real(8); }
  Var operator()(const Batch& batch) const {
    Var x = vectors(batch), b = look(x, batch.padding);  // (B, N, 64) both
    return out(relu(hidden(own ? concat({x, b}, -1) : b)));
  }
};
// [/tagger]

void print_row(const char* name, const Module& model, const tutorial::TagModel& tagger, const tutorial::Corpus& corpus,
               const std::string& key) {
  tutorial::train(tagger, model.parameters(), corpus);
  tutorial::Accuracy a = tutorial::accuracy(tagger, corpus);
  std::printf("%-26s %6td   %4s  %7s  %5s\n", name, model.parameter_count(),
              tutorial::number(key + "-all", a.all, 1, 0.8).c_str(),
              tutorial::number(key + "-phrases", a.phrases, 1, 8).c_str(),
              tutorial::number(key + "-lists", a.lists, 1, 3).c_str());
}

// [ceiling]
// Noun-or-verb words of phrases that a tagger without order can get right, in percent. Words that may stand in the
// verb's place could be exchanged with it, in a sentence that is as likely; so each of them is the verb equally often.
double ceiling(const tutorial::Corpus& corpus) {
  const std::vector<std::string>& both = toy_ambiguous(Language::english);
  auto place = [&](std::string_view word) { return std::find(both.begin(), both.end(), word) - both.begin(); };
  double right = 0, all = 0;
  for (const Sentence& s : corpus.test_text) {
    if (s.form(1) == ":") continue;                   // a list
    Size may_be_verb = s.upos(0) == "PRON" ? 15 : 5;  // after a noun only `saw`, `cut`, ...: the first five
    std::map<std::string_view, double> copies;
    double candidates = 0, verbs = 0;
    for (std::size_t i = 0; i < s.size(); i++) {
      if (place(s.form(i)) == 15) continue;
      copies[s.form(i)]++;
      candidates += place(s.form(i)) < may_be_verb;
      verbs += s.upos(i) == "VERB";
    }
    for (auto [word, count] : copies) {
      double verb =
          place(word) < may_be_verb ? verbs * count / candidates : 0;  // how many copies are verbs, on average
      right += std::max(verb, count - verb);                           // all copies get the same tag
      all += count;
    }
  }
  return 100 * right / all;
}
// [/ceiling]

std::string weights_picture(const AttentionTagger& tagger, const tutorial::Corpus& corpus) {
  Eval eval;
  std::vector<std::string> words{"Verbs", ":", "saw", ",", "book", ",", "fish", "."};
  Batch batch = Dataset(corpus.lexicon, {make_sentence(words)}).batch({0});
  Var x = tagger.vectors(batch);
  std::vector<real> weights = attention_weights(tagger.look.q(x), tagger.look.k(x)).to_vector();
  AttentionMatrix picture{.title = "Weights: rows ask, columns answer", .queries = words, .keys = words};
  for (std::size_t i = 0; i < words.size(); i++)
    picture.weights.emplace_back(weights.begin() + static_cast<Size>(i * words.size()),
                                 weights.begin() + static_cast<Size>((i + 1) * words.size()));
  return attention_matrix(picture);
}

std::string shapes_picture() {
  return graph_picture({.title = "Self-attention as matrices",
                        .nodes = {{{"X", "(N, D)"}, "given"},
                                  {{"Q = X Wq", "(N, d)"}, "projected"},
                                  {{"K = X Wk", "(N, d)"}, "projected"},
                                  {{"V = X Wv", "(N, d)"}, "projected"},
                                  {{"A = Q K\u1d40 / √d", "(N, N)"}, "compared"},
                                  {{"A′ = softmax of rows", "(N, N)"}, "compared"},
                                  {{"O = A′ V", "(N, d)"}, "result"}},
                        .links = {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {4, 5}, {5, 6}, {3, 6}}});
}

void run() {
  Rng rng(1);
  compare(rng);
  {
    tutorial::Block block("work");
    std::printf("     N     three W's  scores and sum\n");
    for (Size n : {64, 128, 256, 512, 1024}) count_work_of(n);
  }
  {
    tutorial::Block block("scale", 0.02);
    std::printf("    d   q·k   q·k/√d\n");
    for (Size d : {4, 16, 64, 256})
      std::printf("%5td  %.2f   %.2f\n", d, sharpness(d, false, rng), sharpness(d, true, rng));
  }
  tutorial::Corpus corpus;
  Rng seeds(1);
  AttentionTagger alone(corpus, false, seeds), both(corpus, true, seeds);
  Tagger window(corpus.lexicon, {.rung = Rung::window, .dim = 64, .hidden = 128, .dropout = 0, .word_dropout = 0},
                seeds);
  {
    tutorial::Block block("taggers");
    std::printf("%-26s params    all  phrases  lists\n", "");
    print_row(
        "window of one each side", window, [&](const Batch& b) { return window(b).tags; }, corpus, "window");
    print_row("self-attention, b alone", alone, alone, corpus, "alone");
    print_row("self-attention, a and b", both, both, corpus, "both");
    std::printf("best without order                         %5s\n",
                tutorial::number("ceiling", ceiling(corpus), 1, 0).c_str());
  }
  {
    tutorial::Block block("saw");
    std::vector<std::string> tags = tutorial::tag(both, corpus, "I saw a saw .");
    std::printf("the two \"saw\" get %s tag\n", tags[1] == tags[3] ? "the same" : "another");
  }
  tutorial::figure("shapes", shapes_picture());
  tutorial::figure("weights", weights_picture(both, corpus));
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }
