#include "tensor/gemm.hpp"

#if HEED_ONEDNN && !HEED_DOUBLE  // oneDNN has no product in double
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#else
#include <cblas.h>
#endif

#include <cstdlib>
#include <string_view>

#include "tensor/kernels.hpp"
#include "tensor/strip_gemm.hpp"

// Present when the engine, or anything else in the program, uses OpenMP.
extern "C" void omp_set_num_threads(int) __attribute__((weak));

namespace HEED_NAMESPACE {

#if HEED_ONEDNN && !HEED_DOUBLE

static void call_engine(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale,
                        real keep) {
  // Unlike BLAS it does not scale c when there is nothing to add to it.
  for (Size row = 0; k == 0 && row < m; row++)
    for (Size i = row * stride; i < row * stride + n; i++) c[i] = keep == 0 ? 0 : keep * c[i];
  dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, scale, a.data,
                                    a.stride, b.data, b.stride, keep, c, stride);
  check(status == dnnl_success, "gemm", "oneDNN answers ", dnnl_status2str(status), " to ", m, " x ", n, " x ", k);
}

static std::string engine_name() {
  const dnnl_version_t& v = *dnnl_version();
  std::ostringstream name;
  name << "oneDNN " << v.major << '.' << v.minor << '.' << v.patch << ", "
       << dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
  return name.str();
}

#else

static void call_engine(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale,
                        real keep) {
  [[maybe_unused]] static const bool once = (openblas_set_num_threads(1), true);
  auto blas = [](auto number) {
    if constexpr (sizeof(number) == sizeof(double))
      return cblas_dgemm;
    else
      return cblas_sgemm;
  }(real());
  blas(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans,
       static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), scale, a.data, static_cast<int>(a.stride), b.data,
       static_cast<int>(b.stride), keep, c, static_cast<int>(stride));
}

static std::string engine_name() { return std::string(openblas_get_config()) + ", kernel " + openblas_get_corename(); }

#endif

// HEED_GEMM=engine leaves every product to the engine, HEED_GEMM=own leaves it none.
static Size own_limit() {
  static const Size limit = [] {
    const char* text = std::getenv("HEED_GEMM");
    std::string_view choice = text ? text : "";
    check(choice.empty() || choice == "engine" || choice == "own", "HEED_GEMM", "expected engine or own, got \"",
          choice, '"');
    return choice == "engine" ? 0 : choice == "own" ? std::numeric_limits<Size>::max() : strip_gemm_limit;
  }();
  return limit;
}

std::string gemm_name() {
  std::ostringstream name;
  name << engine_name();
  if (own_limit() > 0) name << "; heed's own kernel first, in " << strip_gemm_vector << "-byte vectors";
  if (own_limit() > 0 && own_limit() < std::numeric_limits<Size>::max()) name << ", up to " << own_limit() << " terms";
  return name.str();
}

void gemm(const Matrix& a, const Matrix& b, real* c, Size stride, Size m, Size n, Size k, real scale, real keep) {
  if (k > 0 && m * n * k <= own_limit()) return strip_gemm(a, b, c, stride, m, n, k, scale, keep);
  // With OpenMP the number of threads belongs to the calling thread, whoever started that.
  [[maybe_unused]] thread_local const bool alone = (omp_set_num_threads ? omp_set_num_threads(1) : void(), true);
  if (m > 0 && n > 0) call_engine(a, b, c, stride, m, n, k, scale, keep);
}

namespace {

// Whether the engine can read the last two axes as they lie.
bool readable(const Tensor& x) {
  Size rows = x.size(-2), columns = x.size(-1), down = x.strides()[-2], across = x.strides()[-1];
  bool plain = (across == 1 || columns == 1) && (down >= columns || rows == 1);
  bool transposed = (down == 1 || rows == 1) && (across >= rows || columns == 1);
  return plain || transposed;
}

// The matrix at data, a view whose strides passed readable().
Matrix matrix(const Tensor& x, const real* data) {
  Size rows = x.size(-2), columns = x.size(-1), down = x.strides()[-2], across = x.strides()[-1];
  if ((across == 1 || columns == 1) && (down >= columns || rows == 1))
    return {data, std::max(rows == 1 ? columns : down, Size(1)), false};
  return {data, std::max(columns == 1 ? rows : across, Size(1)), true};
}

const real* at(const Matrix& x, Size row, Size column) {
  return x.data + (x.transposed ? row + column * x.stride : row * x.stride + column);
}

struct Blocks {
  Size rows, columns;
};

// At most 256 x 512, and at least four blocks to share out once a product is worth several microseconds.
Blocks block_size(Size m, Size n, Size k, Size batch) {
  Blocks block{std::min<Size>(m, 256), std::min<Size>(n, 512)};
  auto count = [&] { return batch * ((m + block.rows - 1) / block.rows) * ((n + block.columns - 1) / block.columns); };
  while (count() < 4 && block.rows * block.columns * k > (Size(1) << 19)) {
    Size& longer = block.rows >= block.columns ? block.rows : block.columns;
    if (longer < 64) break;
    longer = (longer / 2 + 15) / 16 * 16;
  }
  return block;
}

// out = a b + bias in every row, or out += a b.
Tensor multiply(const Tensor& a, const Tensor& b, Tensor out, bool add, const real* bias) {
  Size m = a.size(-2), k = a.size(-1), n = b.size(-1), batch = out.numel() / std::max<Size>(1, m * n);
  if (batch == 0) return out;
  if (k == 0) {
    if (!add) std::fill_n(out.mut(), out.numel(), real(0));
    return out;
  }
  Shape outer = out.shape().erase(-1).erase(-1);
  auto batch_strides = [&](const Tensor& x) {
    return broadcast_strides("matmul", x.shape().erase(-1).erase(-1), x.strides().erase(-1).erase(-1), outer);
  };
  kernel::Walk<2> walk(outer, {batch_strides(a), batch_strides(b)});
  Blocks block = block_size(m, n, k, batch);
  Size down = (m + block.rows - 1) / block.rows, across = (n + block.columns - 1) / block.columns;
  real* c = out.mut();
  Size per_block = block.rows * block.columns * k;
  count_work(batch * m * n * k);
  parallel_for(batch * down * across, std::max<Size>(1, (Size(1) << 18) / per_block), [&](Size begin, Size end) {
    for (Size i = begin; i < end; i++) {
      Size item = i / (down * across), row = i / across % down * block.rows, column = i % across * block.columns;
      walk.runs(item, item + 1, [&](Size, const std::array<Size, 2>& offsets, Size) {
        Matrix x = matrix(a, a.data() + offsets[0]), y = matrix(b, b.data() + offsets[1]);
        Matrix x_part{at(x, row, 0), x.stride, x.transposed}, y_part{at(y, 0, column), y.stride, y.transposed};
        Size rows = std::min(block.rows, m - row), columns = std::min(block.columns, n - column);
        real* to = c + (item * m + row) * n + column;
        if (bias)
          for (Size r = 0; r < rows; r++) std::copy_n(bias + column, columns, to + r * n);
        gemm(x_part, y_part, to, n, rows, columns, k, 1, add || bias ? real(1) : real(0));
      });
    }
  });
  return out;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Tensor initial) {
  check(a.rank() >= 2 && b.rank() >= 2, "matmul", "both operands need at least two axes: ", a.shape(), " x ",
        b.shape());
  check(a.size(-1) == b.size(-2), "matmul", "inner sizes differ: ", a.shape(), " x ", b.shape());
  Shape outer = broadcast("matmul", a.shape().erase(-1).erase(-1), b.shape().erase(-1).erase(-1));
  Shape shape = outer.insert(-1, a.size(-2)).insert(-1, b.size(-1));
  check(!initial.defined() || initial.shape() == shape, "matmul", "initial has shape ", initial.shape(),
        " but the product is ", shape);
  // One row for all is laid down block by block, while the block is in the cache.
  bool row = initial.defined() && initial.strides()[-2] == 0 && initial.strides()[-1] == 1 && a.size(-1) > 0 &&
             outer.rank() == 0;
  bool add = initial.defined() && !row;
  const real* bias = row ? initial.data() : nullptr;
  Tensor out = add ? std::move(initial) : Tensor(shape);
  return multiply(readable(a) ? a : a.compact(), readable(b) ? b : b.compact(), std::move(out), add, bias);
}

}  // namespace HEED_NAMESPACE
