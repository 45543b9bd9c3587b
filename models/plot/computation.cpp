#include "models/plot/computation.hpp"

#include "models/plot/charts.hpp"

namespace HEED_NAMESPACE {

std::string graph_svg(const Var& x, const NamedVars& names, const std::string& title) {
  GraphPicture picture{.title = title};
  for (const GraphStep& step : graph_steps(x, names)) {
    for (std::size_t input : step.inputs) picture.links.push_back({input, picture.nodes.size()});
    picture.nodes.push_back({{step.name, step.shape.str()}, step.parameter ? "parameter" : "operation"});
  }
  return graph_picture(picture);
}

}  // namespace HEED_NAMESPACE
