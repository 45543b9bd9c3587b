// A strip of some rows by two vectors of columns is summed in registers: b comes as vectors, a one number at a time.
// Written with the compilers' vectors, so that the width is that of the machine compiled for.
#include "tensor/strip_gemm.hpp"

#include <algorithm>
#include <cstring>

namespace HEED_NAMESPACE {

namespace {

// As many sums as fit into the registers beside a row of b.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int strip_rows = 12;
#else
constexpr int strip_rows = 6;
#endif
using Lanes [[gnu::vector_size(strip_gemm_vector)]] = real;
constexpr Size lanes = strip_gemm_vector / static_cast<Size>(sizeof(real)), panel = 2 * lanes, slice = 256;

// Columns of b, `rows` of them one below the other, and where a and c begin.
struct Strip {
  const real *a, *b;
  real* c;
  Size down, across, below, stride, depth, width;
  real scale, keep;
};

Lanes load(const real* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

// Loops over rows and vectors have to be unrolled, or the sums would not stay in registers.
template <int Rows, int Vectors>
void multiply(const Strip& s) {
  Lanes sums[Rows][Vectors]{};
  const real *a = s.a, *b = s.b;
  for (Size p = 0; p < s.depth; p++, a += s.across, b += s.below) {
    Lanes row[Vectors];
    for (int j = 0; j < Vectors; j++) row[j] = load(b + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; i++)
      for (int j = 0; j < Vectors; j++) sums[i][j] += a[i * s.down] * row[j];
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; i++) {
    for (int j = 0; j < Vectors; j++) {
      real* to = s.c + i * s.stride + j * lanes;
      Lanes x = sums[i][j] * s.scale;
      if (s.width >= (j + 1) * lanes) {
        if (s.keep != 0) x += load(to) * s.keep;
        std::memcpy(to, &x, sizeof x);
      } else {
        real part[lanes];
        std::memcpy(part, &x, sizeof x);
        for (Size l = 0; l < s.width - j * lanes; l++) to[l] = s.keep == 0 ? part[l] : part[l] + to[l] * s.keep;
      }
    }
  }
}

// The last rows, fewer than Rows + 1.
template <int Rows, int Vectors>
void multiply_last(const Strip& s, Size rows) {
  if (rows == Rows) return multiply<Rows, Vectors>(s);
  if constexpr (Rows > 1) multiply_last<Rows - 1, Vectors>(s, rows);
}

template <int Vectors>
void multiply_rows(Strip s, Size rows) {
  for (; rows >= strip_rows; rows -= strip_rows, s.a += strip_rows * s.down, s.c += strip_rows * s.stride)
    multiply<strip_rows, Vectors>(s);
  if (rows > 0) multiply_last<strip_rows - 1, Vectors>(s, rows);
}

// Few rows of a do not repay turning b: products of rows that lie in memory as they are, four of b at a time.
template <int Columns>
void multiply_few(const Strip& s, Size rows) {
  for (Size i = 0; i < rows; i++) {
    const real* a = s.a + i * s.down;
    Lanes sums[Columns]{};
    real rest[Columns]{};
    Size p = 0;
    for (; p + lanes <= s.depth; p += lanes) {
      Lanes row = load(a + p);
#pragma GCC unroll 4
      for (int j = 0; j < Columns; j++) sums[j] += row * load(s.b + j * s.below + p);
    }
    for (; p < s.depth; p++)
      for (int j = 0; j < Columns; j++) rest[j] += a[p] * s.b[j * s.below + p];
    for (int j = 0; j < Columns; j++) {
      real total = rest[j], *to = s.c + i * s.stride + j;
      for (Size l = 0; l < lanes; l++) total += sums[j][l];
      *to = s.keep == 0 ? total * s.scale : total * s.scale + *to * s.keep;
    }
  }
}

}  // namespace

void strip_gemm(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale, real keep) {
  alignas(64) real packed[slice * panel];
  Size down = a.transposed ? 1 : a.stride, across = a.transposed ? a.stride : 1;
  if (b.transposed && m < 16 && across == 1) {
    Strip s{a.data, b.data, c, down, across, b.stride, stride, k, 0, scale, keep};
    for (; n >= 4; n -= 4, s.b += 4 * s.below, s.c += 4) multiply_few<4>(s, m);
    for (; n > 0; n--, s.b += s.below, s.c++) multiply_few<1>(s, m);
    return;
  }
  for (Size p = 0; p < k; p += slice) {
    Size depth = std::min(slice, k - p);
    for (Size j = 0; j < n; j += panel) {
      Size width = std::min(panel, n - j);
      Strip s{a.data + p * across, nullptr, c + j, down, across, b.stride, stride, depth, width, scale, p ? 1 : keep};
      if (b.transposed) {
        const real* from = b.data + j * b.stride + p;
        for (Size i = 0; i < depth; i++)
          for (Size q = 0; q < width; q++) packed[i * panel + q] = from[q * b.stride + i];
      } else {
        s.b = b.data + p * b.stride + j;
        for (Size i = 0; width < panel && i < depth; i++) std::copy_n(s.b + i * b.stride, width, packed + i * panel);
      }
      if (b.transposed || width < panel) s.b = packed, s.below = panel;
      if (width <= lanes)
        multiply_rows<1>(s, m);
      else
        multiply_rows<2>(s, m);
    }
  }
}

}  // namespace HEED_NAMESPACE
