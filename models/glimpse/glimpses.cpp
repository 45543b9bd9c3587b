#include "models/glimpse/glimpses.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

Tensor retina(const Tensor& images, const Tensor& places, Size size, Size scales, Size factor) {
  Size batch = images.size(0), height = images.size(1), width = images.size(2), channels = images.size(3);
  Tensor whole = images.compact(), at = places.compact(), seen({batch, scales, size, size, channels}, 0);
  real* to = seen.mut();
  auto centre = [](real place, Size side) {
    return static_cast<Size>(std::floor((static_cast<double>(place) + 1) / 2 * static_cast<double>(side)));
  };
  for (Size b = 0; b < batch; b++)
    for (Size scale = 0, step = 1; scale < scales; scale++, step *= factor) {
      Size left = centre(at.data()[2 * b], width) - size * step / 2;
      Size top = centre(at.data()[2 * b + 1], height) - size * step / 2;
      for (Size i = 0; i < size * step; i++)
        for (Size j = 0; j < size * step; j++) {
          Size row = top + i, column = left + j;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          const real* from = whole.data() + ((b * height + row) * width + column) * channels;
          real* cell = to + (((b * scales + scale) * size + i / step) * size + j / step) * channels;
          for (Size c = 0; c < channels; c++) cell[c] += from[c] / static_cast<real>(step * step);
        }
    }
  return seen.reshape({batch, scales * size * size * channels});
}

GlimpseModel::GlimpseModel(const ExampleSet& set, const Settings& s, Rng& generator)
    : shape(set),
      glimpses(s.size("glimpses")),
      size(s.size("size")),
      scales(s.size("scales")),
      factor(s.size("factor")),
      deviation(s.number("deviation")),
      fixed(s.word("model") == "centre"),
      rng(&generator),
      what(sub("what", Linear(scales * size * size * set.width, s.size("dim"), generator))),
      where(sub("where", Linear(2, s.size("dim"), generator))),
      both(sub("both", Linear(2 * s.size("dim"), s.size("dim"), generator))),
      input(sub("input", Linear(s.size("dim"), s.size("dim"), generator))),
      memory(sub("memory", Linear(s.size("dim"), s.size("dim"), generator, {.bias = false}))),
      place(sub("place", Linear(s.size("dim"), 2, generator))),
      baseline(sub("baseline", Linear(s.size("dim"), 1, generator))),
      out(sub("out", Linear(s.size("dim"), static_cast<Size>(set.classes.size()), generator))) {
  check(set.height > 0 && set.columns > 0 && set.answer == Answer::whole, "glimpse",
        "expected images of one size with one class each");
  shape.items.clear();
}

GlimpseModel::Walk GlimpseModel::walk(const ExampleBatch& batch) const {
  Tensor images = batch.features.reshape({batch.size, shape.height, shape.columns, shape.width});
  bool still = Eval::on() || fixed;
  Tensor at = still ? Tensor({batch.size, 2}, 0) : rng->uniform({batch.size, 2}, 1);
  Walk walk;
  Var h;
  for (Size t = 0; t < glimpses; t++) {
    Var seen = relu(what(retina(images, at, size, scales, factor)));
    Var g = relu(both(concat({seen, relu(where(at))}, -1)));
    h = relu(h.defined() ? input(g) + memory(h) : input(g));
    if (t + 1 == glimpses || fixed) continue;
    // The state is not changed to make good places likely, nor to make the reward easy to guess.
    Var mean = tanh(place(h.detach()));
    at = mean.value();
    if (!still) {
      Tensor drawn = map([](real m, real noise) { return m + noise; }, at, rng->normal({batch.size, 2}, deviation));
      walk.means.push_back(mean);
      walk.places.push_back(drawn);
      walk.baselines.push_back(reshape(baseline(h.detach()), {batch.size}));
      at = map([](real x) { return std::clamp(x, real(-1), real(1)); }, drawn);
    }
  }
  walk.scores = out(h);
  return walk;
}

BatchLoss GlimpseModel::loss(const ExampleBatch& batch, const TrainOptions& options) const {
  Walk walked = walk(batch);
  BatchLoss loss = class_loss(walked.scores, batch, options);
  if (walked.means.empty()) return loss;
  Answers best = best_classes(walked.scores.value(), batch);
  Tensor reward({batch.size}, 0);
  for (std::size_t i = 0; i < best.size(); i++) reward.mut()[i] = best[i][0] == batch.targets[i];
  Var policy = Tensor::scalar(0), guess = Tensor::scalar(0);
  for (std::size_t t = 0; t < walked.means.size(); t++) {
    Var distance = walked.means[t] - walked.places[t];
    Var log_density = sum(distance * distance, {-1}) * static_cast<real>(-0.5 / (deviation * deviation));
    policy = policy - mean(log_density * (Var(reward) - walked.baselines[t].detach()));
    guess = guess + mse(walked.baselines[t], reward);
  }
  loss.others = {policy, guess};
  return loss;
}

Answers GlimpseModel::predict(const ExampleBatch& batch) const {
  Eval eval;
  return best_classes(walk(batch).scores.value(), batch);
}

}  // namespace HEED_NAMESPACE
