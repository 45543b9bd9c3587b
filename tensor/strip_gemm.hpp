// strip_gemm.hpp — heed's own kernel for products of blocks that lie in the caches.
#pragma once

#include <limits>

#include "tensor/gemm.hpp"

namespace HEED_NAMESPACE {

/// The bytes of its vectors, and up to how many multiply-adds it is the better one. It costs nothing to call, and is as
/// fast as OpenBLAS with the same vectors in small blocks, 0.9 of it in large ones (measured with AVX2). With AVX-512
/// it is as fast in all, and twice as fast as an OpenBLAS that was told, or knows no better than, to use AVX2.
#if defined(__AVX512F__)
constexpr Size strip_gemm_vector = 64, strip_gemm_limit = std::numeric_limits<Size>::max();
#elif defined(__AVX__)
constexpr Size strip_gemm_vector = 32, strip_gemm_limit = Size(1) << 21;
#else
constexpr Size strip_gemm_vector = 16, strip_gemm_limit = Size(1) << 21;  ///< bytes; multiply-adds
#endif

/// What gemm() gives. Sums run over k in an order that depends on the shape alone.
void strip_gemm(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale, real keep);

}  // namespace HEED_NAMESPACE
