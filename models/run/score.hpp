// score.hpp — counts of what is right, in all and by class.
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include <vector>

#include "models/run/learner.hpp"

namespace HEED_NAMESPACE {

/// Right and all.
struct Score {
  std::size_t right = 0, all = 0;
  void add(bool is_right) {
    right += is_right;
    all++;
  }
  /// In percent; 0 of nothing is 0.
  double percent() const { return all ? 100.0 * static_cast<double>(right) / static_cast<double>(all) : 0; }
};

/// One class: how often it was meant, given, and both.
struct ClassCount {
  std::size_t right = 0, gold = 0, predicted = 0;
  double precision() const { return predicted ? static_cast<double>(right) / static_cast<double>(predicted) : 0; }
  double recall() const { return gold ? static_cast<double>(right) / static_cast<double>(gold) : 0; }
  double f1() const {
    return gold + predicted ? 2 * static_cast<double>(right) / static_cast<double>(gold + predicted) : 0;
  }
};
using ClassTable = std::map<std::string, ClassCount>;

/// One kind of error, with an example.
struct Confusion {
  std::string gold, predicted, example;
  std::size_t count = 0;
};

void count(ClassTable& table, const std::string& gold, const std::string& predicted);
/// Mean F1 of the classes that were meant at all.
double macro_f1(const ClassTable& table);
/// Prints "NAME  RATE %  (RIGHT of ALL)"; nothing when there is nothing.
void print(std::ostream& out, const char* name, const Score& score);
/// Prints precision, recall and F1 of each class. `what` and `items` name classes and items, as "tag" and "words".
void print(std::ostream& out, const ClassTable& table, const char* what, const char* items);

/// What the tables print, as a JSON object: `scores` by name, `classes`, `macro_f1`, `confusions`.
std::string to_json(const std::vector<std::pair<std::string, Score>>& scores, const ClassTable& classes,
                    const std::vector<Confusion>& confusions);
/// The metrics, then all members of Evaluation::json, as one JSON object.
std::string to_json(const Evaluation& evaluation);

}  // namespace HEED_NAMESPACE
