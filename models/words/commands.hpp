// commands.hpp — the kind of model behind `heed words`.
#pragma once

#include "models/run/verbs.hpp"

namespace HEED_NAMESPACE {

const ModelKind& words_kind();
/// Adds `words` and its verbs, `neighbours` and `map` among them, to the command line.
void add_words(CLI::App& heed, Program& program);

/// A text, a sentence a line, words with spaces between, as a set; with `like`, in the words of that set, others left
/// out.
ExampleSet sentences_set(const std::string& path, const ExampleSet* like);

}  // namespace HEED_NAMESPACE
