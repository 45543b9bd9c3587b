// classifier.hpp — classes of images: by convolutions, with or without attention between them, or by patches in an
// encoder with any mixer.
#pragma once

#include "models/classify/classifier.hpp"
#include "nn/attention/sagan.hpp"
#include "nn/conv.hpp"

namespace HEED_NAMESPACE {

/// Square patches row by row, each flattened as (channel, row, column): features (B, H W, C) of a set of images ->
/// (B, n, C patch²). Zeros stand beyond the right and the lower edge.
Tensor cut_patches(const ExampleSet& set, const Tensor& pixels, Size patch);

/// Three convolutions with ReLU, the mean over all places, classes. As `cnn` all are 3 x 3, with the maxima of 2 x 2
/// after the second. As `sagan` there are maxima after the first and the second, then a SaganBlock, and the last is 1 x
/// 1; `local` is that without the block. Without it nothing knows of pixels more than ten away.
struct ConvClassifier : Module {
  ExampleSet shape;  // the set without items
  bool early;        // maxima after the first, too
  Conv2d first, second, third;
  std::vector<SaganBlock> attention;  // one or none
  Linear out;
  ConvClassifier(const ExampleSet& set, const Settings& s, Rng& rng);
  Var operator()(const ExampleBatch& batch) const;
};

/// Patches, projected; an encoder; classes. With attention, a token in front and learned positions it is ViT
/// (Dosovitskiy et al. 2020, arXiv 2010.11929).
struct PatchClassifier : Module {
  ExampleSet shape;
  Size patch;
  Linear vectors;
  ContextEncoder context;
  ClassHead head;
  PatchClassifier(const ExampleSet& set, const Settings& s, Rng& rng);
  Var operator()(const ExampleBatch& batch) const;
};

}  // namespace HEED_NAMESPACE
