// What attention cannot see without positions, and five ways to put them back.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "heed.hpp"
#include "models/plot/charts.hpp"
#include "models/pos/tagger.hpp"
#include "tutorials/train.hpp"
#include "tutorials/tutorial.hpp"

using namespace heed;

namespace {

constexpr Size digits = 10;

// Rows of digits, and what is asked of each position; -1 where nothing is.
struct Puzzle {
  Size rows, length;
  std::vector<int> asked, answer;
  int& at(std::vector<int>& of, Size row, Size i) const { return of[static_cast<std::size_t>(row * length + i)]; }
};

// [tasks]
// Position i wants the digit at the mirrored place; or the one `shift` places to its left.
Puzzle draw(Size rows, Size length, Size shift, Rng& rng) {
  Puzzle p{rows, length, std::vector<int>(static_cast<std::size_t>(rows * length)), {}};
  for (int& digit : p.asked) digit = static_cast<int>(rng.below(digits));
  p.answer.assign(p.asked.size(), -1);
  for (Size r = 0; r < rows; r++)
    for (Size i = 0; i < length; i++) {
      Size from = shift ? i - shift : length - 1 - i;
      if (from >= 0) p.at(p.answer, r, i) = p.at(p.asked, r, from);
    }
  return p;
}
// [/tasks]

enum class Places { none, sinusoidal, learned, relative, rotary };

// [model]
struct Reader : Module {
  Places places;
  Embedding table;
  std::optional<LearnedPositions> learned;
  MultiHeadAttention look;
  Linear hidden, out;
  Reader(Places kind, Rng& rng, Size dim = 64)
      : places(kind),
        table(sub("table", Embedding(digits, dim, rng))),
        look(sub("look", MultiHeadAttention(dim, 4, rng, {.positions = inside(kind)}))),
        hidden(sub("hidden", Linear(dim, 128, rng))),
        out(sub("out", Linear(128, digits, rng))) {
    if (kind == Places::learned) learned = sub("learned", LearnedPositions(48, dim, rng));
  }
  Var operator()(const Puzzle& p) const {
    Var x = table(p.asked, {p.rows, p.length}) * real(8);            // (B, N, 64)
    if (places == Places::sinusoidal) x = SinusoidalPositions()(x);  // x + e
    if (learned) x = (*learned)(x);                                  // x + a row of a table for each place
    return out(relu(hidden(look(x))));
  }
  static PositionKind inside(Places kind) {  // what the attention itself is told
    return kind == Places::relative ? PositionKind::relative
           : kind == Places::rotary ? PositionKind::rotary
                                    : PositionKind::none;
  }
};
// [/model]

double percent_right(const Reader& reader, Size length, Size shift) {
  Eval eval;
  Rng rng(3);
  Puzzle p = draw(500, length, shift, rng);
  std::vector<real> scores = reader(p).value().to_vector();
  double right = 0, all = 0;
  for (std::size_t i = 0; i < p.answer.size(); i++) {
    if (p.answer[i] < 0) continue;
    auto row = scores.begin() + static_cast<Size>(i) * digits;
    right += std::max_element(row, row + digits) - row == p.answer[i];
    all++;
  }
  return 100 * right / all;
}

Reader trained(Places places, Size shift, Size steps) {
  Rng rng(1), data(2);
  Reader reader(places, rng);
  tutorial::fit(reader.parameters(), {.steps = steps}, [&](Size) {
    Puzzle p = draw(32, 12, shift, data);
    return cross_entropy(reader(p), p.answer);
  });
  return reader;
}

// [ceiling]
// Without order, a position knows its own digit and how often each digit is among the 11 others. Its mirror is any of
// those, so the best guess is the most frequent one. Mean over many draws, in percent.
double best_guess(Rng& rng) {
  double right = 0;
  int draws = 200000;
  for (int n = 0; n < draws; n++) {
    std::vector<int> count(digits);
    for (int other = 0; other < 11; other++) count[static_cast<std::size_t>(rng.below(digits))]++;
    right += *std::max_element(count.begin(), count.end()) / 11.0;
  }
  return 100 * right / draws;
}
// [/ceiling]

void rotation() {
  // [rotation]
  Size dim = 32, step = 7;
  Tensor e = sinusoidal_positions(100, dim);
  double worst = 0;
  for (Size i = 0; i + step < 100; i++)
    for (Size c = 0; c < dim; c += 2) {
      double angle = static_cast<double>(step) / std::pow(10000, static_cast<double>(c) / static_cast<double>(dim));
      double s = static_cast<double>(e.at({i, c})), t = static_cast<double>(e.at({i, c + 1}));  // sine and cosine
      worst = std::max(
          {worst, std::abs(std::cos(angle) * s + std::sin(angle) * t - static_cast<double>(e.at({i + step, c}))),
           std::abs(std::cos(angle) * t - std::sin(angle) * s - static_cast<double>(e.at({i + step, c + 1})))});
    }
  // [/rotation]
  tutorial::Block block("rotation");
  std::printf("seven places on: the same turn for every i, to %s\n",
              tutorial::at_most("turned", worst, 1e-5, 5).c_str());
}

void gradient_of_table() {
  Rng rng(1);
  LearnedPositions places(6, 8, rng);
  Tensor x = rng.normal({3, 4, 8}, 1), g = rng.normal({3, 4, 8}, 1);
  // [table]
  sum(places(x) * g).backward();              // x (3, 4, 8): the gradient by x + P is g
  Tensor by_hand = sum(Var(g), {0}).value();  // (4, 8): added over the batch
  // [/table]
  double worst = 0;
  for (Size i = 0; i < 6; i++)
    for (Size c = 0; c < 8; c++)
      worst = std::max(worst, std::abs(static_cast<double>(places.table.grad().at({i, c})) -
                                       (i < 4 ? static_cast<double>(by_hand.at({i, c})) : 0.0)));
  tutorial::Block block("table");
  std::printf("rows 0 to 3 got the sums, rows 4 and 5 nothing, to %s\n",
              tutorial::at_most("summed", worst, 1e-5, 5).c_str());
}

void taggers() {
  tutorial::Corpus corpus;
  tutorial::Block block("taggers");
  std::printf("%-20s   all  phrases  lists\n", "");
  for (Rung rung : {Rung::attention, Rung::positions}) {
    Rng rng(1);
    Tagger tagger(corpus.lexicon,
                  {.rung = rung, .dim = 64, .hidden = 128, .dropout = 0, .attention_dropout = 0, .word_dropout = 0},
                  rng);
    tutorial::TagModel scores = [&](const Batch& b) { return tagger(b).tags; };
    tutorial::train(scores, tagger.parameters(), corpus);
    tutorial::Accuracy a = tutorial::accuracy(scores, corpus);
    std::string key = rung == Rung::attention ? "set" : "placed";
    std::printf("%-20s %5s  %7s  %5s\n", rung == Rung::attention ? "without positions" : "sinusoidal",
                tutorial::number(key + "-all", a.all, 1, 0.8).c_str(),
                tutorial::number(key + "-phrases", a.phrases, 1, key == "set" ? 8 : 2).c_str(),
                tutorial::number(key + "-lists", a.lists, 1, 1).c_str());
  }
}

void pictures() {
  Tensor e = sinusoidal_positions(24, 32);
  HeatMap map{
      .title = "Sinusoidal positions: each row is one eⁱ", .row_title = "position i", .column_title = "component"};
  for (Size c = 0; c < 32; c++) map.columns.push_back(std::to_string(c));
  for (Size i = 0; i < 24; i++) {
    map.rows.push_back(std::to_string(i));
    map.values.emplace_back();
    for (Size c = 0; c < 32; c++) map.values.back().push_back(static_cast<double>(e.at({i, c})));
  }
  tutorial::figure("positions", heat_map(map));

  Tensor wide = sinusoidal_positions(101, 64);
  LineChart chart{.title = "eⁱ · eʲ depends on the distance alone",
                  .x = {.title = "distance j - i"},
                  .y = {.title = "dot product"}};
  for (Size i : {20, 50, 80}) {
    Series series{.name = std::string("i = ").append(std::to_string(i)), .x = {}, .y = {}};
    for (Size j = i - 20; j <= i + 20; j++) {
      double product = 0;
      for (Size c = 0; c < 64; c++) product += static_cast<double>(wide.at({i, c}) * wide.at({j, c}));
      series.x.push_back(static_cast<double>(j - i)), series.y.push_back(product);
    }
    chart.series.push_back(series);
  }
  tutorial::figure("distances", line_chart(chart));
}

void run() {
  Rng rng(1);
  struct Row {
    const char *name, *key;
    Places places;
  };
  Row rows[] = {{"none", "none", Places::none},
                {"sinusoidal", "sine", Places::sinusoidal},
                {"learned", "learned", Places::learned},
                {"relative", "relative", Places::relative},
                {"rotary", "rotary", Places::rotary}};
  {
    tutorial::Block block("digits");
    std::printf("%-12s reversed  3 to the left  the same, 24 digits\n", "positions");
    for (const Row& row : rows) {
      Reader mirror = trained(row.places, 0, 500), left = trained(row.places, 3, 500);
      std::string key = row.key;
      std::printf("%-12s %6s %12s %14s\n", row.name,
                  tutorial::number(key + "-reversed", percent_right(mirror, 12, 0), 1, 5).c_str(),
                  tutorial::number(key + "-left", percent_right(left, 12, 3), 1, 5).c_str(),
                  tutorial::number(key + "-longer", percent_right(left, 24, 3), 1, 20).c_str());
    }
    std::printf("best guess   %6s\n", tutorial::number("ceiling", best_guess(rng), 1, 0).c_str());
  }
  // [half]
  double half = 100 * (9 + 12 / 10.0) / 21;  // right at places 3 to 11, guessed at places 12 to 23
  // [/half]
  tutorial::number("half", half, 1);
  rotation();
  gradient_of_table();
  taggers();
  pictures();
}

}  // namespace

int main(int count, char** words) { return tutorial::chapter(count, words, run); }
