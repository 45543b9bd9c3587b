#include "models/image/classifier.hpp"

#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {
ExampleSet without_items(const ExampleSet& set) {
  ExampleSet bare = set;
  bare.items.clear();
  check(set.height > 0 && set.columns > 0 && set.width > 0 && set.answer == Answer::whole, "image",
        "expected images of one size with one class each");
  return bare;
}
Size patches(Size pixels, Size patch) { return (pixels + patch - 1) / patch; }
}  // namespace

Tensor cut_patches(const ExampleSet& set, const Tensor& pixels, Size patch) {
  Size batch = pixels.size(0), rows = patches(set.height, patch), columns = patches(set.columns, patch);
  Tensor image = pixels.reshape({batch, set.height, set.columns, set.width});
  if (rows * patch != set.height || columns * patch != set.columns) {
    Tensor larger({batch, rows * patch, columns * patch, set.width}, 0);
    Tensor row({batch, set.height, columns * patch, set.width}, 0);
    paste(row, 2, 0, image);
    paste(larger, 1, 0, row);
    image = larger;
  }
  return image.reshape({batch, rows, patch, columns, patch, set.width})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({batch, rows * columns, set.width * patch * patch});
}

ConvClassifier::ConvClassifier(const ExampleSet& set, const Settings& s, Rng& rng)
    : shape(without_items(set)),
      early(s.word("model") != "cnn"),
      first(sub("first", Conv2d(set.width, s.size("channels"), 3, rng, {.padding = 1}))),
      second(sub("second", Conv2d(s.size("channels"), s.size("channels"), 3, rng, {.padding = 1}))),
      third(
          sub("third", Conv2d(s.size("channels"), s.size("channels"), early ? 1 : 3, rng, {.padding = early ? 0 : 1}))),
      out(sub("out", Linear(s.size("channels"), static_cast<Size>(set.classes.size()), rng))) {
  if (s.word("model") == "sagan") attention.push_back(sub("attention", SaganBlock(s.size("channels"), rng)));
}

Var ConvClassifier::operator()(const ExampleBatch& batch) const {
  Var x = batch.features.reshape({batch.size, shape.height, shape.columns, shape.width}).permute({0, 3, 1, 2});
  x = relu(first(x));
  if (early) x = max_pool(x);
  x = max_pool(relu(second(x)));
  for (const SaganBlock& block : attention) x = block(x);
  return out(mean(relu(third(x)), {2, 3}));
}

PatchClassifier::PatchClassifier(const ExampleSet& set, const Settings& s, Rng& rng)
    : shape(without_items(set)),
      patch(s.size("patch")),
      vectors(sub("vectors", Linear(set.width * patch * patch, s.size("dim"), rng))),
      context(sub("context", ContextEncoder(s, rng, false, s.word("pool") == "token"))),
      head(sub("head", ClassHead(set, s, rng))) {}

Var PatchClassifier::operator()(const ExampleBatch& batch) const {
  return head(context(vectors(cut_patches(shape, batch.features, patch)), {}), {});
}

}  // namespace HEED_NAMESPACE
