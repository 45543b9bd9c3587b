// Tasks on text: every answer worked out again from the definition, and how far a simple look gets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "models/data/bytes.hpp"
#include "models/data/tasks.hpp"

using namespace heed;

namespace {

// How often the answer is the one seen most often in items with the same `key`.
template <class F>
double best_by(const std::vector<Example>& all, const F& key) {
  std::map<int, std::map<int, int>> counts;
  for (const Example& item : all) counts[key(item)][item.targets[0]]++;
  double right = 0;
  for (const auto& [k, answers] : counts) {
    int most = 0;
    for (const auto& [answer, count] : answers) most = std::max(most, count);
    right += most;
  }
  return right / static_cast<double>(all.size());
}

std::string joined(const std::vector<int>& ids, const std::vector<std::string>& names) {
  std::string text;
  for (int id : ids) text += names.at(static_cast<std::size_t>(id));
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("tasks: every way to write a date names the same day") {
  const std::vector<std::string> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  ExampleSet set = make_task("dates", 2000, 3);
  std::set<std::string> forms, answers;
  for (const Example& item : set.items) {
    std::string text = joined(item.symbols, set.names), answer = joined(item.targets, set.classes);
    answers.insert(answer);
    std::string form;
    std::vector<int> found;
    int month = 0;
    for (std::size_t i = 0; i < text.size(); i++) {
      bool digit = std::isdigit(static_cast<unsigned char>(text[i]));
      if (digit && (i == 0 || !std::isdigit(static_cast<unsigned char>(text[i - 1])))) found.push_back(0);
      if (digit) found.back() = found.back() * 10 + text[i] - '0';
      if (std::isupper(static_cast<unsigned char>(text[i])))
        month = 1 + static_cast<int>(std::find(months.begin(), months.end(), text.substr(i, 3)) - months.begin());
      char kind = digit ? '0' : std::isalpha(static_cast<unsigned char>(text[i])) ? 'a' : text[i];
      if (form.empty() || form.back() != kind) form += kind;
    }
    forms.insert(form + (form == "0/0/0 (a/a)" ? text.substr(12, 1) : ""));
    int year = 0, day = 0;
    if (form == "0 a 0") day = found[0], year = found[1];
    if (form == "a 0, 0") day = found[0], year = found[1] < 30 ? 2000 + found[1] : found[1];
    if (form == "a 0, 0" && year < 100) year += 1900;
    if (form == "0.0.0") year = found[0], month = found[1], day = found[2];
    if (form == "0/0/0 (a/a)") {
      bool day_first = text[12] == 'd';
      day = found[day_first ? 0 : 1], month = found[day_first ? 1 : 0], year = found[2];
    }
    std::ostringstream expected;
    expected << year << (month < 10 ? "-0" : "-") << month << (day < 10 ? "-0" : "-") << day;
    CHECK(answer == expected.str());
  }
  CHECK(forms == std::set<std::string>{"0 a 0", "a 0, 0", "0.0.0", "0/0/0 (a/a)d", "0/0/0 (a/a)m"});
  CHECK(*answers.begin() >= "1930-01-01");
  CHECK(*answers.rbegin() <= "2029-12-31");
}

TEST_CASE("tasks: prose is sentences of the corpus, each byte's answer being the next") {
  ExampleSet set = make_task("prose:200", 50, 1);
  std::set<char> letters;
  for (const Example& item : set.items) {
    CHECK(item.symbols.size() == 200);
    std::string text = symbols_to_bytes(item.symbols);
    for (std::size_t i = 0; i + 1 < text.size(); i++) CHECK(item.targets[i] == static_cast<unsigned char>(text[i + 1]));
    CHECK(text.find("  ") == text.npos);
    CHECK(text.find(" .") != text.npos);
    letters.insert(text.begin(), text.end());
  }
  CHECK(letters.count('\n') == 1);
}

TEST_CASE("tasks: ListOps by another evaluator, and what its first operator tells") {
  ExampleSet set = make_task("listops", 20000, 5);
  auto value = [&](auto& self, std::istringstream& in) -> int {
    std::string token;
    in >> token;
    if (token[0] != '[') return std::stoi(token);
    std::vector<int> values;
    while (in >> std::ws && in.peek() != ']') values.push_back(self(self, in));
    CHECK(values.size() >= 2);
    CHECK(values.size() <= 4);
    in.get();
    std::sort(values.begin(), values.end());
    if (token == "[MIN") return values[0];
    if (token == "[MAX") return values.back();
    if (token == "[SM") return std::accumulate(values.begin(), values.end(), 0) % 10;
    REQUIRE(token == "[MED");
    if (values.size() % 2) return values[values.size() / 2];
    return static_cast<int>(std::floor((values[values.size() / 2 - 1] + values[values.size() / 2]) / 2.0));
  };
  for (std::size_t i = 0; i < 1000; i++) {
    std::string text;
    for (int id : set.items[i].symbols) text += set.names[static_cast<std::size_t>(id)] + " ";
    std::istringstream in(text);
    CHECK(set.items[i].targets[0] == value(value, in));
    CHECK(set.items[i].symbols.size() >= 6);
    CHECK(set.items[i].symbols.size() <= 32);
  }
  CHECK(best_by(set.items, [](const Example&) { return 0; }) == doctest::Approx(0.11).epsilon(0.1));
  CHECK(best_by(set.items, [](const Example& item) { return item.symbols[0]; }) == doctest::Approx(0.21).epsilon(0.1));
}

TEST_CASE("tasks: sentiment counts words, and 'not' turns the next one") {
  ExampleSet set = make_task("sentiment", 3000, 5);
  // Words that stand after "not", or not: each is good or bad; what they are is read off the shortest texts.
  std::map<std::string, int> sign;
  std::set<std::string> words;
  std::size_t longest = 0;
  for (const Example& item : set.items) {
    auto text = words_of(symbols_to_bytes(item.symbols));
    longest = std::max(longest, item.symbols.size());
    for (std::size_t i = 0; i < text.size(); i++) {
      if (text[i] == "not") continue;
      words.insert(text[i]);
      bool turned = i > 0 && text[i - 1] == "not";
      sign[text[i]] += (item.targets[0] == 1) == turned ? -1 : 1;
    }
  }
  CHECK(words.size() == 100);
  CHECK(longest <= 256);
  CHECK(longest > 200);
  // Those that follow "not" anywhere carry sentiment: 40 of them.
  std::set<std::string> carrying;
  for (const Example& item : set.items) {
    auto text = words_of(symbols_to_bytes(item.symbols));
    for (std::size_t i = 1; i < text.size(); i++)
      if (text[i - 1] == "not") carrying.insert(text[i]);
  }
  CHECK(carrying.size() == 40);
  CHECK(std::count_if(carrying.begin(), carrying.end(), [&](const auto& word) { return sign[word] > 0; }) == 20);
  double bag = 0, positive = 0;
  for (const Example& item : set.items) {
    auto text = words_of(symbols_to_bytes(item.symbols));
    int total = 0, plain = 0;
    for (std::size_t i = 0; i < text.size(); i++) {
      if (!carrying.count(text[i])) continue;
      int one = sign[text[i]] > 0 ? 1 : -1;
      plain += one;
      total += i > 0 && text[i - 1] == "not" ? -one : one;
    }
    CHECK(std::abs(total) >= 2);
    CHECK(item.targets[0] == (total > 0));
    positive += item.targets[0];
    bag += plain == 0 ? 0.5 : (plain > 0) == (total > 0);
  }
  CHECK(bag / 3000 < 0.8);
  CHECK(positive / 3000 == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("tasks: two documents share a topic or do not") {
  ExampleSet set = make_task("documents", 400, 5);
  auto halves = [](const Example& item) {
    std::string text = symbols_to_bytes(item.symbols);
    REQUIRE(text.size() == 257);
    REQUIRE(text[128] == '\t');
    return std::pair{text.substr(0, 128), text.substr(129)};
  };
  auto bag = [](const std::string& text) {
    std::vector<std::string> words = words_of(text);
    return std::set<std::string>(words.begin(), words.end() - 1);  // the last may be cut
  };
  double right = 0, same = 0;
  // Words of other documents with a word in common tell the topic: enough to see that the answers hold.
  for (const Example& item : set.items) {
    auto [a, b] = halves(item);
    std::vector<std::string> common;
    std::set<std::string> x = bag(a), y = bag(b);
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
    right += (common.size() > 4) == (item.targets[0] == 1);
    same += item.targets[0];
  }
  CHECK(right / 400 > 0.85);
  CHECK(same / 400 == doctest::Approx(0.5).epsilon(0.15));
}

TEST_CASE("tasks: sentences on animals, plants and tools, each with verbs of its kind") {
  ExampleSet set = make_task("topics", 2000, 5);
  std::map<int, std::set<int>> of_class, verbs_of;
  for (const Example& item : set.items) {
    CHECK(joined({item.symbols[0], item.symbols[3], item.symbols[4]}, set.names) == "thenearthe");
    for (std::size_t i : {1u, 2u, 5u}) of_class[item.targets[i]].insert(item.symbols[i]);
    verbs_of[item.targets[1]].insert(item.symbols[2]);
    CHECK(item.targets[2] == 3);
    CHECK(item.targets[5] == 1);
  }
  for (int c = 0; c < 4; c++) CHECK(of_class[c].size() == 10);
  CHECK(verbs_of.size() == 2);
  for (int verb : verbs_of[0]) CHECK(verbs_of[2].count(verb) == 0);
}
