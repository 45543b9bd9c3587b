// commands.hpp — the kind of model behind `heed speech`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& speech_kind();
/// Adds `speech` and its verbs to the command line.
void add_speech(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
