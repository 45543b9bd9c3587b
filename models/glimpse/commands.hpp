// commands.hpp — the kind of model behind `heed glimpse`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& glimpse_kind();
/// Adds `glimpse` and its verbs to the command line.
void add_glimpse(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
