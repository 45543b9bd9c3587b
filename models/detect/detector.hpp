// detector.hpp — where things are in images, all at once: DETR.
#pragma once

#include "models/classify/classifier.hpp"
#include "nn/decoder.hpp"

namespace HEED_NAMESPACE {

/// What the queries say: scores of kinds and of "nothing", (B, Q, C + 1), and boxes (B, Q, 4) as centre x, centre y,
/// width and height, as shares of the image.
struct Detections {
  Var kinds, boxes;
};

/// Patches, an encoder with positions; learned queries in a decoder that is not causal; two heads. Each image's targets
/// are matched with queries at the least cost -p(kind) + 5 |box - target|₁ - 2 GIoU; loss: cross entropy over all
/// queries, "nothing" weighing `nothing`, + 5 |…|₁ + 2 (1 - GIoU) over the matched, a target of the batch. Carion et
/// al. 2020, arXiv 2005.12872.
struct Detector : Module {
  ExampleSet shape;  // the set without items
  Size patch, queries, kinds;
  double nothing;
  Linear vectors;
  ContextEncoder encoder;
  Var query;  // (queries, dim)
  Decoder decoder;
  Linear kind;
  Mlp box;
  Detector(const ExampleSet& set, const Settings& s, Rng& rng);
  Detections look(const ExampleBatch& batch) const;
  BatchLoss loss(const ExampleBatch& batch, const TrainOptions& options) const;
  /// Boxes as the task's targets spell them, five ids each, rounded to whole pixels.
  Answers predict(const ExampleBatch& batch) const;
  /// F1 of boxes of the right kind with IoU of at least one half, each target found once.
  Evaluation evaluate(const ExampleSet& set) const;
};

Settings detect_settings();

}  // namespace HEED_NAMESPACE
