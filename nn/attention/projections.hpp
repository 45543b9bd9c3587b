// projections.hpp — what most kinds of attention own: q, k, v, o for a number of heads.
#pragma once

#include "nn/linear.hpp"

namespace HEED_NAMESPACE {

/// q, k, v, o = x W + b, each (D, D), and a number of heads that divides D, else throws Error; a base of layers.
struct HeadProjections : Module {
  const char* name;   ///< of the layer, in messages
  Size heads;         ///< H, divides D
  Linear q, k, v, o;  ///< (D) -> (D) each
  HeadProjections(const char* who, Size dim, Size head_count, Rng& rng)
      : name(who),
        heads((check(head_count > 0 && dim % head_count == 0, who, head_count, " heads do not divide ", dim),
               head_count)),
        q(sub("q", Linear(dim, dim, rng))),
        k(sub("k", Linear(dim, dim, rng))),
        v(sub("v", Linear(dim, dim, rng))),
        o(sub("o", Linear(dim, dim, rng))) {}
};

}  // namespace HEED_NAMESPACE
