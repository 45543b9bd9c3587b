// commands.hpp — `heed arena`: score, speed and memory of all mixers, as the lecture's last figure has them.
#pragma once

#include "models/run/run.hpp"

namespace CLI {
class App;
}

namespace HEED_NAMESPACE {

/// Adds `arena` and its verbs to the command line.
void add_arena(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
