#include "models/detect/detector.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "models/data/tasks.hpp"
#include "models/detect/matching.hpp"
#include "models/image/classifier.hpp"
#include "models/run/score.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
constexpr int first_kind = 3;  // of the ids that spell boxes, after padding, start and end
constexpr Size places_of(const ExampleSet& set) { return std::max(set.height, set.columns) + 1; }

std::vector<Box> boxes_of(const ExampleBatch& batch, Size item) {
  const int* row = batch.targets.data() + item * batch.target_length;
  return read_boxes({row, std::find(row, row + batch.target_length, 0)});
}

std::array<double, 4> centred(const Box& box, const ExampleSet& set) {
  double width = static_cast<double>(set.columns), height = static_cast<double>(set.height);
  return {(box.left + box.width / 2.0) / width, (box.top + box.height / 2.0) / height, box.width / width,
          box.height / height};
}

Tensor as_tensor(const std::vector<std::array<double, 4>>& boxes) {
  Tensor all({static_cast<Size>(boxes.size()), 4}, 0);
  real* to = all.mut();
  for (const auto& box : boxes) to = std::transform(box.begin(), box.end(), to, [](double x) { return real(x); });
  return all;
}

double iou(const Box& a, const Box& b) {
  auto shared = [](int a_low, int a_size, int b_low, int b_size) {
    return std::max(0, std::min(a_low + a_size, b_low + b_size) - std::max(a_low, b_low));
  };
  double both = shared(a.left, a.width, b.left, b.width) * shared(a.top, a.height, b.top, b.height);
  double either = a.width * a.height + b.width * b.height - both;
  return either > 0 ? both / either : 0;
}
}  // namespace

Detector::Detector(const ExampleSet& set, const Settings& s, Rng& rng)
    : shape(set),
      patch(s.size("patch")),
      queries(s.size("queries")),
      kinds(static_cast<Size>(set.classes.size()) - first_kind - places_of(set)),
      nothing(s.number("nothing")),
      vectors(sub("vectors", Linear(set.width * patch * patch, s.size("dim"), rng))),
      encoder(sub("encoder", ContextEncoder(s, rng))),
      query(param("query", rng.normal({queries, s.size("dim")}, 1), false)),
      decoder(sub("decoder", Decoder(s.size("dim"), rng,
                                     {.layers = s.size("layers"),
                                      .heads = s.size("heads"),
                                      .hidden = s.size("hidden"),
                                      .dropout = s.number("dropout"),
                                      .causal = false}))),
      kind(sub("kind", Linear(s.size("dim"), kinds + 1, rng))),
      box(sub("box", Mlp({s.size("dim"), s.size("dim"), s.size("dim"), 4}, rng))) {
  check(set.answer == Answer::sequence && set.height > 0 && kinds > 0, "detect",
        "expected images of one size with boxes as answers");
  shape.items.clear();
}

Detections Detector::look(const ExampleBatch& batch) const {
  Var memory = encoder(vectors(cut_patches(shape, batch.features, patch)), {});
  Var x = decoder(expand(query, {batch.size, queries, query.size(1)}), memory);
  return {kind(x), sigmoid(box(x))};
}

BatchLoss Detector::loss(const ExampleBatch& batch, const TrainOptions&) const {
  Detections found = look(batch);
  Tensor shares = softmax(found.kinds.detach()).value(), boxes = found.boxes.value();
  // Which queries are matched, as rows of (B Q), and with what; matching has no gradient.
  std::vector<int> matched, kind_of(static_cast<std::size_t>(batch.size * queries), static_cast<int>(kinds));
  std::vector<std::array<double, 4>> wanted;
  for (Size b = 0; b < batch.size; b++) {
    std::vector<Box> targets = boxes_of(batch, b);
    if (targets.empty()) continue;
    std::vector<std::vector<double>> cost;
    for (const Box& target : targets) {
      std::array<double, 4> place = centred(target, shape);
      Eval eval;
      Tensor own = boxes.slice(0, b, b + 1).reshape({queries, 4});
      Tensor overlap = generalised_iou(own, Tensor(as_tensor({place}).expand({queries, 4}))).value();
      cost.emplace_back();
      for (Size q = 0; q < queries; q++) {
        double distance = 0;
        for (Size i = 0; i < 4; i++)
          distance += std::abs(static_cast<double>(own.at({q, i})) - place[static_cast<std::size_t>(i)]);
        cost.back().push_back(5 * distance - static_cast<double>(shares.at({b, q, target.kind})) -
                              2 * static_cast<double>(overlap.at({q})));
      }
    }
    std::vector<int> columns = hungarian(cost);
    for (std::size_t t = 0; t < targets.size(); t++) {
      int row = static_cast<int>(b * queries) + columns[t];
      matched.push_back(row);
      kind_of[static_cast<std::size_t>(row)] = targets[t].kind;
      wanted.push_back(centred(targets[t], shape));
    }
  }
  // Weighted mean of cross entropies: Σ w nll / Σ w, one mean a weight.
  std::vector<int> something = kind_of, none = kind_of;
  for (std::size_t i = 0; i < kind_of.size(); i++)
    (kind_of[i] == static_cast<int>(kinds) ? something[i] : none[i]) = -1;
  auto count = static_cast<double>(matched.size()), rest = static_cast<double>(kind_of.size()) - count;
  double total = count + nothing * rest;
  Var loss = cross_entropy(found.kinds, something) * static_cast<real>(count / total) +
             cross_entropy(found.kinds, none) * static_cast<real>(nothing * rest / total);
  if (matched.empty()) return {loss, {}, batch.padding.count()};
  auto n = static_cast<Size>(matched.size());
  Var chosen = embedding(reshape(found.boxes, {batch.size * queries, 4}), matched, {n}), target = as_tensor(wanted);
  Var off = chosen - target, distance = relu(off) + relu(-off);
  Var places = sum(distance) * real(5) + sum(real(1) - generalised_iou(chosen, target)) * real(2);
  return {loss + places / static_cast<real>(count), {}, batch.padding.count()};
}

Answers Detector::predict(const ExampleBatch& batch) const {
  Eval eval;
  Detections found = look(batch);
  std::vector<int> best;
  max(found.kinds.value(), -1, &best);
  Tensor boxes = found.boxes.value();
  Answers answers(static_cast<std::size_t>(batch.size));
  for (std::size_t row = 0; row < best.size(); row++) {
    if (best[row] == static_cast<int>(kinds)) continue;
    Size b = static_cast<Size>(row) / queries, q = static_cast<Size>(row) % queries;
    auto share = [&](Size i) { return static_cast<double>(boxes.at({b, q, i})); };
    std::vector<int>& ids = answers[static_cast<std::size_t>(b)];
    ids.push_back(first_kind + best[row]);
    std::array<int, 4> numbers;  // left, top, width, height
    for (Size axis = 0; axis < 2; axis++) {
      double side = static_cast<double>(axis ? shape.height : shape.columns);
      auto low = static_cast<int>(std::lround((share(axis) - share(axis + 2) / 2) * side));
      auto high = static_cast<int>(std::lround((share(axis) + share(axis + 2) / 2) * side));
      low = std::clamp(low, 0, static_cast<int>(side));
      numbers[static_cast<std::size_t>(axis)] = low;
      numbers[static_cast<std::size_t>(axis) + 2] = std::clamp(high, low, static_cast<int>(side)) - low;
    }
    for (int number : numbers) ids.push_back(first_kind + static_cast<int>(kinds) + number);
  }
  return answers;
}

Evaluation Detector::evaluate(const ExampleSet& set) const {
  ClassCount count;
  auto tokens = static_cast<std::size_t>(set.height * set.columns * 16);
  Answers answers = heed::predict(ExampleModel(*this), set, tokens);
  for (std::size_t i = 0; i < answers.size(); i++) {
    std::vector<Box> targets = read_boxes(set.items[i].targets), found = read_boxes(answers[i]);
    count.gold += targets.size();
    count.predicted += found.size();
    for (const Box& one : found) {
      auto hit = std::find_if(targets.begin(), targets.end(),
                              [&](const Box& t) { return t.kind == one.kind && iou(t, one) >= 0.5; });
      if (hit == targets.end()) continue;
      count.right++;
      targets.erase(hit);
    }
  }
  std::ostringstream text;
  text << "precision " << count.precision() << ", recall " << count.recall() << ", F1 " << count.f1() << ", "
       << count.gold << " boxes\n";
  return {{{"dev F1", 100 * count.f1()}}, false, text.str()};
}

Settings detect_settings() {
  Settings settings = Settings{whole("patch", 2, 1, 64, "pixels a side of a patch"),
                               whole("queries", 5, 1, 1000, "boxes that can be found in an image"),
                               share("nothing", 0.2, "weight of queries that find nothing")}
                          .with(encoder_settings());
  for (auto [name, value] : {std::pair("dim", "48"), {"hidden", "96"}, {"dropout", "0"}}) settings.set(name, value);
  return settings;
}

}  // namespace HEED_NAMESPACE
