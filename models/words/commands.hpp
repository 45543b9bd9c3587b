// commands.hpp — the kind of model behind `heed words`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& words_kind();
/// Adds `words` and its verbs, `neighbours` and `map` among them, to the command line.
void add_words(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
