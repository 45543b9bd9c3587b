// tasks.hpp — small tasks drawn from a seed, each made to show what some way of attending can do or cannot.
//
//   ExampleSet train = make_task("listops", 20000, seed, Split::train);
//   ExampleSet far = make_task("recall:63", 1000, seed);  // with 63 pairs instead of 12
// The same name, count, seed and split give the same items on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "models/data/example.hpp"
#include "tensor/rng.hpp"

namespace HEED_NAMESPACE {

/// Where items of a task come from.
struct TaskSource {
  ExampleSet set;  ///< all but its items
  std::function<Example(Rng& rng)> draw;
};

/// An entry of the table.
struct TaskKind {
  const char* name;
  const char* help;              ///< one line: the question, and what the size is
  std::size_t train, dev, test;  ///< usual numbers of items
  bool small;                    ///< whether items come again so soon that splits have to be kept apart
  int size, least, most;         ///< of "name:size": what it is by default, and its bounds; 0: there is none
  TaskSource (*source)(int size);
};

/// All tasks, by family: sequences, text, speech, images, graphs.
const std::vector<TaskKind>& task_kinds();

/// The entry that `name` or "name:size" names. Throws Error when there is none.
const TaskKind& task_kind(std::string_view name);

/// A part of what a seed gives. No item of a small task is in two of train, dev and test, whatever their seeds: its
/// hash chooses one, 8 : 1 : 1. Those of other tasks are drawn from streams of their own.
enum class Split { all, train, dev, test };

/// `count` items of the task `name`, a name of the table, perhaps with ":size". Throws Error for another name or size.
ExampleSet make_task(std::string_view name, std::size_t count, std::uint64_t seed, Split split = Split::all);

/// A number made from symbols and edges. Graphs that differ only in the order of their nodes have the same.
std::uint64_t item_hash(const Example& item);

/// A rectangle in an image; left and top count pixels from 0.
struct Box {
  int kind, left, top, width, height;
  bool operator==(const Box&) const = default;
};

/// The boxes that the targets of the task "boxes" spell, five ids each.
std::vector<Box> read_boxes(const std::vector<int>& ids);

}  // namespace HEED_NAMESPACE
