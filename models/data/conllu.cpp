#include "models/data/conllu.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <istream>
#include <ostream>

namespace heed {
namespace {

constexpr std::size_t columns = 10;
constexpr std::size_t max_sentence = std::size_t{64} << 20;  // far below what the 32-bit positions can hold
constexpr std::array<const char*, columns> column_names = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                           "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

/// Reads a number as the format writes it: decimal digits, no sign, no leading zero.
bool read_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
}

void check_columns(std::string_view line) {
  const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
  if (found != columns) fault("expected ", columns, " columns with tabs between them, found ", found);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string_view cell = line.substr(0, line.find('\t'));
    if (cell.empty()) fault("column ", i + 1, " (", column_names[i], ") is empty: expected a value or _");
    const bool may_hold_spaces = i == 1 || i == 2 || i == 9;
    if (!may_hold_spaces && cell.find(' ') != std::string_view::npos)
      fault("column ", i + 1, " (", column_names[i], "): expected no space, found ", excerpt(cell));
    line.remove_prefix(std::min(line.size(), cell.size() + 1));
  }
}

}  // namespace

std::string_view Sentence::column(std::size_t i, std::size_t wanted) const {
  std::string_view rest = std::string_view(lines_).substr(rows_.at(i));
  for (; wanted > 0; --wanted) rest.remove_prefix(rest.find('\t') + 1);
  return rest.substr(0, rest.find_first_of("\t\n"));
}

/// Takes the lines of one sentence after the other and checks them.
class SentenceBuilder {
 public:
  /// Adds a comment or a row; throws a Fault.
  void add(std::string_view line) {
    check_text(line);
    if (lines_.size() + line.size() > max_sentence) fault("sentence of more than ", max_sentence, " bytes");
    if (line[0] != '#') {
      check_columns(line);
      add_id(line.substr(0, line.find('\t')));
    }
    lines_.append(line) += '\n';
  }

  /// Says whether there are words, not comments alone.
  bool has_words() const { return !rows_.empty(); }

  /// Returns the sentence, in memory of just its size, and starts anew; throws a Fault.
  Sentence finish() {
    if (range_end_ > rows_.size())
      fault("the range before ends at word ", range_end_, ", the sentence at word ", rows_.size());
    Sentence sentence;
    sentence.lines_ = lines_;
    sentence.rows_ = rows_;
    clear();
    return sentence;
  }

  /// Forgets the sentence begun.
  void clear() {
    lines_.clear();
    rows_.clear();
    empty_nodes_ = range_end_ = 0;
  }

  /// Adds comments to a finished sentence.
  void append_comments(Sentence& sentence) const { sentence.lines_ += lines_; }

 private:
  void add_id(std::string_view id) {
    const std::size_t next = rows_.size() + 1;
    const std::size_t mark = id.find_first_of("-.");
    std::uint32_t first = 0, second = 0;
    if (!read_number(id.substr(0, mark), first) ||
        (mark != std::string_view::npos && !read_number(id.substr(mark + 1), second)))
      fault("expected an id such as ", next, ", ", next, "-", next + 1, " or ", next, ".1, found ", excerpt(id));
    if (mark == std::string_view::npos) {
      if (first != next)
        fault("expected id ", next, next == 1 ? " at the start of a sentence" : "", ", found ", first,
              first == 1 ? " (is a blank line missing?)" : "");
      rows_.push_back(static_cast<std::uint32_t>(lines_.size()));
      empty_nodes_ = 0;
    } else if (id[mark] == '-') {
      if (second <= first) fault("expected a range that goes up, found ", id);
      if (first <= range_end_) fault("range ", id, " overlaps the one before, which ends at ", range_end_);
      if (first != next) fault("expected a range from ", next, ", the word after it, found ", id);
      range_end_ = second;
    } else {
      if (first != next - 1 || second != empty_nodes_ + 1)
        fault("expected empty node ", next - 1, ".", empty_nodes_ + 1, ", found ", id);
      empty_nodes_ = second;
    }
  }

  std::string lines_;
  std::vector<std::uint32_t> rows_;
  std::size_t empty_nodes_ = 0;  // since the last word
  std::size_t range_end_ = 0;    // last word of the last range
};

std::vector<Sentence> read_conllu(std::istream& in, const std::string& name, const OnSkip& skipped) {
  std::vector<Sentence> sentences;
  SentenceBuilder builder;
  Lines lines(in, name);
  bool dropping = false;
  const auto end_sentence = [&] {
    if (!dropping && builder.has_words()) sentences.push_back(builder.finish());
    dropping = false;
  };
  const auto report = [&](const Fault& found) {
    const DataError error = lines.error(found.what());
    if (!skipped) throw error;
    skipped(error);
    builder.clear();
  };
  while (lines.next()) {
    const bool blank = !lines.too_long() && lines.line().find_first_not_of(' ') == std::string_view::npos;
    try {
      if (blank) {
        end_sentence();
      } else if (!dropping) {
        lines.check();
        builder.add(lines.line());
      }
    } catch (const Fault& found) {
      report(found);
      dropping = !blank;
    }
  }
  try {
    end_sentence();
  } catch (const Fault& found) {
    report(found);
  }
  if (sentences.empty())
    throw DataError("heed: " + name + (lines.number() == 0 ? ": the file is empty" : ": no sentence in it"));
  builder.append_comments(sentences.back());
  return sentences;
}

std::vector<Sentence> read_conllu(const std::string& path, const OnSkip& skipped) {
  std::ifstream in = open_file(path);
  return read_conllu(in, path, skipped);
}

Sentence make_sentence(const std::vector<std::string>& words, const std::vector<std::string>& tags) {
  check(!words.empty(), "make_sentence", "no words");
  check(tags.empty() || tags.size() == words.size(), "make_sentence", words.size(), " words, ", tags.size(), " tags");
  SentenceBuilder builder;
  for (std::size_t i = 0; i < words.size(); ++i) {
    check(words[i].find('\n') == std::string::npos, "make_sentence", "word ", i + 1, ": line end inside");
    try {
      builder.add(std::to_string(i + 1) + '\t' + words[i] + "\t_\t" + (tags.empty() ? std::string(no_tag) : tags[i]) +
                  "\t_\t_\t_\t_\t_\t_");
    } catch (const Fault& found) {
      fail("make_sentence", "word ", i + 1, ": ", found.what());
    }
  }
  return builder.finish();
}

void write_sentence(std::ostream& out, const Sentence& sentence, const std::vector<std::string>& tags) {
  check(tags.empty() || tags.size() == sentence.size(), "write_sentence", sentence.size(), " words, ", tags.size(),
        " tags");
  const std::string_view lines = sentence.lines_;
  std::size_t written = 0;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    check(!tags[i].empty() && tags[i].find_first_of(" \t\r\n") == std::string::npos, "write_sentence", "tag of word ",
          i + 1, ": ", excerpt(tags[i]));
    const std::string_view old = sentence.upos(i);
    const auto at = static_cast<std::size_t>(old.data() - lines.data());
    out << lines.substr(written, at - written) << tags[i];
    written = at + old.size();
  }
  out << lines.substr(written) << '\n';
  if (!out) throw DataError("heed: write_sentence: writing failed (is the disk full?)");
}

void write_conllu(std::ostream& out, const std::vector<Sentence>& sentences,
                  const std::vector<std::vector<std::string>>& tags) {
  check(tags.empty() || tags.size() == sentences.size(), "write_conllu", sentences.size(), " sentences, ", tags.size(),
        " lists of tags");
  for (std::size_t i = 0; i < sentences.size(); ++i)
    write_sentence(out, sentences[i], tags.empty() ? std::vector<std::string>{} : tags[i]);
}

}  // namespace heed
