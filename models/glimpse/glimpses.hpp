// glimpses.hpp — classes of images from a few small looks, each where the last ones say: hard attention, learned by
// REINFORCE.
#pragma once

#include "models/run/example_model.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// What an eye sees of images (B, H, W, C) at places (x, y) in [-1, 1]²: `scales` squares of size · factor^i pixels
/// around pixel ⌊(place + 1) / 2 · side⌋, zeros beyond the edges, each averaged down to size x size -> (B, scales size²
/// C). No gradient. O(B scales (size factor^(scales - 1))² C), whatever the size of the image.
Tensor retina(const Tensor& images, const Tensor& places, Size size, Size scales, Size factor);

/// g_t = relu(W [relu(retina W1); relu(place W2)]), h_t = relu(g_t W + h_{t-1} U); the next place is drawn from
/// N(tanh(h_t W_l), σ²) and clipped, in evaluation its mean is taken; the class comes from the last h. Loss: cross
/// entropy; then, with a reward R of 1 for the right class and a learned baseline b, -Σ_t log N(place_t) (R - b_t), and
/// (R - b_t)². The first place is drawn uniformly, in evaluation it is the centre. Mnih, Heess, Graves, Kavukcuoglu
/// 2014, arXiv 1406.6247.
struct GlimpseModel : Module {
  ExampleSet shape;  // the set without items
  Size glimpses, size, scales, factor;
  double deviation;
  bool fixed;  // all glimpses at the centre, to compare
  Rng* rng;
  Linear what, where, both, input, memory, place, baseline, out;
  GlimpseModel(const ExampleSet& set, const Settings& s, Rng& generator);
  BatchLoss loss(const ExampleBatch& batch, const TrainOptions& options) const;
  Answers predict(const ExampleBatch& batch) const;

 private:
  // What a walk over the images leaves.
  struct Walk {
    Var scores;                  // (B, classes)
    std::vector<Var> means;      // of the places that were drawn, (B, 2) each
    std::vector<Tensor> places;  // as drawn, before clipping
    std::vector<Var> baselines;  // (B) each
  };
  Walk walk(const ExampleBatch& batch) const;
};

}  // namespace HEED_NAMESPACE
