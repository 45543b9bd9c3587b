// gemm.hpp — products of matrices, the only place that knows who computes them: heed's own kernel (strip_gemm.hpp)
// where that is the better one, else OpenBLAS, or oneDNN for floats when built with GEMM=onednn.
//
// Each gets one thread and a product is cut into blocks whose bounds depend on its shape alone; the blocks, of
// batches of small heads and of one big product alike, go to the library's own threads. So the bits are the same for
// every number of threads and every flavour of OpenBLAS.
#pragma once

#include <string>

#include "tensor/tensor.hpp"

namespace HEED_NAMESPACE {

/// Matrix product over the last two axes, (..., M, K) x (..., K, N) -> (..., M, N); leading axes broadcast. Row-major:
/// [[1,2,3],[4,5,6],[7,8,9]] x [[9,8,7],[6,5,4],[3,2,1]] = [[30,24,18],[84,69,54],[138,114,90]].
/// A view with a unit stride in either of its last two axes (a transpose, split heads) is multiplied without a copy.
/// `initial`, when given, is added: it must have the result's shape and gives its memory to the result if nobody else
/// sees it. An empty K gives zeros. Throws Error when shapes do not fit. Cost: M N K multiply-adds a matrix.
Tensor matmul(const Tensor& a, const Tensor& b, Tensor initial = {});

/// A matrix in memory, for loops that multiply pieces of tensors.
struct Matrix {
  const real* data;         ///< the first element
  Size stride;              ///< between rows, or between columns when transposed
  bool transposed = false;  ///< the memory holds the columns one after the other
};

/// c = scale a b + keep c on the calling thread: (m, k) x (k, n) -> (m, n), rows of c `stride` apart. c may hold
/// anything when keep is 0. No checks.
void gemm(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale = 1,
          real keep = 0);

/// Name, version and kernel of the engine in use, for reports.
std::string gemm_name();

}  // namespace HEED_NAMESPACE
