// verbs.hpp — the verbs that every kind of model over example sets has: train, eval, predict.
#pragma once

#include "models/run/example_model.hpp"
#include "models/run/run.hpp"

namespace CLI {
class App;
}

namespace HEED_NAMESPACE {

/// Adds the kind and its verbs to the command line; returns it for more verbs. The kind must outlive the program.
CLI::App* add_kind(CLI::App& heed, Program& program, const ModelKind& kind);

/// Adds `heed data TASK --out FILE`.
void add_data(CLI::App& heed, Program& program);

/// The model in a folder or file.
std::unique_ptr<Trained> load_trained(const ModelKind& kind, const std::string& folder_or_file);

/// Reads an example file, or, with another name than *.jsonl, one of the kind's field. With `like`: for that model.
ExampleSet read_set(const ModelKind& kind, const std::string& path, const Settings& settings,
                    const ExampleSet* like = nullptr);

/// An item's answer as a line of text.
std::string answer_text(const ExampleSet& set, const std::vector<int>& answer);

}  // namespace HEED_NAMESPACE
