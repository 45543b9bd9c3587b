// batches.hpp — items of like length go together, so that little of a batch is padding.
#pragma once

#include "models/run/learner.hpp"

namespace HEED_NAMESPACE {

/// Groups of items of at most `tokens` positions, padding included (but at least one item). With a generator: lengths
/// are jittered, so that groups differ from epoch to epoch, and groups come in random order. O(n log n).
std::vector<Group> batches_of_like_length(const std::vector<std::size_t>& lengths, std::size_t tokens, Rng* shuffle);

}  // namespace HEED_NAMESPACE
