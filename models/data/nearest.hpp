// nearest.hpp — the name that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Letters to insert, delete, replace, or swap with their neighbour, to make one word of the other. O(a b).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `word`: one that begins with it, or else one a third of its letters away at most; empty when
/// there is none.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// "; did you mean NAME?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace heed
