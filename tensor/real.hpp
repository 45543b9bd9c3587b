// real.hpp — the element type, and the namespace that keeps the two builds of the library apart.
//
// `real` is float to train and double to check gradients: one source tree, two libraries. Everything that depends on it
// lives in HEED_NAMESPACE, whose inline part differs between the builds, so that mixing their objects is a link error.
#pragma once

#include <cstddef>

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "heed: -ffinite-math-only hides NaN and infinity, on which masks and checks rely; build without it"
#endif

#if defined(HEED_DOUBLE) && HEED_DOUBLE
#define HEED_NAMESPACE heed::inline real_double
namespace HEED_NAMESPACE {
using real = double;
}
#else
#define HEED_NAMESPACE heed::inline real_float  ///< namespace of the library, named after the precision
namespace HEED_NAMESPACE {
using real = float;  ///< every number: float, or double with HEED_DOUBLE=1
}
#endif

namespace heed {
/// A size, an index or a stride, in elements.
using Size = std::ptrdiff_t;
}  // namespace heed
