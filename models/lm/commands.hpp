// commands.hpp — the kind of model behind `heed lm`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& lm_kind();
/// Adds `lm` and its verbs, `sample` among them, to the command line.
void add_lm(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
