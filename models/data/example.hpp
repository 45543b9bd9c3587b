// example.hpp — items to learn from, the same struct for text, speech, images, graphs and translation, and batches.
#pragma once

#include <string>

#include "tensor/mask.hpp"
#include "tensor/tensor.hpp"

namespace HEED_NAMESPACE {

/// An edge of a graph: `to` hears from `from`; `type` counts from 0.
struct GraphEdge {
  int from, to, type = 0;
};

/// One item: a set or sequence of N positions and its answer. A position has symbols (ids from 1; 0 is padding), up to
/// two, or `width` numbers, or both.
struct Example {
  std::vector<int> symbols;      ///< N, or empty
  std::vector<int> second;       ///< N, or empty: a second symbol at each position, 0 where there is none
  std::vector<float> features;   ///< N x width, or empty
  std::vector<int> targets;      ///< N classes or one (-1: not known), or the ids of another sequence without its
                                 ///< start and end, which models add
  std::vector<GraphEdge> edges;  ///< of a graph
};

/// What is asked of a set: one class a position, one class an item, or another sequence.
enum class Answer { each, whole, sequence };

/// Items with all that a model must know to read them.
struct ExampleSet {
  std::string task;
  Answer answer = Answer::whole;
  Size symbols = 0, second = 0;      ///< sizes of the vocabularies, padding included; 0: none
  Size width = 0;                    ///< numbers a position; 0: none
  Size height = 0, columns = 0;      ///< of images: N = height x columns, row by row
  Size edge_types = 0;               ///< of graphs
  std::vector<std::string> classes;  ///< names of the targets; of sequences: of their ids, 0 padding, 1 start, 2 end
  std::vector<std::string> names;    ///< of symbols, to print them, 0 padding; may be empty
  std::vector<Example> items;
};

/// What keeps `item` from being one of `set`, in words: no positions, parts that differ in length, an id or a node that
/// is out of range, another number of targets. Empty when nothing does.
std::string fault_of(const ExampleSet& set, const Example& item);

/// Items padded to the longest of them.
struct ExampleBatch {
  Size size = 0, length = 0;                  ///< B, N
  std::vector<int> symbols, second;           ///< B N, 0 in padding
  Tensor features;                            ///< (B, N, width)
  Mask padding;                               ///< (B, N), true = a real position
  std::vector<int> targets;                   ///< B N, -1 in padding, or B; sequences: B N', 0 in padding
  Size target_length = 0;                     ///< N' of sequences
  std::vector<std::vector<GraphEdge>> edges;  ///< by item
};

/// The items `ids` of `set` as one batch. Throws Error for no ids, an id out of range and an item that has a fault.
ExampleBatch make_batch(const ExampleSet& set, const std::vector<std::size_t>& ids);

}  // namespace HEED_NAMESPACE
