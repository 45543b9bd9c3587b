// features.hpp — linear attention whose features are random: sines and cosines, or positive exponentials.
#pragma once

#include "nn/mixer/linear.hpp"

namespace HEED_NAMESPACE {

/// `count` rows of `width` numbers, orthogonal in blocks of `width`, each as long as a row of independent normal
/// numbers would be: estimates from them are as unbiased as from independent rows, and vary less. O(count width²).
Tensor orthogonal_normals(Size count, Size width, Rng& rng);

struct RandomFeatureOptions {  ///< Choices for RandomFeatureAttention.
  bool causal = false;         ///< position i sees only j <= i
  Size features = 0;           ///< M directions, and 2M features; 0: the width of a head
  Size pool = 16;              ///< sets of directions, drawn at the start; each step of training uses one of them
  double least = 1e-3;         ///< the smallest denominator
  bool gate = false;           ///< causal only: a learned share of what came before is forgotten at each position
};

/// Random feature attention: q and k are made unit vectors, φ(x) = [sin ω_m · x; cos ω_m · x] / √M with ω_m = σ ⊙ ξ_m,
/// ξ normal, σ learned for each head from 1 on. E φ(q) · φ(k) = e^(-|σ ⊙ (q - k)|²/2), which at σ = 1 is e^(q·k) but
/// for a factor. Denominators, which may come out below 0, are max(·, least), without gradient there. With a gate g_t =
/// sigmoid(x_t w + b) for each head, S_t = g_t S_{t-1} + (1 - g_t) φ(k_t) v_t'. Under Eval the first set of directions
/// is used, always; all are saved with the model. (B, N, D) -> (B, N, D), O(N M D) time, O(N (M H + D)) memory; padded
/// keys have φ = 0. Throws Error unless heads divides dim. Use it when weights should fall off with the angle between q
/// and k, with M large enough for the task: the error falls as 1/√M. Peng, Pappas, Yogatama, Schwartz, Smith, Kong
/// 2021, arXiv 2103.02143.
struct RandomFeatureAttention : LinearMixer<RandomFeatureAttention> {
  RandomFeatureOptions options;  ///< as given
  Rng* rng;                      ///< what chooses a set of directions
  Var sigma;                     ///< (H, d)
  Var pool;                      ///< (sets, M, d), not learned
  std::vector<Linear> gate;      ///< one or none
  RandomFeatureAttention(Size dim, Size head_count, Rng& generator, const RandomFeatureOptions& choice = {});
  Features features(const FeatureInput& in) const;  ///< φ(q) and φ(k)
  /// φ of unit vectors x (..., H, d) with set number `set`: (..., H, 2M).
  Var phi(const Var& x, Size set) const;
};

enum class FavorKind {  ///< Random features of softmax attention.
  positive,             ///< e^(ω · x' - |x'|²/2) / √M
  hyperbolic,           ///< the same with ω and with -ω, 2M features
  relu                  ///< max(ω · x', 0) + 1e-3: another kernel than softmax
};

struct PerformerOptions {                ///< Choices for Performer.
  bool causal = false;                   ///< position i sees only j <= i
  Size features = 0;                     ///< M; 0: d ln d rounded up, d the width of a head
  FavorKind kind = FavorKind::positive;  ///< which φ
  bool orthogonal = true;                ///< ω orthogonal in blocks of d; else independent
  Size redraw = 1000;                    ///< new ω after so many steps of training; 0: never
  double eps = 0;                        ///< added to features; the authors' code has 1e-4. It does not cancel
};

/// FAVOR+: φ(x) = e^(ω_m · x' - |x'|²/2) / √M with x' = x / d^¼, ω normal: E φ(q) · φ(k) = e^(q·k/√d), the weights of
/// softmax attention. From exponents the largest of each query, and one of all real keys, are subtracted (causal: of
/// those so far); both cancel. ω is the same for all heads, redrawn in training, fixed under Eval, and saved with the
/// model. (B, N, D) -> (B, N, D), O(N M D) time, O(N (M H + D)) memory; padded keys have φ = 0, a query with nothing to
/// see gets o's bias alone. Throws Error unless heads divides dim. Use it in place of softmax attention for long
/// sequences; the error falls as 1/√M and grows with the length of q and k. Choromanski et al. 2020, arXiv 2009.14794.
struct Performer : LinearMixer<Performer> {
  PerformerOptions options;  ///< as given
  Rng* rng;                  ///< what draws ω again
  Var omega;                 ///< (M, d), not learned
  Performer(Size dim, Size head_count, Rng& generator, const PerformerOptions& choice = {});
  Features features(const FeatureInput& in) const;  ///< φ(q) and φ(k)

 private:
  std::shared_ptr<Size> steps = std::make_shared<Size>(0);  // of training, shared with copies
};

}  // namespace HEED_NAMESPACE
