// layers.hpp — what every layer has to pass: gradients of inputs and parameters, and the list of layers with a mask.
#pragma once

#include <functional>

#include "nn/attention/additive.hpp"
#include "nn/attention/longformer.hpp"
#include "nn/attention/self.hpp"
#include "nn/conv.hpp"
#include "nn/encoder.hpp"
#include "nn/mixer/compressed.hpp"
#include "nn/mixer/features.hpp"
#include "nn/mixer/fnet.hpp"
#include "nn/mixer/gmlp.hpp"
#include "nn/mixer/linformer.hpp"
#include "nn/mixer/mlp_mixer.hpp"
#include "nn/mixer/reformer.hpp"
#include "nn/mixer/routing.hpp"
#include "nn/mixer/sinkhorn.hpp"
#include "nn/mixer/synthesizer.hpp"
#include "nn/mixer/topk.hpp"
#include "nn/pooling.hpp"
#include "nn/recurrent.hpp"
#include "tests/autograd/gradients.hpp"

namespace HEED_NAMESPACE::testing {

using Vars = std::vector<Var>;
using LayerFunction = std::function<Var(const Vars&)>;

inline double inner_product(const Tensor& a, const Tensor& b) {
  std::vector<real> x = a.to_vector(), y = b.to_vector();
  double total = 0;
  for (std::size_t i = 0; i < x.size(); i++) total += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return total;
}

/// Moves every parameter off its initial value, so that biases are not 0 and gains not 1.
inline void randomise(const std::vector<Parameter>& parameters, std::uint64_t seed = 9) {
  Rng rng(seed);
  for (Parameter p : parameters)
    p.var.value() = map([](real x, real d) { return x + d; }, p.var.value(), random(rng, p.var.shape(), -0.3, 0.3));
}

/// gradcheck() over the inputs and over a layer's parameters, whose values are moved in place. `f` must compute the
/// same function each time (set back its generators). Greatest difference; infinity when a gradient is missing.
inline double layer_gradcheck(const LayerFunction& f, const std::vector<Tensor>& inputs,
                              const std::vector<Parameter>& parameters) {
  Rng rng(4);
  const double step = tolerance(1e-4, 1e-2);
  Vars leaves;
  for (const Tensor& input : inputs) leaves.push_back(Var::parameter(input));
  Vars all = leaves;
  for (const Parameter& p : parameters) {
    all.push_back(p.var);
    all.back().grad() = Tensor();
  }
  Var y = f(leaves);
  Tensor weights = random(rng, y.shape());
  y.backward(weights);
  double worst = 0;
  for (Var& x : all) {
    Tensor start = x.value(), direction = random(rng, x.shape());
    auto value_at = [&](double t) {
      auto move = static_cast<real>(t);
      x.value() = map([move](real v, real d) { return v + move * d; }, start, direction);
      double value = inner_product(f(leaves).value(), weights);
      x.value() = start;
      return value;
    };
    // Fourth order: what norms and softmax bend in one step would hide behind a second-order difference.
    double expected =
        (8 * (value_at(step) - value_at(-step)) - (value_at(2 * step) - value_at(-2 * step))) / (12 * step);
    if (!x.grad().defined()) return infinity;
    double difference = std::abs(inner_product(x.grad(), direction) - expected) / std::max(1.0, std::abs(expected));
    worst = std::isnan(difference) ? infinity : std::max(worst, difference);
    x.grad() = Tensor();
  }
  return worst;
}

/// The gradient that reaches x when f(x) gets `seed`.
inline Tensor input_gradient(const std::function<Var(const Var&)>& f, const Tensor& x, const Tensor& seed) {
  Var leaf = Var::parameter(x);
  f(leaf).backward(seed);
  return leaf.grad();
}

/// Something that takes (B, N, D) and a mask (B, N), with D = MaskedLayer::dim.
struct MaskedLayer {
  static constexpr Size dim = 6;
  std::string name;   // of the case
  std::string error;  // what an error has to contain
  std::function<Var(const Var&, const Mask&)> f;
  std::vector<Parameter> parameters = {};
  bool causal = false;
  bool pools = false;     // gives (B, D) instead of one row a position
  bool kinks = false;     // differences in float step over them: gradients are checked in double only
  bool residual = false;  // a position also sees itself when everything is masked
  bool others = false;    // a position sees itself only when there is nothing else
  bool spans = false;     // what it computes depends on the length with padding
  bool straight = false;  // a gradient is passed straight through a choice, so differences do not show it
};

template <class L>
MaskedLayer masked_layer(const std::string& name, const std::string& error, const L& layer, bool causal = false,
                         bool residual = false) {
  std::vector<Parameter> learned = layer.parameters();
  std::erase_if(learned, [](const Parameter& p) { return p.lr_scale == 0; });
  randomise(learned);
  return {name,  error,   [layer](const Var& x, const Mask& mask) { return layer(x, mask); }, learned, causal, false,
          false, residual};
}

/// Every layer that takes a mask. A new one is one more line.
inline std::vector<MaskedLayer> masked_layers() {
  Rng rng(3);
  const Size d = MaskedLayer::dim;
  auto options = [](NormPlace place, bool causal, int window = 0) {
    EncoderOptions o;
    o.layers = 2, o.heads = 2, o.hidden = 9, o.norm = place, o.causal = causal, o.window = window;
    return o;
  };
  // Convolutions have channels before positions.
  auto convolution = [](const Conv1d& layer) {
    return [layer](const Var& x, const Mask& mask) { return transpose(layer(transpose(x, 1, 2), mask), 1, 2); };
  };
  auto positioned = [&](PositionKind kind, bool causal) {
    return MultiHeadAttention(d, 2, rng, {.causal = causal, .positions = kind, .reach = 2});
  };
  EncoderOptions flowing = options(NormPlace::pre, false), turning = options(NormPlace::post, true);
  flowing.floater = FloaterOptions{};
  turning.positions = PositionKind::rotary;
  EncoderOptions mixing = options(NormPlace::pre, true);
  mixing.mixer = "linear";
  auto synthesizer = [&](const std::vector<Synthesis>& parts, bool causal) {
    return Synthesizer(d, 2, 11, rng, {.parts = parts, .causal = causal});
  };
  const std::vector<Synthesis> all_kinds{Synthesis::random, Synthesis::fixed_random,     Synthesis::factorised_random,
                                         Synthesis::dense,  Synthesis::factorised_dense, Synthesis::dot_product};
  auto sinkhorn = [&](SinkhornMode mode, bool causal) {
    return Sinkhorn(d, 2, 12, rng, {.block = 2, .mode = mode, .noise = false, .causal = causal});
  };
  using enum NormPlace;
  const char *self = "SelfAttention", *multi = "MultiHeadAttention", *additive = "AdditiveAttention",
             *rfa = "RandomFeatureAttention";
  std::vector<MaskedLayer> list = {
      masked_layer("SelfAttention scaled", self, SelfAttention(d, 5, rng)),
      masked_layer("SelfAttention unscaled", self, SelfAttention(d, 5, rng, {.scaled = false})),
      masked_layer("SelfAttention causal", self, SelfAttention(d, 5, rng, {.causal = true}), true),
      masked_layer("MultiHeadAttention", multi, MultiHeadAttention(d, 2, rng)),
      masked_layer("MultiHeadAttention causal", multi, MultiHeadAttention(d, 3, rng, {.causal = true}), true),
      masked_layer("MultiHeadAttention narrow", multi, MultiHeadAttention(d, 4, rng, {.head_dim = 2, .bias = false})),
      masked_layer("MultiHeadAttention local", multi, MultiHeadAttention(d, 2, rng, {.patterns = {local(2)}})),
      masked_layer("MultiHeadAttention causal comb", multi,
                   MultiHeadAttention(d, 2, rng, {.causal = true, .patterns = {local(1) | strided(2)}}), true),
      masked_layer("MultiHeadAttention two patterns", multi,
                   MultiHeadAttention(d, 2, rng, {.patterns = {full(), global_tokens({0})}})),
      masked_layer("MultiHeadAttention Big Bird", multi,
                   MultiHeadAttention(d, 2, rng, {.patterns = {big_bird(1, {.block = 1, .random = 1})}})),
      masked_layer("MultiHeadAttention ReLU", multi, MultiHeadAttention(d, 2, rng, {.normaliser = Normaliser::relu})),
      masked_layer("Longformer", "Longformer", Longformer(d, 2, rng, {.reach = 2})),
      masked_layer("MultiHeadAttention rotary", multi, positioned(PositionKind::rotary, false)),
      masked_layer("MultiHeadAttention ALiBi", multi, positioned(PositionKind::alibi, false)),
      masked_layer("MultiHeadAttention relative", multi, positioned(PositionKind::relative, false)),
      masked_layer("MultiHeadAttention rotary causal", multi, positioned(PositionKind::rotary, true), true),
      masked_layer("MultiHeadAttention ALiBi causal", multi, positioned(PositionKind::alibi, true), true),
      masked_layer("MultiHeadAttention relative causal", multi, positioned(PositionKind::relative, true), true),
      masked_layer("AdditiveAttention", additive, AdditiveAttention(d, 4, 5, rng)),
      masked_layer("AdditiveAttention causal", additive, AdditiveAttention(d, 4, 5, rng, {.causal = true}), true),
      masked_layer("EncoderBlock pre", multi, EncoderBlock(d, rng, options(pre, false)), false, true),
      masked_layer("EncoderBlock post", multi, EncoderBlock(d, rng, options(post, false)), false, true),
      masked_layer("EncoderBlock plain", multi, EncoderBlock(d, rng, options(plain, false))),
      masked_layer("EncoderBlock causal", multi, EncoderBlock(d, rng, options(pre, true)), true, true),
      masked_layer("EncoderBlock window", "", EncoderBlock(d, rng, options(pre, false, 1)), false, true),
      masked_layer("Encoder pre", multi, Encoder(d, rng, options(pre, false)), false, true),
      masked_layer("Encoder post", multi, Encoder(d, rng, options(post, false)), false, true),
      masked_layer("Encoder causal", multi, Encoder(d, rng, options(pre, true)), true, true),
      masked_layer("Encoder FLOATER", "floater", Encoder(d, rng, flowing), false, true),
      masked_layer("Encoder rotary", multi, Encoder(d, rng, turning), true, true),
      masked_layer("LinearAttention", "LinearAttention", LinearAttention(d, 2, rng)),
      masked_layer("LinearAttention causal", "LinearAttention", LinearAttention(d, 2, rng, {.causal = true}), true),
      masked_layer("EfficientAttention", "EfficientAttention", EfficientAttention(d, 2, rng)),
      masked_layer("EfficientAttention causal", "EfficientAttention", EfficientAttention(d, 2, rng, {.causal = true}),
                   true),
      masked_layer("RandomFeatureAttention", rfa, RandomFeatureAttention(d, 2, rng, {.features = 40, .pool = 1})),
      masked_layer("RandomFeatureAttention gate", rfa,
                   RandomFeatureAttention(d, 2, rng, {.causal = true, .features = 40, .pool = 1, .gate = true}), true),
      masked_layer("Performer", "Performer", Performer(d, 2, rng)),
      masked_layer("Performer causal", "Performer", Performer(d, 2, rng, {.causal = true}), true),
      masked_layer("Performer hyperbolic", "Performer", Performer(d, 2, rng, {.kind = FavorKind::hyperbolic})),
      masked_layer("Linformer", "Linformer", Linformer(d, 2, 12, rng, {.rank = 3})),
      masked_layer("Linformer each head", "Linformer",
                   Linformer(d, 2, 12, rng, {.rank = 20, .share = LinformerShare::none})),
      masked_layer("Linformer keys as values", "Linformer",
                   Linformer(d, 2, 12, rng, {.rank = 2, .share = LinformerShare::kv})),
      masked_layer("CompressedAttention", "CompressedAttention", CompressedAttention(d, 2, rng)),
      masked_layer("CompressedAttention groups", "CompressedAttention",
                   CompressedAttention(d, 2, rng, {.stride = 2, .groups = 2})),
      masked_layer("CompressedAttention wide", "CompressedAttention", CompressedAttention(d, 2, rng, {.stride = 20})),
      masked_layer("Encoder linear", "LinearAttention", Encoder(d, rng, mixing), true, true),
      masked_layer("WindowedLinear", "WindowedLinear", WindowedLinear(d, 4, 1, rng)),
      masked_layer("WindowedLinear wide", "WindowedLinear", WindowedLinear(d, 4, 5, rng)),
      masked_layer("Rnn", "Rnn", Rnn(d, 5, rng), true),
      masked_layer("Lstm", "Lstm", Lstm(d, 5, rng), true),
      masked_layer("Gru", "Gru", Gru(d, 5, rng), true),
      masked_layer("Rnn reversed", "Rnn", Rnn(d, 5, rng, {.reverse = true})),
      masked_layer("Lstm reversed", "Lstm", Lstm(d, 5, rng, {.reverse = true})),
      masked_layer("Gru reversed", "Gru", Gru(d, 5, rng, {.bias = false, .reverse = true})),
      masked_layer("Lstm both ways", "Lstm", Bidirectional<Lstm>(d, 3, rng)),
      masked_layer("TokenMlp", "TokenMlp", TokenMlp(d, 12, rng)),
      masked_layer("Gmlp", "Gmlp", Gmlp(d, 12, rng, {.hidden = 8}), false, true),
      masked_layer("Gmlp causal", "Gmlp", Gmlp(d, 9, rng, {.causal = true}), true, true),
      masked_layer("Gmlp with attention", "Gmlp", Gmlp(d, 12, rng, {.hidden = 8, .attention = 3}), false, true),
      masked_layer("FNet", "FNet", FNet()),
      masked_layer("Synthesizer random", "Synthesizer", synthesizer({Synthesis::random}, false)),
      masked_layer("Synthesizer fixed random", "Synthesizer", synthesizer({Synthesis::fixed_random}, false)),
      masked_layer("Synthesizer dense ReLU", "Synthesizer", synthesizer({Synthesis::dense}, false)),
      masked_layer("Synthesizer factorised causal", "Synthesizer", synthesizer({Synthesis::factorised_random}, true),
                   true),
      masked_layer("Synthesizer mixture causal ReLU", "Synthesizer", synthesizer(all_kinds, true), true),
      masked_layer("TopK choosing", "TopK", TopK(d, 2, rng, {.count = 3})),
      masked_layer("TopK causal choosing", "TopK", TopK(d, 2, rng, {.count = 2, .causal = true}), true),
      masked_layer("TopK by threshold choosing", "TopK", TopK(d, 2, rng, {.count = 0, .threshold = 0.15})),
      masked_layer("Reformer choosing", "Reformer", Reformer(d, 2, rng, {.buckets = 2, .chunk = 3, .redraw = false})),
      masked_layer("Reformer causal choosing", "Reformer",
                   Reformer(d, 2, rng, {.rounds = 6, .buckets = 2, .chunk = 20, .redraw = false, .causal = true}),
                   true),
      masked_layer("Routing choosing", "Routing", Routing(d, 2, 9, rng, {.clusters = 2, .window = 4, .keep = 1})),
      masked_layer("Routing local choosing", "Routing",
                   Routing(d, 2, 9, rng, {.clusters = 2, .window = 4, .local = 1, .reach = 1, .keep = 1})),
      masked_layer("Routing causal choosing", "Routing",
                   Routing(d, 2, 9, rng, {.clusters = 2, .window = 9, .keep = 1, .causal = true}), true),
      masked_layer("Sinkhorn choosing", "Sinkhorn", sinkhorn(SinkhornMode::sorted, false)),
      masked_layer("Sinkhorn causal choosing", "Sinkhorn", sinkhorn(SinkhornMode::sorted, true), true),
      masked_layer("Sinkhorn sortcut choosing", "Sinkhorn", sinkhorn(SinkhornMode::sortcut, false)),
      masked_layer("Sinkhorn mask", "Sinkhorn", sinkhorn(SinkhornMode::mask, false)),
      {"Conv1d", "conv1d", convolution(Conv1d(d, 4, 3, rng, {.padding = 1}))},
      {"Conv1d wide", "conv1d", convolution(Conv1d(d, 4, 7, rng, {.padding = 3}))},
      {"masked_mean", "masked_mean", [](const Var& x, const Mask& mask) { return masked_mean(x, mask); }},
      {"masked_max", "masked_max", [](const Var& x, const Mask& mask) { return masked_max(x, mask); }},
  };
  for (MaskedLayer& layer : list) {
    layer.pools = layer.name.starts_with("masked_");
    layer.kinks = layer.name.ends_with("ReLU") || layer.name.ends_with("choosing");
    layer.others = layer.name.starts_with("Reformer");
    layer.spans = layer.name == "FNet";
    layer.straight = layer.name == "Sinkhorn mask";
  }
  return list;
}

}  // namespace HEED_NAMESPACE::testing
