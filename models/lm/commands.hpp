// commands.hpp — the kind of model behind `heed lm`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& lm_kind();
/// Adds `lm` and its verbs, `sample` among them, to the command line.
void add_lm(CLI::App& heed, Program& program);

/// A text file as a set: stretches of `length` bytes, each byte's answer being the next.
ExampleSet text_set(const std::string& path, std::size_t length = 128);

}  // namespace HEED_NAMESPACE
