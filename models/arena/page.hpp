// page.hpp — the arena's pictures, and one page with all of them and a table that can be sorted.
#pragma once

#include "models/arena/results.hpp"

namespace HEED_NAMESPACE {

/// Examples a second to the right, mean accuracy up, area for memory, colour for the group, at figure_length().
std::string arena_bubbles(const Standings& all);
/// Milliseconds of a training step for one item against the length.
std::string arena_times(const Standings& all);
/// Peak memory of a training step against the length.
std::string arena_memory(const Standings& all);
/// Accuracies, a row a mixer, a column a task.
std::string arena_matrix(const Standings& all);

/// A page that needs no other file: the pictures, the table, and `about`, lines that say how the results came about.
std::string arena_page(const Standings& all, const std::vector<std::string>& about);

}  // namespace HEED_NAMESPACE
