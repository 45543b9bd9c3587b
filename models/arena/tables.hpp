// tables.hpp — results as tables: Markdown for a page, JSON for other programs.
#pragma once

#include "models/arena/results.hpp"

namespace HEED_NAMESPACE {

/// The length at which the figure compares speed and memory: 1024, or the greatest measured below it.
Size figure_length(const Standings& all);

/// {"tasks", "lengths", "mixers": [...]}, each mixer with its accuracies, mean, speeds, memory and parameters.
std::string standings_json(const Standings& all);

/// A block of Markdown by its name: "scores", "steps" (speed and memory), "beside" (ours beside the published table),
/// "agreement" (how alike the two rank) or "promises". Throws Error for another name.
std::string arena_block(const std::string& name, const std::vector<ArenaRow>& rows);

/// `page` with what stands between `<!-- arena: NAME -->` and `<!-- /arena -->` replaced by the block of that name,
/// wherever it does. Throws Error for a mark that has no end.
std::string with_blocks(const std::string& page, const std::vector<ArenaRow>& rows);

/// Spearman's correlation of the ranks of two lists of one length, ties sharing a rank: from -1 to 1, NaN below two.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace HEED_NAMESPACE
