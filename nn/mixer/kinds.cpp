// The table of mixers: one entry each, in the order of the lectures.
#include "nn/attention/additive.hpp"
#include "nn/attention/longformer.hpp"
#include "nn/mixer/compressed.hpp"
#include "nn/mixer/features.hpp"
#include "nn/mixer/fnet.hpp"
#include "nn/mixer/gmlp.hpp"
#include "nn/mixer/linear.hpp"
#include "nn/mixer/linformer.hpp"
#include "nn/mixer/mixer.hpp"
#include "nn/mixer/mlp_mixer.hpp"
#include "nn/mixer/reformer.hpp"
#include "nn/mixer/routing.hpp"
#include "nn/mixer/sinkhorn.hpp"
#include "nn/mixer/synthesizer.hpp"
#include "nn/mixer/topk.hpp"
#include "nn/recurrent.hpp"

namespace HEED_NAMESPACE {

namespace {

// Multi-head attention with one pattern on all heads.
Mixer heads(const MixerSpec& s, const Pattern& pattern) {
  return Mixer(MultiHeadAttention(s.dim, s.options.heads, s.rng,
                                  {.causal = s.options.causal, .dropout = s.options.dropout, .patterns = {pattern}}));
}

std::vector<Size> first(Size count) {
  std::vector<Size> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), Size(0));
  return list;
}

Mixer longformer_mixer(MixerSpec& s) {
  Size reach = s.size("w", 256, 0), global = s.size("g", 1, 0);
  return Mixer(Longformer(s.dim, s.options.heads, s.rng,
                          {.reach = reach, .global = first(global), .dropout = s.options.dropout}));
}

Mixer big_bird_mixer(MixerSpec& s) {
  BigBirdOptions o{.block = s.size("block", 64), .window = s.size("w", 3), .random = s.size("r", 3, 0)};
  o.global = first(s.size("g", 1, 0));
  return heads(s, big_bird(s.rng.bits(), o));
}

Mixer linformer_mixer(MixerSpec& s) {
  LinformerOptions o{.rank = s.size("rank", 16), .dropout = s.options.dropout};
  o.share = s.choice("share", o.share, {"none", "heads", "kv"});
  return Mixer(Linformer(s.dim, s.options.heads, s.options.length, s.rng, o));
}

Mixer compressed_mixer(MixerSpec& s) {
  CompressedOptions o{.stride = s.size("s", 3), .causal = s.options.causal, .dropout = s.options.dropout};
  o.groups = s.size("groups", 1);
  return Mixer(CompressedAttention(s.dim, s.options.heads, s.rng, o));
}

Mixer random_feature_mixer(MixerSpec& s) {
  RandomFeatureOptions o{.causal = s.options.causal, .features = s.size("m", 0, 0), .pool = s.size("pool", 16)};
  o.gate = s.flag("gate");
  return Mixer(RandomFeatureAttention(s.dim, s.options.heads, s.rng, o));
}

Mixer performer_mixer(MixerSpec& s) {
  PerformerOptions o{.causal = s.options.causal, .features = s.size("m", 0, 0)};
  o.kind = s.choice("kind", o.kind, {"positive", "hyperbolic", "relu"});
  o.orthogonal = s.flag("orthogonal", true), o.redraw = s.size("redraw", o.redraw, 0);
  return Mixer(Performer(s.dim, s.options.heads, s.rng, o));
}

// A memory that runs forward; unless causal, half of the width runs backward.
template <class Layer>
Mixer recurrent_mixer(MixerSpec& s) {
  bool both = s.flag("both", !s.options.causal);
  check(!both || !s.options.causal, "make_mixer", s.kind(), ": both=yes looks ahead and cannot be causal");
  if (!both) return Mixer(Layer(s.dim, s.dim, s.rng));
  check(s.dim % 2 == 0, "make_mixer", s.kind(), ": both=yes needs an even width, got ", s.dim);
  return Mixer(Bidirectional<Layer>(s.dim, s.dim / 2, s.rng));
}

Mixer synthesizer_mixer(MixerSpec& s) {
  using enum Synthesis;
  const std::vector<std::pair<std::string, std::vector<Synthesis>>> choices{{"random", {random}},
                                                                            {"fixed_random", {fixed_random}},
                                                                            {"factorised_random", {factorised_random}},
                                                                            {"dense", {dense}},
                                                                            {"factorised_dense", {factorised_dense}},
                                                                            {"random+dense", {random, dense}},
                                                                            {"dense+dot", {dense, dot_product}},
                                                                            {"random+dot", {random, dot_product}}};
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  SynthesizerOptions o{.causal = s.options.causal, .dropout = s.options.dropout};
  o.parts = choices[s.word("logits", 0, words)].second;
  o.hidden = s.size("hidden", std::max<Size>(1, s.dim / s.options.heads));
  o.rank = s.size("rank", 8);
  return Mixer(Synthesizer(s.dim, s.options.heads, s.options.length, s.rng, o));
}

Mixer routing_mixer(MixerSpec& s) {
  RoutingOptions o{.clusters = s.size("clusters", 0, 0), .window = s.size("w", 0, 0), .local = s.size("local", 0, 0)};
  o.reach = s.size("reach", 16, 0), o.keep = s.number("keep", 0.999), o.causal = s.options.causal;
  return Mixer(Routing(s.dim, s.options.heads, s.options.length, s.rng, o));
}

Mixer sinkhorn_mixer(MixerSpec& s) {
  SinkhornOptions o{.block = s.size("block", 32), .cut = s.size("cut", 2), .iterations = s.size("iterations", 6)};
  o.mode = s.choice("mode", SinkhornMode::sorted, {"sorted", "sortcut", "mask"});
  o.temperature = s.number("tau", 0.75), o.noise = s.flag("noise", true), o.causal = s.options.causal;
  return Mixer(Sinkhorn(s.dim, s.options.heads, s.options.length, s.rng, o));
}

}  // namespace

const std::vector<MixerKind>& mixer_kinds() {
  using enum MixerFamily;
  using Spec = MixerSpec&;
  const char* const can = nullptr;
  static const std::vector<MixerKind> kinds{
      {"attention", full, "softmax attention of every position to every other; O(N²)", can, true,
       [](Spec s) { return heads(s, {}); }},
      {"additive", full, "scores from a tanh, hidden=dim units; O(N² hidden)", can, true,
       [](Spec s) {
         return Mixer(AdditiveAttention(s.dim, s.size("hidden", s.dim), s.dim, s.rng, {.causal = s.options.causal}));
       }},
      {"local", skip, "w=16 neighbours on each side; O(N w)", can, true,
       [](Spec s) { return heads(s, local(s.size("w", 16, 0))); }},
      {"strided", skip, "every s=8th position, r=0 to each side (0: all); O(N²/s), or O(N r)", can, true,
       [](Spec s) {
         Size stride = s.size("s", 8), reach = s.size("r", 0, 0);
         return heads(s, strided(stride, reach));
       }},
      {"global", skip, "the first g=1 positions see all and are seen by all; O(N g)", can, true,
       [](Spec s) { return heads(s, global_tokens(first(s.size("g", 1, 0)))); }},
      {"longformer", skip,
       "w=256 neighbours on each side, the first g=1 positions global with projections of their own; "
       "O(N (w + g))",
       "its global positions see what comes after them (local can be)", false, longformer_mixer},
      {"bigbird", skip,
       "in blocks of block=64: a window of w=3, r=3 random ones, the first g=1 global; O(N block (w + r "
       "+ g))",
       can, true, big_bird_mixer},
      {"topk", skip, "the k=8 largest scores of each query; O(N²) time, O(N k) memory", can, true,
       [](Spec s) {
         return Mixer(TopK(s.dim, s.options.heads, s.rng,
                           {.count = s.size("k", 8), .causal = s.options.causal, .dropout = s.options.dropout}));
       }},
      {"prune", skip, "weights below tau=0.01 become 0, renormalise=no; O(N²) time, O(N/tau) memory", can, true,
       [](Spec s) {
         TopKOptions o{.count = 0, .threshold = s.number("tau", 0.01), .renormalise = s.flag("renormalise")};
         o.causal = s.options.causal, o.dropout = s.options.dropout;
         return Mixer(TopK(s.dim, s.options.heads, s.rng, o));
       }},
      {"reformer", skip,
       "positions that share one of buckets=32 buckets in any of rounds=4 hashes (eval_rounds=8), in chunks of "
       "chunk=32; "
       "O(rounds N chunk)",
       can, false,
       [](Spec s) {
         ReformerOptions o{.rounds = s.size("rounds", 4), .eval_rounds = s.size("eval_rounds", 8)};
         o.buckets = s.size("buckets", 32, 2), o.chunk = s.size("chunk", 32, 0);
         o.causal = s.options.causal, o.dropout = s.options.dropout;
         return Mixer(Reformer(s.dim, s.options.heads, s.rng, o));
       }},
      {"routing", skip,
       "positions that k-means puts near one of clusters=√length centres, w=N/clusters each; local=0 heads look at "
       "reach=16 neighbours; keep=0.999 of a centre stays; O(N^1.5)",
       can, false, routing_mixer},
      {"sinkhorn", skip,
       "the own block of block=32 and one that a learned sorting puts beside it (iterations=6, tau=0.75, noise=yes); "
       "mode=sorted, "
       "sortcut (cut=2 sorted blocks for all) or mask; O(N block + N²/block)",
       can, false, sinkhorn_mixer},
      {"linformer", fewer, "rank=16 learned mixtures of all positions as keys, share=heads, none or kv; O(N rank)",
       "each of its keys mixes all positions", true, linformer_mixer},
      {"compressed", fewer, "a key for every s=3 positions, convolved in groups=1; O(N²/s)", can, true,
       compressed_mixer},
      {"linear", reorder, "φ = elu + 1; O(N D²/H)", can, true,
       [](Spec s) { return Mixer(LinearAttention(s.dim, s.options.heads, s.rng, {.causal = s.options.causal})); }},
      {"efficient", reorder, "φ = two softmaxes; O(N D²/H)", can, true,
       [](Spec s) { return Mixer(EfficientAttention(s.dim, s.options.heads, s.rng, {.causal = s.options.causal})); }},
      {"rfa", reorder,
       "φ = sines and cosines of m=d random directions, pool=16 sets of them, gate=no (causal); O(N m D)", can, true,
       random_feature_mixer},
      {"performer", reorder,
       "φ = m=d·ln(d) random exponentials, kind=positive, hyperbolic or relu, orthogonal=yes, "
       "redraw=1000 steps; O(N m D)",
       can, true, performer_mixer},
      {"synthesizer", no_keys,
       "logits=random weights, or fixed_random, factorised_random (rank=8), dense, factorised_dense "
       "(hidden=dim/heads), "
       "random+dense, dense+dot, random+dot; O(N²)",
       can, false, synthesizer_mixer},
      {"mlp_mixer", none, "each channel through one network over positions, hidden=dim/2 wide; O(N hidden)",
       "every hidden unit sees the whole sequence", false,
       [](Spec s) {
         return Mixer(
             TokenMlp(s.dim, s.options.length, s.rng, {.hidden = s.size("hidden", std::max<Size>(1, s.dim / 2))}));
       }},
      {"gmlp", none,
       "channels gated by a learned mixture of positions, hidden=4dim; attention=0 wide in the gate (aMLP: 64); O(N²)",
       can, false,
       [](Spec s) {
         Size hidden = s.size("hidden", 4 * s.dim), attention = s.size("attention", 0, 0);
         return Mixer(Gmlp(s.dim, s.options.length, s.rng,
                           {.hidden = hidden, .attention = attention, .causal = s.options.causal}));
       }},
      {"fnet", none, "a Fourier transform over positions and channels, nothing learned; O(N log N)",
       "every frequency sees the whole sequence", false, [](Spec) { return Mixer(FNet()); }},
      {"rnn", none, "a memory h' = tanh(x W + h U), both=yes ways unless causal; O(N) steps", can, false,
       recurrent_mixer<Rnn>},
      {"lstm", none, "a memory with gates, both=yes ways unless causal; O(N) steps", can, false, recurrent_mixer<Lstm>},
      {"gru", none, "a memory with fewer gates, both=yes ways unless causal; O(N) steps", can, false,
       recurrent_mixer<Gru>},
  };
  return kinds;
}

}  // namespace HEED_NAMESPACE
