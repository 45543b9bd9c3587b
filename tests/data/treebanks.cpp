// Tests of the reader, the writer and the vocabulary on real treebanks, where there are some.
//
// They are looked for in data/ud below the folder that the environment variable HEED_SHARED names, else ../shared.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "models/data/conllu.hpp"
#include "models/data/vocabulary.hpp"

using namespace heed;

namespace {

std::string treebank(const std::string& name) {
  const char* shared = std::getenv("HEED_SHARED");
  return std::string(shared ? shared : "../shared") + "/data/ud/" + name + ".conllu";
}

/// Says whether the treebank is there, and that the test is skipped if not.
bool present(const std::string& name) {
  if (std::ifstream(treebank(name))) return true;
  MESSAGE("skipped, since " << treebank(name) << " is not there; set HEED_SHARED");
  return false;
}

}  // namespace

TEST_CASE("treebanks (skipped if HEED_SHARED has none): counts, and the same bytes when written again") {
  struct {
    const char* name;
    std::size_t sentences, words, forms, tags, ranges, empty_nodes, longest;
  } const files[] = {{"en_ewt-ud-train", 12544, 204577, 19674, 17, 2614, 37, 159},
                     {"en_ewt-ud-dev", 2001, 25147, 5494, 17, 359, 4, 75},
                     {"en_lines-ud-train", 3457, 64684, 8730, 17, 690, 0, 98},
                     {"en_lines-ud-dev", 1118, 21637, 4527, 17, 250, 0, 95},
                     {"zh_gsdsimp-ud-dev", 500, 12663, 4305, 16, 0, 0, 84}};
  for (const auto& file : files) {
    if (!present(file.name)) continue;
    CAPTURE(file.name);
    const auto sentences = read_conllu(treebank(file.name));
    CHECK(sentences.size() == file.sentences);
    std::size_t words = 0, ranges = 0, empty_nodes = 0, longest = 0;
    for (const Sentence& sentence : sentences) {
      words += sentence.size();
      longest = std::max(longest, sentence.size());
      std::istringstream lines(sentence.lines());
      for (std::string line; std::getline(lines, line);) {
        const std::string id = line[0] == '#' ? "" : line.substr(0, line.find('\t'));
        ranges += id.find('-') != std::string::npos;
        empty_nodes += id.find('.') != std::string::npos;
      }
    }
    CHECK(words == file.words);
    CHECK(longest == file.longest);
    CHECK(ranges == file.ranges);
    CHECK(empty_nodes == file.empty_nodes);
    CHECK(count_forms(sentences).size() == file.forms);
    CHECK(count_tags(sentences).size() == file.tags);

    std::ifstream in(treebank(file.name), std::ios::binary);
    std::stringstream original, copy, retagged;
    original << in.rdbuf();
    write_conllu(copy, sentences);
    CHECK((copy.str() == original.str()));
    std::vector<std::vector<std::string>> gold;
    for (const Sentence& sentence : sentences)
      for (std::size_t i = (gold.emplace_back(), 0); i < sentence.size(); ++i)
        gold.back().emplace_back(sentence.upos(i));
    write_conllu(retagged, sentences, gold);
    CHECK((retagged.str() == original.str()));
  }
}

TEST_CASE("treebanks (skipped if HEED_SHARED has none): unknown words against train") {
  const std::pair<const char*, int> files[] = {{"en_ewt-ud-", 2088}, {"en_lines-ud-", 2047}};
  for (const auto& [name, expected] : files) {
    const std::string stem = name;
    if (!present(stem + "train") || !present(stem + "dev")) continue;
    const Vocabulary vocabulary(count_forms(read_conllu(treebank(stem + "train"))));
    const auto dev = read_conllu(treebank(stem + "dev"));
    std::size_t words = 0;
    for (const Sentence& sentence : dev) words += sentence.size();
    CHECK(unknown_rate(vocabulary, dev) == doctest::Approx(expected / static_cast<double>(words)));
  }
}
