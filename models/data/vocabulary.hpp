// vocabulary.hpp — numbers for words, characters or tags.
//
// Ids count from 0: the reserved entries, then the others, most frequent first. A reserved entry cannot be looked up by
// its name, so a word `<pad>` in the data is a word like any other. The list of entries in id order is all that a
// checkpoint has to keep; counts are known only to the vocabulary that was built from them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/conllu.hpp"

namespace heed {

/// How often each text occurs.
using Counts = std::map<std::string, std::size_t, std::less<>>;

/// Which entries a vocabulary has besides the texts; `<pad>` comes first. A set of tags needs neither.
struct Reserved {
  bool pad = true;
  bool unknown = true;
};

/// Texts and their ids, both ways.
class Vocabulary {
 public:
  /// What lookup gives for a text that is not there, if there is no unknown entry.
  static constexpr int none = -1;

  /// Makes a vocabulary of no entries at all.
  Vocabulary() = default;

  /// Numbers the texts that occur `min_count` times or more, by falling count, then by their bytes.
  explicit Vocabulary(const Counts& counts, std::size_t min_count = 1, Reserved reserved = {});

  /// Restores a vocabulary from entries(); throws an Error if an entry is there twice or a reserved one is missing.
  explicit Vocabulary(std::vector<std::string> entries, Reserved reserved = {});

  /// Makes lookup try the lower-case form of a text that is not there (it is not tried by default).
  void fall_back_to_lower_case(bool on) { lower_case_ = on; }

  /// Returns the id of `text`, else of its lower-case form if that is on, else unknown(). Takes logarithmic time.
  int id(std::string_view text) const;

  /// Returns the entry of `id`; throws an Error if there is no such id.
  const std::string& text(int id) const;

  /// Returns how often the entry of `id` was counted: 0 for reserved ones, and after restoring from entries().
  std::size_t count(int id) const;

  /// Returns all entries in id order, reserved ones included.
  const std::vector<std::string>& entries() const { return entries_; }

  /// Returns the number of entries.
  int size() const { return static_cast<int>(entries_.size()); }

  /// Returns the id of the padding entry, or none.
  int pad() const { return reserved_.pad ? 0 : none; }

  /// Returns the id of the unknown entry, or none.
  int unknown() const { return reserved_.unknown ? int{reserved_.pad} : none; }

 private:
  std::vector<std::string> reserved_entries() const;
  std::size_t checked(int id) const;
  void index();

  Reserved reserved_ = {false, false};
  bool lower_case_ = false;
  std::vector<std::string> entries_;
  std::vector<std::size_t> counts_;
  std::map<std::string, int, std::less<>> ids_;
};

/// Counts the forms of all words.
Counts count_forms(const std::vector<Sentence>& sentences);

/// Counts the gold tags; words without one do not count, so `_` is no tag.
Counts count_tags(const std::vector<Sentence>& sentences);

/// Returns the share of words whose form is unknown to `vocabulary`, from 0 to 1; 0 if there are no words.
double unknown_rate(const Vocabulary& vocabulary, const std::vector<Sentence>& sentences);

}  // namespace heed
