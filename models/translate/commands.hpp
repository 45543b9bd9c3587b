// commands.hpp — the kind of model behind `heed translate`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& translate_kind();
/// Adds `translate` and its verbs to the command line.
void add_translate(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
