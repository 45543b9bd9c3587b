// Reversing digits with a reader and a writer: through one vector, and with attention, soft and hard.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr Size digits = 10, longest = 16;
constexpr int start_sign = 10;

// [task]
// Rows of digits; what is wanted is the same row from its end; the writer sees each wanted digit after it was due.
struct Rows {
  Size rows, length;
  std::vector<int> given, wanted, before;
};

Rows draw(Size rows, Size length, Rng& rng) {
  Rows r{rows, length, {}, {}, {}};
  for (Size row = 0; row < rows; row++) {
    for (Size i = 0; i < length; i++) r.given.push_back(static_cast<int>(rng.below(digits)));
    r.before.push_back(start_sign);
    for (Size i = 0; i < length; i++) r.wanted.push_back(r.given[static_cast<std::size_t>((row + 1) * length - 1 - i)]);
    r.before.insert(r.before.end(), r.wanted.end() - length, r.wanted.end() - 1);
  }
  return r;
}
// [/task]

enum class Reading { last, soft, hard };

// [model]
struct Reverser : Module {
  Embedding given, before;
  Bidirectional<Gru> reader;  // one from each end
  Gru writer;
  AdditiveAttention look;
  Linear out;
  explicit Reverser(Rng& rng, Size dim = 48)
      : given(sub("given", Embedding(digits, dim, rng))),
        before(sub("before", Embedding(digits + 1, dim, rng))),
        reader(sub("reader", Bidirectional<Gru>(dim, dim / 2, rng))),
        writer(sub("writer", Gru(2 * dim, dim, rng))),
        look(sub("look", AdditiveAttention(dim, dim, dim, rng))),
        out(sub("out", Linear(2 * dim, digits, rng))) {}

  // Scores (B, N, 10). `weights`, when given, receives what each written digit looked at.
  Var operator()(const Rows& r, Reading how, std::vector<Tensor>* weights = nullptr) const {
    Size dim = given.table.size(1);
    RecurrentOutput read = reader.run(given(r.given, {r.rows, r.length}) * real(7));
    Var heard = before(r.before, {r.rows, r.length}) * real(7);
    RecurrentState state{read.last.h, {}};
    Var context = reshape(read.last.h, {r.rows, 1, dim});  // the last state: all that was read, in one vector
    std::vector<Var> steps;
    for (Size t = 0; t < r.length; t++) {
      if (how != Reading::last) {
        Var question = reshape(state.h, {r.rows, 1, dim});
        Tensor w = attention_weights(look.q(question), look.k(read.y), {.additive = look.w});
        if (weights) weights->push_back(w);
        context = how == Reading::soft ? look(question, read.y, {}) : look_at_one(w, look.v(read.y));
      }
      Var s = writer.step(concat({slice(heard, 1, t, t + 1), context}, -1), state);
      steps.push_back(concat({s, context}, -1));
    }
    return out(concat(steps, 1));
  }

  // Hard: the value with the greatest weight, whole. (B, 1, N) and (B, N, D) -> (B, 1, D).
  static Var look_at_one(const Tensor& weights, const Var& values) {
    Size n = values.size(1), dim = values.size(2);
    std::vector<real> w = weights.to_vector();
    std::vector<int> rows;
    for (Size b = 0; b < values.size(0); b++)
      rows.push_back(static_cast<int>(std::max_element(w.begin() + b * n, w.begin() + (b + 1) * n) - w.begin()));
    return embedding(reshape(values, {values.size(0) * n, dim}), rows, {values.size(0), 1});
  }
};
// [/model]

double percent_right(const Reverser& model, Reading how, Size length) {
  Eval eval;
  Rng rng(8);
  Rows r = draw(200, length, rng);
  std::vector<real> scores = model(r, how).value().to_vector();
  double right = 0;
  for (std::size_t i = 0; i < r.wanted.size(); i++) {
    auto row = scores.begin() + static_cast<Size>(i) * digits;
    right += std::max_element(row, row + digits) - row == r.wanted[i];
  }
  return 100 * right / static_cast<double>(r.wanted.size());
}

Reverser trained(Reading how, Size steps) {
  Rng rng(1), data(5);
  Reverser model(rng);
  tutorial::fit(model.parameters(), {.steps = steps, .lr = 8e-3}, [&](Size) {
    Rows r = draw(32, 3 + data.below(longest - 2), data);  // 3 to 16 digits
    return cross_entropy(model(r, how), r.wanted);
  });
  return model;
}

void no_slope() {
  // [argmax]
  std::vector<double> scores{0.3, 1.2, 0.7}, values{5, -2, 4};
  auto hard = [&](const std::vector<double>& s) {
    return values[static_cast<std::size_t>(std::max_element(s.begin(), s.end()) - s.begin())];
  };
  auto soft = [&](const std::vector<double>& s) {
    double total = 0, sum = 0;
    for (std::size_t j = 0; j < 3; j++) total += std::exp(s[j]), sum += std::exp(s[j]) * values[j];
    return sum / total;
  };
  // [/argmax]
  tutorial::Block block("argmax");
  std::printf("score   slope of hard   slope of soft\n");
  for (std::size_t j = 0; j < 3; j++) {
    auto slope = [&](const auto& f) {
      std::vector<double> up = scores, down = scores;
      up[j] += 1e-5, down[j] -= 1e-5;
      return (f(up) - f(down)) / 2e-5;
    };
    std::printf("%5zu %15.4f %15.4f\n", j + 1, slope(hard), slope(soft));
  }
}

std::string alignment(const Reverser& model) {
  Eval eval;
  Rng rng(3);
  Rows r = draw(1, 10, rng);
  std::vector<Tensor> weights;
  model(r, Reading::soft, &weights);
  AttentionMatrix picture{.title = "Rows: digits written; columns: digits read"};
  for (std::size_t t = 0; t < weights.size(); t++) {
    picture.keys.push_back(std::to_string(r.given[t]));
    picture.queries.push_back(std::to_string(r.wanted[t]));
    std::vector<real> row = weights[t].to_vector();
    picture.weights.emplace_back(row.begin(), row.end());
  }
  return attention_matrix(picture);
}

void run() {
  Reverser through_one = trained(Reading::last, 1000), attentive = trained(Reading::soft, 1000);
  LineChart chart{.title = "Digits written correctly",
                  .x = {.title = "digits in a row"},
                  .y = {.title = "%", .low = 0, .high = 100},
                  .series = {{"one vector", {}, {}}, {"soft attention", {}, {}}},
                  .marks = true};
  {
    tutorial::Block block("lengths");
    std::printf("digits   one vector   held   soft attention   hard reading\n");
    for (Size n : {4, 8, 12, 16}) {
      double one = percent_right(through_one, Reading::last, n), soft = percent_right(attentive, Reading::soft, n);
      double held = static_cast<double>(n) * (one - 10) / 90;  // k digits known, the others guessed one in ten
      std::string key = std::to_string(n);
      std::printf("%6td %12s %6s %16s %14s\n", n, tutorial::number("one" + key, one, 1, 10).c_str(),
                  tutorial::number("held" + key, held, 1, 2).c_str(),
                  tutorial::number("soft" + key, soft, 1, 3).c_str(),
                  tutorial::number("hard" + key, percent_right(attentive, Reading::hard, n), 1, 15).c_str());
      chart.series[0].x.push_back(static_cast<double>(n)), chart.series[0].y.push_back(one);
      chart.series[1].x.push_back(static_cast<double>(n)), chart.series[1].y.push_back(soft);
    }
  }
  no_slope();
  tutorial::figure("lengths", line_chart(chart));
  tutorial::figure("alignment", alignment(attentive));
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }
