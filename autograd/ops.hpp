// ops.hpp — every differentiable operation, by family. Forward, backward and the reasons stand together in the .cpp
// named.
//
// All of them broadcast as NumPy does where they take two arrays, accept any view, and throw Error with the shapes in
// the text when those do not fit. Unless said otherwise they cost one pass over their operands.
#pragma once

#include <span>

#include "autograd/var.hpp"
#include "tensor/mask.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

// ---- math.cpp: elementwise
// -------------------------------------------------------------------------------------------

Var operator+(const Var& a, const Var& b);  ///< a + b
Var operator-(const Var& a, const Var& b);  ///< a - b
Var operator*(const Var& a, const Var& b);  ///< a b, elementwise
Var operator/(const Var& a, const Var& b);  ///< a / b
Var operator+(const Var& a, real b);        ///< a + b
Var operator-(const Var& a, real b);        ///< a - b
Var operator*(const Var& a, real b);        ///< a b
Var operator/(const Var& a, real b);        ///< a / b
Var operator+(real a, const Var& b);        ///< a + b
Var operator-(real a, const Var& b);        ///< a - b
Var operator*(real a, const Var& b);        ///< a b
Var operator/(real a, const Var& b);        ///< a / b
Var operator-(const Var& x);                ///< -x

/// x^exponent for a fixed exponent. The gradient at 0 is that of the formula (infinite for exponents below 1).
Var pow(const Var& x, real exponent);
Var exp(const Var& x);  ///< e^x
Var log(const Var& x);  ///< the natural logarithm; -infinity at 0, NaN below
/// Square root; its gradient at 0 is taken as 0, so that norms of zero vectors do not poison training.
Var sqrt(const Var& x);
Var tanh(const Var& x);  ///< (e^x - e^-x) / (e^x + e^-x)
/// 1 / (1 + e^-x), without overflow.
Var sigmoid(const Var& x);
/// max(x, 0); the gradient at 0 is 0.
Var relu(const Var& x);
/// x for x > 0, else slope x.
Var leaky_relu(const Var& x, real slope = real(0.01));
/// x for x > 0, else e^x - 1 (Clevert, Unterthiner, Hochreiter 2015, arXiv 1511.07289).
Var elu(const Var& x);
/// log(1 + e^x), without overflow.
Var softplus(const Var& x);

/// The two forms of GELU; they differ by up to 5e-4, so a model has to say which it uses.
enum class Gelu {
  erf,  ///< x Φ(x), Φ the distribution function of the standard normal
  tanh  ///< x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
};
/// Gaussian error linear unit (Hendrycks, Gimpel 2016, arXiv 1606.08415).
Var gelu(const Var& x, Gelu form = Gelu::erf);

/// a where the mask keeps, b elsewhere; all three broadcast. What is not chosen gets gradient 0, even if it is NaN.
Var where(const Mask& keep, const Var& a, const Var& b);
/// x where the mask keeps, `value` elsewhere. An undefined mask returns x.
Var masked_fill(const Var& x, const Mask& keep, real value);

/// In training: each element 0 with probability p, else divided by 1 - p. Under Eval, or with p = 0: x itself.
/// The pattern is a function of one draw from `rng` and the position; it is not stored. Throws Error unless 0 <= p < 1.
/// Srivastava et al. 2014, "Dropout: a simple way to prevent neural networks from overfitting".
Var dropout(const Var& x, double p, Rng& rng);

// ---- shape.cpp: views and joins; only concat and stack copy numbers
// ----------------------------------------------------

/// The same elements in another shape; one size may be -1.
Var reshape(const Var& x, const Shape& shape);
/// Axis i of the result is axis order[i] of x.
Var permute(const Var& x, std::initializer_list<int> order);
/// Two axes swapped, by default the last two.
Var transpose(const Var& x, int a = -2, int b = -1);
/// Elements [begin, end) along `axis`.
Var slice(const Var& x, int axis, Size begin, Size end);
/// Broadcast to `shape`.
Var expand(const Var& x, const Shape& shape);
/// Joined along an existing axis.
Var concat(const std::vector<Var>& parts, int axis);
/// Joined along a new axis.
Var stack(const std::vector<Var>& parts, int axis);
/// Each position with its neighbours: (B, N, D) -> (B, N, (before + 1 + after) D), row i = [x_{i-before}; ...;
/// x_{i+after}], zeros beyond the ends. What a windowed fully connected layer and a convolution multiply.
Var windows(const Var& x, int before, int after);

// ---- matmul.cpp
// --------------------------------------------------------------------------------------------------------

/// Product over the last two axes, (..., M, K) x (..., K, N) -> (..., M, N), leading axes broadcast; see
/// tensor/gemm.hpp.
Var matmul(const Var& a, const Var& b);
/// x W + b: (..., K) x (K, N) + (N) -> (..., N); b may be undefined.
Var linear(const Var& x, const Var& w, const Var& b = {});

// ---- conv.cpp, pooling.cpp: over (B, C, L) or (B, C, H, W), channels before positions
// -----------------------------------------------------------------------------------------------------------

/// How the kernels of a convolution move; in two dimensions the same along both.
struct Convolution {
  Size stride = 1;    ///< positions from one output to the next
  Size padding = 0;   ///< zeros beyond each end
  Size dilation = 1;  ///< positions from one tap of a kernel to the next
  Size groups = 1;    ///< output channels see only the input channels of their group; C for a depthwise convolution
};
/// Cross-correlation y[b, o, i] = b[o] + Σ_{c, k} w[o, c, k] x[b, c, i stride - padding + k dilation], zeros beyond the
/// ends: x (B, C, L), w (Cout, C/groups, K), b (Cout) or undefined -> (B, Cout, L'), L' = ⌊(L + 2 padding - dilation
/// (K - 1) - 1) / stride⌋ + 1. Costs B Cout C/groups K L' multiply-adds, and twice that backward; saves x and w, works
/// through blocks of positions. Throws Error when shapes do not fit, or the kernel is longer than what it moves on.
/// LeCun et al. 1989, "Backpropagation applied to handwritten zip code recognition".
Var conv1d(const Var& x, const Var& w, const Var& b = {}, const Convolution& how = {});
/// The same in two dimensions: x (B, C, H, W), w (Cout, C/groups, Kh, Kw) -> (B, Cout, H', W').
Var conv2d(const Var& x, const Var& w, const Var& b = {}, const Convolution& how = {});

/// How a pooling window moves; in two dimensions the same along both.
struct Pooling {
  Size window = 2;   ///< positions under one window
  Size stride = 0;   ///< 0: the window, so that windows lie side by side
  Size padding = 0;  ///< positions beyond each end that windows may cover; less than the window
};
/// Largest element under a window, over the last axis of (B, C, L) or the last two of (B, C, H, W); sizes as those of a
/// convolution, so a rest that a window does not cover is left out. Padding never wins. In ties the lowest index wins
/// and takes the whole gradient. O(outputs window), in two dimensions window². Throws Error when the window does not
/// fit.
Var max_pool(const Var& x, const Pooling& how = {});
/// Mean of the elements under a window, likewise; padding is not counted.
Var mean_pool(const Var& x, const Pooling& how = {});

// ---- fourier.cpp
// -----------------------------------------------------------------------------------------------------------

/// Real part of the discrete Fourier transform over positions and channels, not normalised: (B, N, D) -> (B, N, D),
/// y = C_N x C_D - S_N x S_D with cosines C and sines S of 2π j k / N or D. Symmetric, so backward is the same
/// function. Any N and D, O(N D log(N D)) time and O(N D) memory; nothing is saved. Throws Error when something is 0.
/// Lee-Thorp et al. 2021, arXiv 2105.03824.
Var fourier_mix(const Var& x);

// ---- reduce.cpp
// --------------------------------------------------------------------------------------------------------

/// Sum over all elements, or over `axes`, which stay as size 1 when `keep`.
Var sum(const Var& x);
Var sum(const Var& x, std::initializer_list<int> axes, bool keep = false);  ///< over `axes`, of size 1 if `keep`
/// Mean, likewise; of nothing it is 0.
Var mean(const Var& x);
Var mean(const Var& x, std::initializer_list<int> axes, bool keep = false);  ///< over `axes`, of size 1 if `keep`
/// Largest element along `axis`, which disappears. In ties the lowest index wins and takes the whole gradient.
Var max(const Var& x, int axis);
/// Euclidean norm along the last axis, which disappears; the gradient at a zero vector is 0.
Var norm(const Var& x);
/// x / |x| along the last axis; a zero vector stays zero, and so is its gradient.
Var unit(const Var& x);
/// Sums along `axis` from its start up to each place, accumulated in double: y_i = Σ_{j<=i} x_j.
Var cumsum(const Var& x, int axis);

// ---- softmax.cpp, layer_norm.cpp
// ------------------------------------------------------------------------------------------

/// Softmax along the last axis of scale * x over the cells that the mask keeps (it broadcasts to x); the others get 0.
/// A row with nothing kept is all zeros, and so is its gradient. Stable for any finite scores.
Var softmax(const Var& x, const Mask& keep = {}, real scale = 1);
/// log softmax along the last axis.
Var log_softmax(const Var& x);
/// log Σ e^x along the last axis, which disappears.
Var logsumexp(const Var& x);
/// gain (x - mean) / √(variance + eps) + bias over the last axis, biased variance (Ba, Kiros, Hinton 2016, arXiv
/// 1607.06450). gain and bias (D) may be undefined. Saves one mean and one scale a row.
Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps = 1e-5);

// ---- index.cpp
// -----------------------------------------------------------------------------------------------------------

/// Rows of a table: (V, D) and ids laid out as `shape` -> (shape..., D). The row `padding` (none: -1) reads as zeros
/// and gets no gradient. Throws Error for an id outside [0, V). Nothing is multiplied out; the gradient is a
/// scatter-add.
Var embedding(const Var& table, std::span<const int> ids, const Shape& shape, int padding = -1);
/// One element a row: (..., n) and an index a row -> (...). Throws Error for an index outside [0, n).
Var gather(const Var& x, std::span<const int> index);

// ---- loss.cpp: each returns one number
// ----------------------------------------------------------------------------------

struct CrossEntropy {          ///< How cross_entropy() reads its targets.
  int ignore_index = -1;       ///< targets equal to this are left out of sum and count
  double label_smoothing = 0;  ///< ε: (1 - ε) nll + ε mean over classes of -log p
};
/// Mean of -log softmax(logits)[target] over the targets that are not ignored: (..., C) and one target a row. All
/// ignored: 0, with gradient 0. Throws Error for a target outside [0, C). Stable for any finite logits; saves one
/// number a row.
Var cross_entropy(const Var& logits, std::span<const int> targets, const CrossEntropy& options = {});
/// Mean of -t log σ(x) - (1-t) log(1-σ(x)) with targets t in [0, 1] of x's shape, in the stable form.
Var binary_cross_entropy(const Var& logits, const Tensor& targets);
/// Mean of (x - target)².
Var mse(const Var& x, const Var& target);

}  // namespace HEED_NAMESPACE
