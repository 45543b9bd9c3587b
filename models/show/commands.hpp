// commands.hpp — the verb `show`: the attention of a model on one item, as a page or a picture.
#pragma once

#include "models/run/example_model.hpp"
#include "models/run/run.hpp"

namespace CLI {
class App;
}

namespace HEED_NAMESPACE {

/// Adds `show` to `heed pos`.
void add_show(CLI::App* pos);

/// Adds `show` to a kind of model; `items` gives those of a file, or, without name, of the model's own task.
void add_show(CLI::App* app, const ModelKind& kind,
              const std::function<ExampleSet(const Trained&, const std::string& file)>& items);

}  // namespace HEED_NAMESPACE
