// results.hpp — what the arena found: one row a cell or a measurement, in a CSV that is complete after each of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// A line of results.csv: a cell (a mixer trained on a task) or a measurement (its training step at one length).
struct ArenaRow {
  bool cell = true;
  std::string mixer = {}, group = {}, spec = {};
  std::string at;       ///< the task, or the length
  double accuracy = 0;  ///< of a cell: share of the test items, from 0 to 1
  double chance = 0;    ///< of a cell: the share that the most frequent class has
  Size items = 0;       ///< tested; of a measurement: items in the batch
  Size parameters = 0;
  Size updates = 0;                 ///< of a cell
  double seconds = 0;               ///< of a cell, of processor time
  std::vector<double> rounds = {};  ///< of a measurement: seconds of processor time a step, each time it was measured
  Size peak_bytes = 0;  ///< of a measurement: most bytes that tensors held, parameters and optimiser included
  /// Of a measurement: items that a training step handles in a second of one thread, in the fastest round.
  double examples_per_second() const;
  /// Of a measurement: how far the two fastest rounds differ, as a share of the fastest; 1 for fewer than two.
  double spread() const;
  bool operator==(const ArenaRow&) const = default;
};

/// The header, and a row, without line ends.
std::string arena_header();
std::string to_csv(const ArenaRow& row);
/// Throws Error for a line that is none.
ArenaRow row_from_csv(const std::string& line);

/// The rows of a file. Throws Error for a file that is none of the arena's.
std::vector<ArenaRow> read_arena(const std::string& path);
std::string arena_csv(const std::vector<ArenaRow>& rows);

/// All that is known of one mixer.
struct Standing {
  std::string mixer = {}, group = {};
  std::map<std::string, ArenaRow> cells = {};  ///< by task
  std::map<Size, ArenaRow> steps = {};         ///< by length
  std::optional<double> mean = {};             ///< of the accuracies, when there is one for every task
  Size parameters = 0;                         ///< on the task where they are the most
  double parameter_share = 0;  ///< greatest difference from full attention's on one task, as a share; signed
};

/// Standings in the order of the rows, and the tasks in theirs.
struct Standings {
  std::vector<std::string> tasks;
  std::vector<Standing> list;
  std::vector<Size> lengths;
  /// nullptr when it did not compete.
  const Standing* find(const std::string& mixer) const;
};
Standings standings(const std::vector<ArenaRow>& rows);

}  // namespace HEED_NAMESPACE
