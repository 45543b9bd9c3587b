// scene.hpp — one item and all that a model's attention did with it, as data, as an SVG and as a page.
#pragma once

#include "models/show/recorder.hpp"

namespace HEED_NAMESPACE {

/// What a model says: one label a token, one for all, or another sequence.
struct Prediction {
  std::vector<std::string> labels = {};
  std::vector<double> probability = {};  ///< of each label, where the model tells
};

/// A model with an item to answer.
struct Subject {
  std::string title = {};                    ///< as "pos runs/ewt"
  std::vector<std::string> tokens = {};      ///< what attention looks at
  std::vector<std::string> targets = {};     ///< of translations: what was written, after the start
  std::vector<std::string> gold = {};        ///< the right labels, if known
  std::function<Prediction()> predict = {};  ///< may be called under a hook
  std::function<Var()> loss = {};            ///< of the gold labels, or, without, of the predicted ones
  PlaceOf place = [](std::size_t call) { return call; };
  std::size_t encoders = std::numeric_limits<std::size_t>::max();  ///< places that look at the tokens alone
  bool recurrent = false;  ///< of translations: the decoder looks at the source only
};

/// An attention with names for its sides.
struct ShownAttention {
  std::string name;
  std::vector<std::string> queries, keys;
  SeenAttention numbers;
};

/// What happens without a head.
struct Ablation {
  std::size_t attention = 0;
  Size head = 0;
  Prediction prediction = {};
  double loss = 0;
};

/// All of it.
struct Scene {
  std::string title = {};
  std::vector<std::string> tokens = {}, targets = {}, gold = {};
  Prediction prediction = {};
  double loss = 0;
  std::vector<ShownAttention> attention = {};
  std::vector<Ablation> ablations = {};
};

/// Most tokens that are shown.
constexpr std::size_t most_tokens = 128;

/// Lets the model answer, records its attention with the gradients of the loss, and answers again without each head.
/// Throws Error when there are more than `most_tokens` tokens, and when the model has no attention weights to show.
Scene make_scene(const Subject& subject);

/// The numbers as JSON; arrays are base64 of little-endian float32, so that they are exactly the library's.
std::string scene_json(const Scene& scene);
/// One HTML file that needs nothing else.
std::string scene_page(const Scene& scene);
/// The weights of all heads, one row of matrices for each attention.
std::string scene_svg(const Scene& scene);

}  // namespace HEED_NAMESPACE
