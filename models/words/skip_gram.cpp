#include "models/words/skip_gram.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "models/run/batches.hpp"
#include "models/run/score.hpp"

namespace HEED_NAMESPACE {

SkipGram::SkipGram(const ExampleSet& set, const Settings& s, Rng& generator)
    : dim(s.size("dim")), window(s.size("window")), negatives(s.size("negatives")), rng(&generator) {
  check(set.symbols > 1, "words", "expected sentences of symbols");
  v = param("v", generator.uniform({set.symbols, dim}, 0.5 / static_cast<double>(dim)), false);
  u = param("u", Tensor({set.symbols, dim}, 0), false);
  cumulative.assign(static_cast<std::size_t>(set.symbols), 0);
  for (const Example& item : set.items)
    for (int symbol : item.symbols) cumulative[static_cast<std::size_t>(symbol)]++;
  double sum = 0;
  for (double& c : cumulative) c = sum += std::pow(c, 0.75);
}

int SkipGram::draw_word() const {
  double at = rng->uniform() * cumulative.back();
  auto it = std::upper_bound(cumulative.begin(), cumulative.end(), at);
  return static_cast<int>(std::min(it, cumulative.end() - 1) - cumulative.begin());
}

BatchLoss SkipGram::loss(const ExampleBatch& batch, const TrainOptions&) const {
  std::vector<int> centres, others;  // P, and P (1 + negatives): the neighbour, then what is none
  for (Size b = 0; b < batch.size; b++)
    for (Size i = 0; i < batch.length; i++)
      for (Size j = std::max<Size>(0, i - window); j <= std::min(batch.length - 1, i + window); j++) {
        int centre = batch.symbols[static_cast<std::size_t>(b * batch.length + i)];
        int other = batch.symbols[static_cast<std::size_t>(b * batch.length + j)];
        if (i == j || centre == 0 || other == 0) continue;
        centres.push_back(centre);
        others.push_back(other);
        for (Size k = 0; k < negatives; k++) others.push_back(draw_word());
      }
  auto pairs = static_cast<Size>(centres.size());
  if (pairs == 0) return {Tensor::scalar(0), {}, batch.padding.count()};
  Var centre = embedding(v, centres, {pairs, 1}), other = embedding(u, others, {pairs, 1 + negatives});
  Tensor sign({1, 1 + negatives}, 1);
  sign.mut()[0] = -1;
  Var each = sum(softplus(sum(centre * other, {-1}) * sign), {-1});
  return {mean(each), {}, batch.padding.count()};
}

std::vector<int> symbol_classes(const ExampleSet& set) {
  std::vector<int> classes(static_cast<std::size_t>(set.symbols), -2);  // -2: not seen
  for (const Example& item : set.items)
    for (std::size_t i = 0; i < item.symbols.size() && i < item.targets.size(); i++) {
      int& known = classes[static_cast<std::size_t>(item.symbols[i])];
      known = known == -2 || known == item.targets[i] ? item.targets[i] : -1;
    }
  for (int& c : classes) c = std::max(c, -1);
  return classes;
}

namespace {
double cosine(const Tensor& table, int a, int b) {
  Size dim = table.size(1);
  const real *x = table.data() + a * dim, *y = table.data() + b * dim;
  double xy = 0, xx = 0, yy = 0;
  for (Size i = 0; i < dim; i++) {
    auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
    xy += p * q, xx += p * p, yy += q * q;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// (b - a) / max(a, b), a the mean distance to the own class, b the least to another.
double silhouette(const Tensor& table, const std::vector<int>& classes, int word) {
  std::map<int, std::pair<double, int>> sums;
  for (int other = 0; other < static_cast<int>(classes.size()); other++) {
    int c = classes[static_cast<std::size_t>(other)];
    if (c < 0 || other == word) continue;
    sums[c].first += 1 - cosine(table, word, other);
    sums[c].second++;
  }
  double own = 0, next = 2;
  for (const auto& [c, sum] : sums) {
    double distance = sum.first / sum.second;
    if (c == classes[static_cast<std::size_t>(word)])
      own = distance;
    else
      next = std::min(next, distance);
  }
  return (next - own) / std::max({own, next, 1e-12});
}
}  // namespace

std::vector<std::pair<int, double>> SkipGram::neighbours(int symbol, std::size_t count) const {
  std::vector<std::pair<int, double>> all;
  for (int other = 1; other < static_cast<int>(v.size(0)); other++)
    if (other != symbol) all.emplace_back(other, cosine(v.value(), symbol, other));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min(all.size(), count));
  return all;
}

Evaluation SkipGram::evaluate(const ExampleSet& set) const {
  std::vector<int> classes = symbol_classes(set);
  Score score;
  double total = 0;
  for (int word = 0; word < static_cast<int>(classes.size()); word++) {
    int own = classes[static_cast<std::size_t>(word)];
    if (own < 0) continue;
    total += silhouette(v.value(), classes, word);
    for (auto [other, unused] : neighbours(word, classes.size())) {
      int c = classes[static_cast<std::size_t>(other)];
      if (c < 0) continue;
      score.add(c == own);
      break;
    }
  }
  std::ostringstream text;
  if (score.all == 0) {
    std::vector<std::size_t> all(set.items.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    auto value = static_cast<double>(loss(make_batch(set, all), {}).main.item());
    text << "loss  " << value << '\n';
    return {{{"dev loss", value, ""}}, true, text.str()};
  }
  total /= static_cast<double>(score.all);
  print(text, "neighbours", score);
  text << "silhouette        " << total << '\n';
  return {{{"neighbours", score.percent()}, {"silhouette", total, ""}}, false, text.str()};
}

std::vector<double> principal_plane(const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> rest = rows;
  std::size_t n = rows.size(), d = n ? rows[0].size() : 0;
  for (std::size_t k = 0; k < d; k++) {
    double mean = 0;
    for (const auto& row : rest) mean += row[k] / static_cast<double>(n);
    for (auto& row : rest) row[k] -= mean;
  }
  std::vector<double> places(2 * n, 0);
  for (std::size_t axis = 0; axis < 2; axis++) {
    std::vector<double> direction(d);
    for (std::size_t k = 0; k < d; k++) direction[k] = 1.0 / static_cast<double>(k + 1);
    for (int round = 0; round < 200; round++) {  // power iteration
      std::vector<double> next(d, 0);
      double length = 0;
      for (const auto& row : rest) {
        double along = 0;
        for (std::size_t k = 0; k < d; k++) along += row[k] * direction[k];
        for (std::size_t k = 0; k < d; k++) next[k] += along * row[k];
      }
      for (double x : next) length += x * x;
      if (length == 0) break;
      for (std::size_t k = 0; k < d; k++) direction[k] = next[k] / std::sqrt(length);
    }
    for (std::size_t i = 0; i < n; i++) {
      double along = 0;
      for (std::size_t k = 0; k < d; k++) along += rest[i][k] * direction[k];
      places[2 * i + axis] = along;
      for (std::size_t k = 0; k < d; k++) rest[i][k] -= along * direction[k];
    }
  }
  return places;
}

}  // namespace HEED_NAMESPACE
