// subjects.hpp — models with an item to answer, as scenes want them.
#pragma once

#include "models/pos/model_file.hpp"
#include "models/run/example_model.hpp"
#include "models/show/scene.hpp"

namespace HEED_NAMESPACE {

/// A checkpoint of the same model without dropout, so that gradients are those of the model that answers.
Checkpoint without_dropout(Checkpoint checkpoint);

/// A tagger on one sentence; `gold` is empty or has a tag for each word. The model must outlive the subject. Throws
/// Error when their numbers differ and for a tag that the model does not know.
Subject tagger_subject(const PosModel& model, const std::vector<std::string>& words,
                       const std::vector<std::string>& gold);

/// Any model over example sets on item number `item` of `set`, from 0. The model must outlive the subject.
Subject example_subject(const Trained& trained, const ExampleSet& set, std::size_t item);

/// An item from its symbols' names (numbers from 1 where they have none) with spaces between, or, for models of bytes,
/// from the text itself. Throws Error for a symbol that the model does not know and when it reads numbers.
ExampleSet written_item(const Trained& trained, const std::string& text);

}  // namespace HEED_NAMESPACE
