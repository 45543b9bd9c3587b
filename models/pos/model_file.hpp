// model_file.hpp — a tagger with its vocabularies in one safetensors file, and back.
#pragma once

#include <memory>

#include "models/pos/tagger.hpp"
#include "nn/checkpoint.hpp"

namespace HEED_NAMESPACE {

/// A tagger with everything it stands on. Not copied or moved: the model keeps a pointer to the generator.
struct PosModel {
  Lexicon lexicon;
  Rng rng;
  Tagger tagger;
  PosModel(Lexicon words, const TaggerOptions& options, std::uint64_t seed)
      : lexicon(std::move(words)), rng(seed), tagger(lexicon, options, rng) {}
  PosModel(const PosModel&) = delete;
  PosModel& operator=(const PosModel&) = delete;
};

/// Weights, options and vocabularies.
Checkpoint to_checkpoint(PosModel& model);
/// The opposite. Throws Error when the checkpoint is not a tagger's.
std::unique_ptr<PosModel> from_checkpoint(const Checkpoint& checkpoint);

/// Every option by name and its present value, for logs.
std::string describe(const TaggerOptions& options);

}  // namespace HEED_NAMESPACE
