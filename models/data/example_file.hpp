// example_file.hpp — example sets on disk, whatever they hold: a line of JSON that describes the set, then one an item.
//
//   {"task":"listops","answer":"whole","symbols":16,...}
//   {"symbols":[13,3,10,15],"targets":[9]}
#pragma once

#include "models/data/example.hpp"

namespace HEED_NAMESPACE {

/// Writes a set that read_examples() gives back the same, to the bit. Throws Error when the disk refuses.
void write_examples(const std::string& path, const ExampleSet& set);

/// Reads what write_examples() wrote. Throws Error with file, line and reason: no JSON, a key that is missing or
/// unknown, or a number outside of what the first line says.
ExampleSet read_examples(const std::string& path);

/// The first line, and its opposite; `where` names the text in errors.
std::string describe(const ExampleSet& set);
ExampleSet parse_description(const std::string& text, const std::string& where);

}  // namespace HEED_NAMESPACE
