// example_file.hpp — sets of examples on disk.
//
// Lines of JSON. The first says what the set is: {"format": "heed.examples.1", "task": "recall", "answer": "each",
// "symbols": 33, "second": 17, "width": 0, "height": 0, "columns": 0, "edge_types": 0, "classes": ["0", ...], "names":
// [], "items": 1000}. Each other is an item: {"symbols": [...], "second": [...], "features": [...], "targets": [...],
// "edges": [[from, to, type], ...]}, without the parts that are empty.
#pragma once

#include "models/data/example.hpp"

namespace HEED_NAMESPACE {

/// The first line of a file of `set`. Throws Error when a name is not UTF-8.
std::string describe(const ExampleSet& set);

/// The set, without items, that such a line describes. Throws Error for anything else; `items` gets their number.
ExampleSet read_description(std::string_view line, std::size_t* items = nullptr);

/// Writes `set` to `path`, whole or not at all. Throws Error for an item with a fault or a number that is not finite,
/// and when writing fails.
void write_examples(const std::string& path, const ExampleSet& set);

/// Reads what write_examples() wrote, the same to the last bit. Throws a DataError with file and line for a line that
/// is not as it should be, an item with a fault, and another number of items.
ExampleSet read_examples(const std::string& path);

}  // namespace HEED_NAMESPACE
