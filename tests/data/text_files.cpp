#include "models/data/text_files.hpp"

#include "models/data/bytes.hpp"
#include "models/data/input.hpp"
#include "models/data/tasks.hpp"
#include "tests/data/files.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

bool sound(const ExampleSet& set) {
  bool ok = !set.items.empty();
  for (const Example& item : set.items) ok = ok && fault_of(set, item).empty();
  return ok;
}

}  // namespace

TEST_CASE("text files: labels and texts, with LF, CRLF or a byte-order mark") {
  Folder folder;
  for (const char* text : {"pos\tgood one\nneg\tbad\tone\n", "pos\tgood one\r\n\r\nneg\tbad\tone\r\n",
                           "\xEF\xBB\xBFpos\tgood one\nneg\tbad\tone"}) {
    ExampleSet set = read_labelled_text(folder.write("f", text));
    CHECK(sound(set));
    CHECK(set.classes == std::vector<std::string>{"neg", "pos"});
    REQUIRE(set.items.size() == 2);
    CHECK(symbols_to_bytes(set.items[0].symbols) == "good one");
    CHECK(symbols_to_bytes(set.items[1].symbols) == "bad\tone");
    CHECK(set.items[0].targets == std::vector<int>{1});
    CHECK(set.items[1].targets == std::vector<int>{0});
  }
  // Classes of a training set keep their numbers.
  ExampleSet set = read_labelled_text(folder.write("f", "b\tx\n"), {"c", "b", "a"});
  CHECK(set.classes == std::vector<std::string>{"c", "b", "a"});
  CHECK(set.items[0].targets == std::vector<int>{1});
  auto fault = [&](const std::string& text, const std::vector<std::string>& classes = {}) {
    std::string path = folder.write("f", text);
    return fault_in(folder, [&] { read_labelled_text(path, classes); });
  };
  CHECK(fault("") == "f: the file is empty");
  CHECK(fault("a\tb\nhello\n") == "f:2: expected label TAB text, found no TAB in 'hello'");
  CHECK(fault("a\t\n") == "f:1: no text after the label");
  CHECK(fault("\ttext\n") == "f:1: the label is empty");
  CHECK(fault("z\ttext\n", {"x", "y"}) == "f:1: the label 'z' is none of the classes: x y");
  CHECK(fault("a\tb\n\na\tb\xFFq\n") == "f:3: invalid UTF-8 at byte 4 of the line");
  CHECK(fault(std::string("a\tb\0c\n", 6)) == "f:1: NUL byte at byte 4 of the line: this is no text file");
  CHECK(fault("a\tb\rc\n").starts_with("f:1: carriage return inside the line"));
  CHECK(fault("a\t" + std::string(1 << 20, 'x') + "\n").starts_with("f:1: line of more than 1048576 bytes"));
  CHECK(fault("a\tb\na") ==
        "f:2: expected label TAB text, found no TAB in 'a'; the file ends in this line, so it may be incomplete");
  std::string many;
  for (int i = 0; i < 10001; i++) many += std::to_string(i) + "\tx\n";
  CHECK(fault(many) == "f:10001: more than 10000 different labels");
  CHECK(fault_in(folder, [&] { read_labelled_text(folder / "none"); }) == "none: there is no such file");
  CHECK(fault_in(folder, [&] { read_labelled_text("/"); }) == "/: is a directory, not a file");
}

TEST_CASE("text files: ListOps as the Long Range Arena writes it") {
  Folder folder;
  std::string text = "Source\tTarget\n( ( ( ( [MAX 2 ) 9 ) ( ( ( [MIN 4 ) 7 ) ] ) ) ] )\t9\n[SM 5 6 [MED 1 2 ] ]\t2\n";
  ExampleSet set = read_listops(folder.write("f", text));
  CHECK(sound(set));
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[0].symbols == std::vector<int>{12, 3, 10, 11, 5, 8, 15, 15});
  CHECK(set.items[0].targets == std::vector<int>{9});
  CHECK(set.names == make_task("listops", 1, 1).names);
  auto fault = [&](const std::string& lines) {
    std::string path = folder.write("f", lines);
    return fault_in(folder, [&] { read_listops(path); });
  };
  CHECK(fault("[MAX 1 2 ]\t2\n") == "f:1: expected the line \"Source TAB Target\", found '[MAX 1 2 ]?2'");
  CHECK(fault("Source\tTarget\n[MAX 1 2 ]\t12\n") == "f:2: value: expected a whole number from 0 to 9, found '12'");
  CHECK(fault("Source\tTarget\n[MAX 1 2 ]\n").starts_with("f:2: expected expression TAB value, found no TAB"));
  CHECK(fault("Source\tTarget\n[TOP 1 2 ]\t2\n") == "f:2: listops_symbols: \"[TOP\" is no token");
  CHECK(fault("Source\tTarget\n( )\t2\n") == "f:2: no expression before the value");
  CHECK(fault("Source\tTarget\n") == "f: no expression in it");
}

TEST_CASE("text files: pairs of words or characters") {
  Folder folder;
  std::string path = folder.write("f", "the cat\tdie Katze\nthe  dog \tder Hund\n");
  ExampleSet words = read_pairs(path, Unit::word);
  CHECK(sound(words));
  CHECK(words.answer == Answer::sequence);
  CHECK(words.names == std::vector<std::string>{"<pad>", "<unk>", "the", "cat", "dog"});
  CHECK(words.classes == std::vector<std::string>{"<pad>", "<start>", "<end>", "<unk>", "Hund", "Katze", "der", "die"});
  CHECK(words.items[0].symbols == std::vector<int>{2, 3});
  CHECK(words.items[1].symbols == std::vector<int>{2, 4});
  CHECK(words.items[1].targets == std::vector<int>{6, 4});
  CHECK(read_pairs(path, Unit::word, nullptr, 2).names == std::vector<std::string>{"<pad>", "<unk>", "the"});
  ExampleSet more = read_pairs(folder.write("g", "the cow\tdie Kuh\n"), Unit::word, &words);
  CHECK(more.names == words.names);
  CHECK(more.items[0].symbols == std::vector<int>{2, 1});
  CHECK(more.items[0].targets == std::vector<int>{7, 3});

  ExampleSet letters = read_pairs(folder.write("f", "日本 a\tñ\n"), Unit::character);
  CHECK(letters.names.size() == 2 + 4);
  CHECK(letters.items[0].symbols.size() == 4);
  CHECK(letters.classes.back() == "ñ");
  // The vocabulary of a generated task serves a file too, but has no unknown units.
  ExampleSet dates = make_task("dates", 1, 1);
  ExampleSet again = read_pairs(folder.write("f", "3 May 1998\t1998-05-03\n"), Unit::character, &dates);
  CHECK(again.names == dates.names);
  CHECK(sound(again));
  auto fault = [&](const std::string& text) {
    std::string file = folder.write("f", text);
    return fault_in(folder, [&] { read_pairs(file, Unit::character, &dates); });
  };
  CHECK(fault("3 May 1998\n") == "f:1: expected source TAB target, found no TAB in '3 May 1998'");
  CHECK(fault("\t1998\n") == "f:1: no source before the TAB");
  CHECK(fault("1\t1\n3 Mai 1998\t\n") == "f:2: no target after the TAB");
  CHECK(fault("1\t1\n3 May 1998!\t1998\n") == "f:2: '!' is not in the vocabulary");
}

TEST_CASE("text files: plain text, each byte foretells the next") {
  Folder folder;
  ExampleSet set = read_plain_text(folder.write("f", "héllo\nworld"), 4);
  CHECK(sound(set));
  std::string text, next;
  for (const Example& item : set.items) {
    CHECK(item.symbols.size() <= 4);
    text += symbols_to_bytes(item.symbols);
    for (int byte : item.targets) next += static_cast<char>(byte);
  }
  CHECK(text == "héllo\nworl");
  CHECK(next == std::string("héllo\nworld").substr(1));
  CHECK(set.items.size() == 3);
  CHECK(set.classes.size() == 256);
  CHECK(set.classes['h'] == "h");
  CHECK(set.classes['\n'] == "<0x0A>");
  CHECK(set.names['h' + 1] == "h");
  CHECK(fault_in(folder, [&] { read_plain_text(folder.write("f", "ab\xC3")); }) == "f: byte 2: invalid UTF-8");
  CHECK(fault_in(folder, [&] { read_plain_text(folder.write("f", "")); }) ==
        "f: byte 0: the file ends: expected a text of 2 bytes or more");
  CHECK(fault_in(folder, [&] { read_plain_text(folder.write("f", "a")); }).starts_with("f: byte 1: the file ends"));
  CHECK_THROWS_AS(read_plain_text(folder / "f", 0), Error);
}

TEST_CASE("text files: sentences, in their own words or in those of others") {
  Folder folder;
  std::string path = folder.write("f", "a saw  saw\n\nb a\n");
  ExampleSet set = read_sentences(path);
  CHECK(sound(set));
  REQUIRE(set.items.size() == 2);
  CHECK(set.names.size() == 4);
  CHECK(set.items[0].symbols.size() == 3);
  CHECK(set.items[0].symbols[1] == set.items[0].symbols[2]);
  CHECK(set.items[0].targets == std::vector<int>{-1, -1, -1});
  ExampleSet other = read_sentences(folder.write("g", "new saw\nnew\n"), &set);
  CHECK(other.names == set.names);
  REQUIRE(other.items.size() == 1);
  CHECK(other.items[0].symbols == std::vector<int>{set.items[0].symbols[1]});
  CHECK(fault_in(folder, [&] { read_sentences(folder.write("h", " \n  \n")); }) == "h: no word in it");
  CHECK(fault_in(folder, [&] { read_sentences(folder.write("i", "new\n"), &set); }) ==
        "i: no word in it that the model knows");
}

TEST_CASE("input: numbers, bytes and files of too many") {
  CHECK(read_number("-1.5e3", "x") == -1500);
  for (const char* text : {"", "x", "1x", "nan", "inf", "1e99", " 1", "+1"})
    CHECK_THROWS_AS(read_number(text, "x"), Fault);
  CHECK(read_integer("007", 0, 9, "x") == 7);
  for (const char* text : {"", "-1", "10", "1.0", "99999999999999"})
    CHECK_THROWS_AS(read_integer(text, 0, 9, "x"), Fault);
  Folder folder;
  std::string path = folder.write("f", "\x01\x02\x03\x04\x05");
  CHECK(fault_in(folder, [&] { read_file(path, 4); }) == "f: more than 4 bytes");
  Bytes bytes(path);
  CHECK(bytes.big(2, "x") == 0x0102);
  CHECK(bytes.little(2, "x") == 0x0403);
  CHECK(fault_in(folder, [&] { bytes.big(2, "size"); }) == "f: byte 4: size: expected 2 bytes, the file has 1 more");
  CHECK(excerpt(std::string(50, 'x') + "\n") == "'" + std::string(40, 'x') + "...'");
}
