#include "models/program/info.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "models/run/machine.hpp"
#include "tensor/gemm.hpp"
#include "tensor/rng.hpp"
#include "tensor/threads.hpp"

#ifndef HEED_FLAGS
#define HEED_FLAGS "unknown"
#endif

namespace heed {

namespace {

// The greatest difference between products and sums in double, relative to the size of the sums. Small and large, with
// edges of every kind: both heed's kernel and the library's come up. No threads: a child may not use its parent's.
double product_error() {
  Rng rng(1);
  double worst = 0;
  for (Size size : {1, 7, 33, 64, 129, 300}) {
    Size m = size, n = size + 3, k = 2 * size + 1;
    auto fill = [&](Size count) {
      std::vector<real> x(static_cast<std::size_t>(count));
      for (real& v : x) v = static_cast<real>(rng.uniform() - 0.5);
      return x;
    };
    std::vector<real> a = fill(m * k), b = fill(k * n), c(static_cast<std::size_t>(m * n));
    gemm({a.data(), k}, {b.data(), n}, c.data(), n, m, n, k);
    for (Size i = 0; i < m; i++)
      for (Size j = 0; j < n; j++) {
        double sum = 0, scale = 1e-3;
        for (Size l = 0; l < k; l++) {
          double term = static_cast<double>(a[static_cast<std::size_t>(i * k + l)]) *
                        static_cast<double>(b[static_cast<std::size_t>(l * n + j)]);
          sum += term;
          scale += std::abs(term);
        }
        double error = std::abs(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) - sum) / scale;
        worst = std::isfinite(error) ? std::max(worst, error) : 1e30;
      }
  }
  return worst;
}

constexpr double tolerance = 1e-5;  // float sums of up to 601 terms come to 1e-6

// In a process of its own: kernels for another processor end theirs.
std::string self_test() {
  pid_t child = fork();
  if (child < 0) return "could not start";
  if (child == 0) _exit(product_error() < tolerance ? 0 : 1);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "could not end";
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "products are wrong";
}

}  // namespace

int info_command() {
  std::printf("heed %s\ncompiler   %s\nflags      %s\nprocessor  %s\nproducts   %s\nthreads    %d\n", HEED_VERSION,
              __VERSION__, HEED_FLAGS, cpu_name().c_str(), gemm_name().c_str(), threads());
  std::fflush(stdout);
  std::string fault = self_test();
  std::printf("self-test  %s\n",
              fault.empty() ? "products of six sizes are right"
                            : (fault + "; try OPENBLAS_CORETYPE=Haswell (or Sandybridge) in the environment").c_str());
  return fault.empty() ? 0 : 1;
}

}  // namespace heed
