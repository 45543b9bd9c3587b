// commands.hpp — the kind of model behind `heed image`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& image_kind();
/// Adds `image` and its verbs to the command line.
void add_image(CLI::App& heed, Program& program);

}  // namespace HEED_NAMESPACE
