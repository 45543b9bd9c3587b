// Tests of models/data/conllu.hpp: what is read, what is written, and what a fault is answered with.
#include "models/data/conllu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>

#include "models/data/vocabulary.hpp"

using namespace heed;

namespace {

std::vector<Sentence> read(const std::string& text, const OnSkip& skipped = nullptr) {
  std::istringstream in(text);
  return read_conllu(in, "f", skipped);
}

/// A row with `_` in the columns not given.
std::string row(const std::string& id, const std::string& form, const std::string& tag = "X") {
  return id + '\t' + form + "\t_\t" + tag + "\t_\t_\t_\t_\t_\t_\n";
}

std::string written(const std::vector<Sentence>& sentences, const std::vector<std::vector<std::string>>& tags = {}) {
  std::ostringstream out;
  write_conllu(out, sentences, tags);
  return out.str();
}

std::string words(const std::vector<Sentence>& sentences) {
  std::string result;
  for (const Sentence& sentence : sentences) {
    for (std::size_t i = 0; i < sentence.size(); ++i)
      result.append(sentence.form(i)).append("/").append(sentence.upos(i)).append(" ");
    result += "| ";
  }
  return result;
}

std::string fault_in(const std::string& text) {
  try {
    read(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

const std::string two =
    "# a\n" + row("1", "I") + row("2", "see") + row("3", ".") + "\n" + row("1", "No") + row("2", "!");

}  // namespace

TEST_CASE("conllu: all columns that serve training, and all ten written again") {
  const std::string text =
      "# sent_id = 1\n# text = Dogs\n1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t0\troot\t0:root\tSpaceAfter=No\n\n";
  const auto sentences = read(text);
  REQUIRE(sentences.size() == 1);
  REQUIRE(sentences[0].size() == 1);
  CHECK(sentences[0].form(0) == "Dogs");
  CHECK(sentences[0].upos(0) == "NOUN");
  CHECK(sentences[0].xpos(0) == "NNS");
  CHECK(sentences[0].feats(0) == "Number=Plur");
  CHECK_THROWS_AS(sentences[0].form(1), std::out_of_range);
  CHECK(written(sentences) == text);
  CHECK(written(sentences, {{"VERB"}}) ==
        "# sent_id = 1\n# text = Dogs\n1\tDogs\tdog\tVERB\tNNS\tNumber=Plur\t0\troot\t0:root\tSpaceAfter=No\n\n");
}

TEST_CASE("fault 85: range lines and empty nodes are no words, and are copied through") {
  const std::string text = row("1-2", "don't", "_") + row("1", "do", "AUX") + row("2", "n't", "PART") +
                           row("2.1", "it", "PRON") + row("2.2", "_", "_") + row("3", "go", "VERB") + "\n" +
                           row("0.1", "it", "PRON") + row("1", "a", "DET") + row("2-4", "x", "_") + row("2", "b", "X") +
                           row("3", "c", "X") + row("4", "d", "X") + "\n";
  const auto sentences = read(text);
  CHECK(words(sentences) == "do/AUX n't/PART go/VERB | a/DET b/X c/X d/X | ");
  CHECK(written(sentences) == text);
  const std::string tagged = written(sentences, {{"A", "B", "C"}, {"D", "E", "F", "G"}});
  CHECK(tagged == row("1-2", "don't", "_") + row("1", "do", "A") + row("2", "n't", "B") + row("2.1", "it", "PRON") +
                      row("2.2", "_", "_") + row("3", "go", "C") + "\n" + row("0.1", "it", "PRON") +
                      row("1", "a", "D") + row("2-4", "x", "_") + row("2", "b", "E") + row("3", "c", "F") +
                      row("4", "d", "G") + "\n");
}

TEST_CASE("fault 87: however the file ends, no sentence is lost") {
  const std::string bare = two.substr(0, two.size() - 1);
  for (const std::string& text :
       {bare, two, two + "\n", two + "\n\n\n", two + "   \n", bare + "\n  ", "\n \n" + two, bare + "\n# the end"}) {
    CAPTURE(text);
    CHECK(words(read(text)) == "I/X see/X ./X | No/X !/X | ");
  }
  std::string spread = two;
  spread.replace(spread.find("\n\n"), 2, "\n\n   \n\n");
  CHECK(written(read(spread)) == two + "\n");
}

TEST_CASE("fault 89: CRLF and mixed endings give the same sentences, and LF when written") {
  std::string windows, mixed;
  for (char c : two) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
    mixed += c == '\n' && mixed.size() % 2 ? "\r\n" : std::string(1, c);
  }
  for (const std::string& text : {windows, mixed, windows.substr(0, windows.size() - 1), windows + "\r\n"}) {
    const auto sentences = read(text);
    CHECK(words(sentences) == "I/X see/X ./X | No/X !/X | ");
    CHECK(written(sentences) == two + "\n");
  }
}

TEST_CASE("fault 91: a word without gold tag is a word, but its _ is no tag") {
  const auto sentences = read(row("1", "a", "DET") + row("2", "b", "_") + row("3", "c", "NOUN"));
  REQUIRE(sentences[0].size() == 3);
  CHECK(sentences[0].has_gold(0));
  CHECK_FALSE(sentences[0].has_gold(1));
  CHECK(count_tags(sentences) == Counts{{"DET", 1}, {"NOUN", 1}});
  CHECK(words(read(written(sentences, {{"DET", "ADJ", "NOUN"}}))) == "a/DET b/ADJ c/NOUN | ");
  CHECK(count_tags(read(row("1", "a", "_"))).empty());
}

TEST_CASE("fault 93: a fault is named with file, line, what was found and what was expected") {
  const std::string good = row("1", "a"), start = "# c\n" + good;
  CHECK(fault_in(start + "2\tb\t_\tX _\t_\t_\t_\t_\t_\n") ==
        "heed: f:3: expected 10 columns with tabs between them, found 9");
  CHECK(fault_in(start + "2\tb\t_\tX\t_\t_\t_\t_\t_\t_\t_\n") ==
        "heed: f:3: expected 10 columns with tabs between them, found 11");
  CHECK(fault_in("hello\n") == "heed: f:1: expected 10 columns with tabs between them, found 1");
  CHECK(fault_in(good + "2\tb\t_\tX") ==
        "heed: f:2: expected 10 columns with tabs between them, found 4; the file ends in this line, so it may be "
        "incomplete");
  CHECK(fault_in(row("", "a")) == "heed: f:1: column 1 (ID) is empty: expected a value or _");
  CHECK(fault_in(row("1", "")) == "heed: f:1: column 2 (FORM) is empty: expected a value or _");
  CHECK(fault_in(row("1", "a", "")) == "heed: f:1: column 4 (UPOS) is empty: expected a value or _");
  CHECK(fault_in(row("1", "a", "A B")) == "heed: f:1: column 4 (UPOS): expected no space, found 'A B'");
  CHECK(fault_in("1\ta\t_\tX\t_\t_\t_\t_\t_\t\n") == "heed: f:1: column 10 (MISC) is empty: expected a value or _");
  for (const char* id : {"x", "1x", "-1", "+1", "01", "1-", "1-2-3", "1.", ".1", "99999999999", "一"}) {
    CAPTURE(id);
    CHECK(fault_in(row(id, "a")) == "heed: f:1: expected an id such as 1, 1-2 or 1.1, found '" + std::string(id) + "'");
  }
  CHECK(fault_in(row("2", "a")) == "heed: f:1: expected id 1 at the start of a sentence, found 2");
  CHECK(fault_in(row("0", "a")) == "heed: f:1: expected id 1 at the start of a sentence, found 0");
  CHECK(fault_in(good + row("3", "a")) == "heed: f:2: expected id 2, found 3");
  CHECK(fault_in(good + good) == "heed: f:2: expected id 2, found 1 (is a blank line missing?)");
  CHECK(fault_in(row("2-1", "a")) == "heed: f:1: expected a range that goes up, found 2-1");
  CHECK(fault_in(row("2-3", "a")) == "heed: f:1: expected a range from 1, the word after it, found 2-3");
  CHECK(fault_in(row("1-2", "a") + row("1-3", "a")) == "heed: f:2: range 1-3 overlaps the one before, which ends at 2");
  CHECK(fault_in(row("1-2", "a") + good + row("2-3", "a")) ==
        "heed: f:3: range 2-3 overlaps the one before, which ends at 2");
  CHECK(fault_in(row("1-2", "a") + good + "\n") ==
        "heed: f:3: the range before ends at word 2, the sentence at word 1");
  CHECK(fault_in(row("1-2", "a") + good) == "heed: f:2: the range before ends at word 2, the sentence at word 1");
  CHECK(fault_in(good + row("2.1", "a")) == "heed: f:2: expected empty node 1.1, found 2.1");
  CHECK(fault_in(good + row("1.2", "a")) == "heed: f:2: expected empty node 1.1, found 1.2");
}

TEST_CASE("fault 93: what is no text is named too") {
  CHECK(fault_in(row("1", "a") + row("2", "b\xFF")) == "heed: f:2: invalid UTF-8 at byte 4 of the line");
  CHECK(fault_in("# \xC3\n" + row("1", "a")) == "heed: f:1: invalid UTF-8 at byte 3 of the line");
  CHECK(fault_in(std::string(4096, '\0')) ==
        "heed: f:1: NUL byte at byte 1 of the line: this is no text file; the file ends in this line, so it may be "
        "incomplete");
  CHECK(fault_in(row("1", "a\rb")) ==
        "heed: f:1: carriage return inside the line, at byte 4: expected lines that end in LF or CRLF");
  CHECK(fault_in("") == "heed: f: the file is empty");
  CHECK(fault_in("\xEF\xBB\xBF") == "heed: f: no sentence in it");
  CHECK(fault_in("\n\n") == "heed: f: no sentence in it");
  CHECK(fault_in("# only a comment\n\n") == "heed: f: no sentence in it");
  CHECK_THROWS_WITH_AS(read_conllu("no/such/file"), "heed: no/such/file: there is no such file", DataError);
  CHECK_THROWS_WITH_AS(read_conllu("/"), "heed: /: is a directory, not a file", DataError);
}

TEST_CASE("fault 93: a stream that fails midway is no shorter file") {
  struct Failing : std::stringbuf {
    using std::stringbuf::stringbuf;
    int_type underflow() override { throw std::runtime_error("the disk is gone"); }
  } failing(two + "\n" + row("1", "a"));
  std::istream in(&failing);
  CHECK_THROWS_WITH_AS(read_conllu(in, "f", [](const DataError&) {}), "heed: f: reading failed after line 9",
                       DataError);
}

TEST_CASE("fault 93: in skip mode only the sentences with faults are left out, and each is reported once") {
  const std::string text = two + "\n" + row("1", "bad") + row("9", "bad") + "not even columns\n\n" + row("1-2", "bad") +
                           row("1", "bad") + "\n# c\n" + row("1", "good") + "\nbad";
  std::vector<std::string> faults;
  const auto sentences = read(text, [&](const DataError& error) { faults.emplace_back(error.what()); });
  CHECK(words(sentences) == "I/X see/X ./X | No/X !/X | good/X | ");
  REQUIRE(faults.size() == 3);
  CHECK(faults[0] == "heed: f:10: expected id 2, found 9");
  CHECK(faults[1] == "heed: f:15: the range before ends at word 2, the sentence at word 1");
  CHECK(faults[2].starts_with("heed: f:19: expected 10 columns"));
  CHECK(written(sentences) == two + "\n# c\n" + row("1", "good") + "\n");
  CHECK_THROWS_WITH_AS(read("bad", [](const DataError&) {}), "heed: f: no sentence in it", DataError);
}

TEST_CASE("conllu: a line of any length takes bounded memory, and is a fault above 1 MiB") {
  const std::string fits(1000000, 'a'), over((1 << 20) + 1, 'b'), far_over(5 << 20, 'c');
  const std::string longest = "#" + std::string((1 << 20) - 1, 'd');
  CHECK(read(row("1", fits))[0].form(0) == fits);
  CHECK(read(longest + "\n" + two).size() == 2);
  CHECK(read(longest + "\r\n" + two).size() == 2);
  int faults = 0;
  for (const std::string& line : {over, far_over}) {
    CHECK(fault_in(two + "\n" + line).starts_with("heed: f:9: line of more than 1048576 bytes; it starts with '"));
    const auto sentences = read(line + "\nrest\n\n" + two + "\n" + line, [&faults](const DataError&) { ++faults; });
    CHECK(words(sentences) == "I/X see/X ./X | No/X !/X | ");
  }
  CHECK(faults == 4);
}

TEST_CASE("conllu: odd but legal forms, tags and comments") {
  const std::string text = "# newpar\n" + row("1", "#", "SYM") + row("2", "#tag", "X") + "# inside\n" +
                           row("3", "_", "PUNCT") + row("4", "New York", "no-such-tag") + "\n";
  const auto sentences = read("\xEF\xBB\xBF" + text);
  CHECK(words(sentences) == "#/SYM #tag/X _/PUNCT New York/no-such-tag | ");
  CHECK(written(sentences) == text);
  // Comments that stand alone stay with a sentence.
  CHECK(written(read("# head\n\n" + text + "# tail\n\n")) ==
        "# head\n" + text.substr(0, text.size() - 1) + "# tail\n\n");
}

TEST_CASE("conllu: sentences made of words") {
  const Sentence sentence = make_sentence({"#1", "New York", "锯"}, {"NUM", "PROPN", "VERB"});
  CHECK(sentence.lines() == row("1", "#1", "NUM") + row("2", "New York", "PROPN") + row("3", "锯", "VERB"));
  CHECK_FALSE(make_sentence({"saw"}).has_gold(0));
  CHECK_THROWS_WITH_AS(make_sentence({}), "heed: make_sentence: no words", Error);
  CHECK_THROWS_WITH_AS(make_sentence({"a"}, {"X", "Y"}), "heed: make_sentence: 1 words, 2 tags", Error);
  CHECK_THROWS_AS(make_sentence({""}), Error);
  CHECK_THROWS_AS(make_sentence({"a\tb"}), Error);
  CHECK_THROWS_AS(make_sentence({"a\nb"}), Error);
  CHECK_THROWS_AS(make_sentence({"a\r"}), Error);
  CHECK_THROWS_AS(make_sentence({"a\xFF"}), Error);
  CHECK_THROWS_AS(make_sentence({"a"}, {"X Y"}), Error);
}

TEST_CASE("conllu: faults of the writer's caller") {
  const auto sentences = read(two);
  CHECK_THROWS_AS(written(sentences, {{"A", "B", "C"}}), Error);
  CHECK_THROWS_AS(written(sentences, {{"A", "B"}, {"C", "D"}}), Error);
  CHECK_THROWS_AS(written(sentences, {{"A", "B", ""}, {"C", "D"}}), Error);
  CHECK_THROWS_AS(written(sentences, {{"A", "B", "C D"}, {"C", "D"}}), Error);
  std::ostringstream full;
  full.setstate(std::ios::badbit);
  CHECK_THROWS_AS(write_conllu(full, sentences), DataError);
}

TEST_CASE("conllu: 2000 damaged files are read or refused, never more") {
  const std::string sound = "# text = don't\n" + row("1-2", "don't", "_") + row("1", "do", "AUX") +
                            row("2", "n't", "PART") + row("2.1", "词", "_") + "\n" + two + "\n";
  std::mt19937_64 engine(1);
  const auto below = [&engine](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = sound;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size()), length = 1 + below(std::min<std::size_t>(20, text.size() - at));
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(at, length));
          break;
        default:
          text[at] = "\t\n\r #_-.01"[below(10)];
      }
    }
    std::size_t skipped = 0;
    std::string kept;
    try {
      const auto sentences = read(text, [&skipped](const DataError&) { ++skipped; });
      kept = written(sentences);
      CHECK(written(read(kept)) == kept);
    } catch (const DataError&) {
      CHECK(kept.empty());
    }
    const bool faulty = fault_in(text) != "none";
    refused += faulty;
    CHECK(faulty == (skipped > 0 || kept.empty()));
  }
  CHECK(refused > 500);
  CHECK(refused < 2000);
}
