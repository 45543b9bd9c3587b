// commands.hpp — what `heed plot` does.
#pragma once

#include "models/run/run.hpp"

namespace CLI {
class App;
}

namespace HEED_NAMESPACE {

/// Adds `plot`, which compares training runs, to the command line.
void add_plot(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
