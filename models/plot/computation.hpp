// computation.hpp — a computation as a picture.
#pragma once

#include "autograd/graph.hpp"

namespace HEED_NAMESPACE {

/// The graph behind `x` as SVG, see graph_steps(): parameters, then what was made of them, with shapes.
std::string graph_svg(const Var& x, const NamedVars& names = {}, const std::string& title = "");

}  // namespace HEED_NAMESPACE
