// convolution.hpp — a convolution as attention: K² heads, each of which looks at the pixel under one tap of the kernel.
//
// Cordonnier, Loukas, Jaggi 2019, "On the relationship between self-attention and convolutional layers", arXiv
// 1911.03584. Head Δ scores the pixel at a distance δ = key - query with -α |δ - Δ|², whatever the pixels show: the
// paper's v · r_δ, v = -α (1, -2Δ_1, -2Δ_2) and r_δ = (|δ|², δ_1, δ_2), but for α |Δ|², which softmax does not see. As
// α grows, all weight falls on δ = Δ; the next pixel is at a squared distance of 1 and gets e^-α of it.
#pragma once

#include "nn/attention/attention.hpp"
#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// y_q = b + Σ_h Σ_k softmax_k(-α_h |k - q - Δ_h|²) x_k V_h over the pixels q, k of an image: (B, C, H, W) ->
/// (B, Cout, H, W). Where q + Δ lies outside the image, the weight goes to the nearest pixels inside, not to zeros.
/// O(N² (B C + 3)) a head for N = H W pixels, memory O(N B C heads): the weights are the same for the whole batch and
/// computed once. Throws Error when shapes do not fit.
struct PixelAttention : Module {
  Var centre;     ///< (heads, 2): Δ, rows and columns from the query on
  Var sharpness;  ///< (heads): α
  Var v;          ///< (heads C, Cout): head h owns rows h C to h C + C - 1
  Var b;          ///< (Cout) or undefined

  PixelAttention(Tensor delta, Tensor alpha, Tensor values, Tensor bias = {})
      : centre(param("centre", std::move(delta), false)),
        sharpness(param("sharpness", std::move(alpha), false)),
        v(param("v", std::move(values))),
        b(bias.defined() ? param("b", std::move(bias)) : Var()) {
    Size heads = sharpness.numel();
    check(centre.shape() == Shape{heads, 2} && sharpness.rank() == 1 && v.rank() == 2 && v.size(0) % heads == 0,
          "PixelAttention", "shapes do not fit: centres ", centre.shape(), ", sharpness ", sharpness.shape(),
          ", values ", v.shape());
  }
  /// To be learned: centres normal with deviation 1.5, α = 1.
  PixelAttention(Size in, Size out, Size heads, Rng& rng, LinearOptions options = {})
      : PixelAttention(rng.normal({heads, 2}, 1.5), Tensor({heads}, 1), xavier_uniform({heads * in, out}, rng),
                       options.bias ? Tensor({out}, 0) : Tensor()) {}

  Var operator()(const Var& x) const {
    Size heads = sharpness.numel(), in = v.size(0) / heads;
    check(x.rank() == 4 && x.size(1) == in && x.size(2) * x.size(3) > 0, "PixelAttention", "expected (B, ", in,
          ", H, W), not empty, got ", x.shape());
    Size batch = x.size(0), n = x.size(2) * x.size(3), out = v.size(1);
    // -α |k - q - Δ|² = 2α (q + Δ) · k - α |k|² + what is the same for all keys: a product of three numbers each.
    Tensor pixels({n, 2}), keys({n, 3});
    real *at = pixels.mut(), *key = keys.mut();
    for (Size i = 0; i < n; i++) {
      Size down = i / x.size(3);
      auto row = static_cast<real>(down), column = static_cast<real>(i % x.size(3));
      at[2 * i] = key[3 * i] = row, at[2 * i + 1] = key[3 * i + 1] = column;
      key[3 * i + 2] = row * row + column * column;
    }
    Var alpha = reshape(sharpness, {heads, 1, 1});
    Var queries = concat({2 * alpha * (reshape(centre, {heads, 1, 2}) + pixels), expand(-alpha, {heads, n, 1})}, -1);
    Var values = reshape(permute(reshape(x, {batch, in, n}), {2, 0, 1}), {1, 1, n, batch * in});
    Var seen = attention(reshape(queries, {1, heads, n, 3}), keys.expand({1, heads, n, 3}),
                         expand(values, {1, heads, n, batch * in}), {.scale = 1});
    Var columns = permute(reshape(permute(seen, {0, 2, 1, 3}), {n, heads, batch, in}), {2, 0, 1, 3});
    Var y = linear(reshape(columns, {batch, n, heads * in}), v, b);
    return reshape(transpose(y, 1, 2), {batch, out, x.size(2), x.size(3)});
  }
};

/// The attention that computes conv2d(x, w, b, {.padding = r}), w (Cout, C, K, K) with K = 2r + 1, b (Cout) or
/// undefined: heads Δ in {-r..r}², row by row, with the kernel's slice at Δ as value matrix. What goes astray is less
/// than rounding (e^-60), so both are equal wherever the kernel lies inside the image; put a ring of r zero pixels
/// around the image, and crop it afterwards, to have them equal everywhere. Throws Error unless kernels are square and
/// odd.
inline PixelAttention convolution_as_attention(const Tensor& w, const Tensor& b = {}, real sharpness = 60) {
  check(w.rank() == 4 && w.size(2) == w.size(3) && w.size(2) % 2 == 1, "convolution_as_attention",
        "expected kernels (Cout, C, K, K) with an odd K, got ", w.shape());
  Size size = w.size(2), reach = size / 2, heads = size * size;
  Tensor centre({heads, 2});
  real* delta = centre.mut();
  for (Size h = 0; h < heads; h++) {
    Size down = h / size - reach, across = h % size - reach;
    delta[2 * h] = static_cast<real>(down), delta[2 * h + 1] = static_cast<real>(across);
  }
  return {std::move(centre), Tensor({heads}, sharpness),
          w.permute({2, 3, 1, 0}).reshape({heads * w.size(1), w.size(0)}), b};
}

}  // namespace HEED_NAMESPACE
