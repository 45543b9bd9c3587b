// task_sources.hpp — the sources behind the table of tasks.hpp, and what their families share.
#pragma once

#include "models/data/tasks.hpp"

namespace HEED_NAMESPACE::tasks {

inline int below(Rng& rng, int n) { return static_cast<int>(rng.below(n)); }

/// The number k as a name, from 0 to n - 1.
inline std::vector<std::string> numbers(int n) {
  std::vector<std::string> names;
  for (int k = 0; k < n; k++) names.push_back(std::to_string(k));
  return names;
}

/// Names of the ids of a sequence: padding, start and end, then `names`.
inline std::vector<std::string> sequence_names(const std::vector<std::string>& names) {
  std::vector<std::string> all = {"<pad>", "<start>", "<end>"};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

// Sequences of symbols or numbers.
TaskSource reverse(int longest), copy(int longest), sort(int longest);
TaskSource recall(int pairs), recall_stream(int pairs), partner(int symbols), needle(int), causal_copy(int length);
TaskSource parity(int length), parity_whole(int length), majority(int length), stride_copy(int length);
TaskSource vote(int length), permutation(int length), frequency(int);
// Text.
TaskSource dates(int), prose(int length), listops(int), sentiment(int), documents(int), topics(int);
// Speech.
TaskSource phones(int frames), phones_wave(int frames), speaker(int);
// Images.
TaskSource shapes(int size), far_pair(int), pathfinder(int), boxes(int), glimpses(int);
// Graphs.
TaskSource nodes(int count), molecules(int);

}  // namespace HEED_NAMESPACE::tasks
