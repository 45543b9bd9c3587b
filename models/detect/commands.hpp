// commands.hpp — the kind of model behind `heed detect`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& detect_kind();
/// Adds `detect` and its verbs to the command line.
void add_detect(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
