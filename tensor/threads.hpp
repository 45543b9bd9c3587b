// threads.hpp — the library's own threads: the only place that starts any.
//
// Work is cut into parts whose bounds do not depend on the number of threads where results would; parts are claimed
// from a counter and the caller joins in. Workers spin for some microseconds after their last part, then sleep, so that
// neither small layers nor other programs suffer. Products run on one thread each (see gemm.cpp).
#pragma once

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// Number of threads used from now on, at least 1. Not while another thread computes.
void set_threads(int count);

/// Number of threads in use. Default: HEED_THREADS, else the physical cores this process may run on.
int threads();

namespace detail {
using Body = void (*)(const void* context, Size begin, Size end);
void parallel_for(Size n, Size grain, Body body, const void* context);
}  // namespace detail

/// Calls body(begin, end) on disjoint ranges that cover [0, n), each of about `grain` or more, in any order and on any
/// thread; a range of at most `grain` runs on the caller's. `body` must not throw. A call from inside a body runs
/// serially.
template <class F>
void parallel_for(Size n, Size grain, const F& body) {
  if (n <= grain) {
    if (n > 0) body(Size(0), n);
    return;
  }
  detail::parallel_for(
      n, grain, [](const void* f, Size begin, Size end) { (*static_cast<const F*>(f))(begin, end); }, &body);
}

}  // namespace HEED_NAMESPACE
