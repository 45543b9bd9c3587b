// commands.hpp — the kind of model behind `heed graph`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& graph_kind();
/// Adds `graph` and its verbs to the command line.
void add_graph(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
