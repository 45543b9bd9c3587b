// conllu.hpp — sentences in the CoNLL-U format: read, checked, made from words, and written with other tags.
//
// A Sentence owns its lines as they stood in the file, so that all ten columns, comments, multiword ranges and empty
// nodes come out again unchanged; beyond the text it keeps four bytes a word. It does not interpret the tree, nor ask
// for the 17 universal tags. Beyond the format, a byte-order mark, CRLF, blank lines of spaces, several in a row or
// none at the end, and comments anywhere are read; what is written has LF, one empty line after each sentence, and no
// mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/input.hpp"

namespace heed {

/// The tag, or any other column, of a word that has none.
inline constexpr std::string_view no_tag = "_";

/// The syntactic words of one sentence. The views point into the sentence and live as long as it does.
class Sentence {
 public:
  /// Returns the number of words; ranges (`1-2`) and empty nodes (`8.1`) are none.
  std::size_t size() const { return rows_.size(); }

  /// Returns the form of word `i`; it may hold spaces, and may be `_`. Throws std::out_of_range, as the next three do.
  std::string_view form(std::size_t i) const { return column(i, 1); }

  /// Returns the gold tag of word `i`, `_` if it has none.
  std::string_view upos(std::size_t i) const { return column(i, 3); }

  /// Returns the language's own tag of word `i`.
  std::string_view xpos(std::size_t i) const { return column(i, 4); }

  /// Returns the morphological features of word `i`.
  std::string_view feats(std::size_t i) const { return column(i, 5); }

  /// Says whether word `i` has a gold tag; one that has none is tagged, but left out of loss and score.
  bool has_gold(std::size_t i) const { return upos(i) != no_tag; }

  /// Returns all lines of the sentence, each ended by LF.
  const std::string& lines() const { return lines_; }

 private:
  friend class SentenceBuilder;
  friend void write_sentence(std::ostream&, const Sentence&, const std::vector<std::string>&);

  std::string_view column(std::size_t i, std::size_t wanted) const;

  std::string lines_;
  std::vector<std::uint32_t> rows_;  // where in lines_ the row of each word starts
};

/// Receives what was wrong with a sentence that is left out.
using OnSkip = std::function<void(const DataError&)>;

/// Reads all sentences of `in`; `name` stands for the file in messages.
///
/// Without `skipped` the first fault throws a DataError with file, line, what was found and what was expected. With it,
/// a sentence with a fault is left out up to the next blank line, and `skipped` hears of its first fault. A stream that
/// fails, or has no sound sentence at all, throws either way. Comments without words go to the sentence after them, at
/// the end to the one before. Takes memory for the text once, and never for a line above 1 MiB, which is a fault.
std::vector<Sentence> read_conllu(std::istream& in, const std::string& name, const OnSkip& skipped = nullptr);

/// Reads the file at `path` as above; throws a DataError too if it is missing, unreadable or a directory.
std::vector<Sentence> read_conllu(const std::string& path, const OnSkip& skipped = nullptr);

/// Makes a sentence of bare words, with `_` in all other columns; no `tags` means that no word has one.
///
/// Throws an Error on no words, another number of tags, and what a column cannot hold (tab, line end, NUL, bad UTF-8).
Sentence make_sentence(const std::vector<std::string>& words, const std::vector<std::string>& tags = {});

/// Writes one sentence and the empty line after it; `tags`, if any, replace the UPOS of its words and nothing else.
///
/// Throws an Error on another number of tags or one that is empty or holds white space, a DataError if writing fails.
void write_sentence(std::ostream& out, const Sentence& sentence, const std::vector<std::string>& tags = {});

/// Writes a whole file: `tags` is empty, to write the sentences as they are, or has an entry for each sentence.
void write_conllu(std::ostream& out, const std::vector<Sentence>& sentences,
                  const std::vector<std::vector<std::string>>& tags = {});

}  // namespace heed
