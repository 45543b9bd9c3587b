// commands.hpp — the kind of model behind `heed text`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& text_kind();
/// Adds `text` and its verbs to the command line.
void add_text(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
