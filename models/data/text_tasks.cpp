// Tasks on text, by bytes, characters, tokens or words.
#include <algorithm>
#include <array>
#include <cmath>

#include "models/data/bytes.hpp"
#include "models/data/corpus.hpp"
#include "models/data/listops.hpp"
#include "models/data/task_sources.hpp"
#include "models/data/text_files.hpp"

namespace HEED_NAMESPACE::tasks {

namespace {

using Words = std::vector<std::string>;

const std::string& one_of(Rng& rng, const Words& words) {
  return words[static_cast<std::size_t>(below(rng, static_cast<int>(words.size())))];
}

// `count` different words of 2 to 5 letters, none of them "not".
Words invent(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  Words words;
  while (words.size() < count) {
    std::string word;
    for (int i = 2 + below(rng, 4); i > 0; i--) word += static_cast<char>('a' + below(rng, 26));
    if (word != "not" && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

ExampleSet bytes(const Words& classes) {
  ExampleSet set;
  set.symbols = byte_symbols, set.classes = classes, set.names = byte_names();
  return set;
}

std::string two_digits(int n) { return {static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)}; }

// The characters that a date can have, written in one of six ways.
constexpr std::string_view date_letters = " ,./()-0123456789ADFJMNOSabcdeghilmnoprstuvy";

}  // namespace

TaskSource dates(int) {
  ExampleSet set;
  set.answer = Answer::sequence, set.symbols = static_cast<Size>(date_letters.size()) + 1;
  set.names = {"<pad>"};
  for (char c : date_letters) set.names.emplace_back(1, c);
  set.classes = numbers(10);
  set.classes.emplace_back("-");
  set.classes = sequence_names(set.classes);
  return {set, [](Rng& rng) {
            static const Words months = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
            constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
            int year = 1930 + below(rng, 100), month = below(rng, 12);  // two digits name the year
            int leap = month == 1 && year % 4 == 0, day = 1 + below(rng, days[static_cast<std::size_t>(month)] + leap);
            const std::string& name = months[static_cast<std::size_t>(month)];
            std::string y = std::to_string(year), d = std::to_string(day), dd = two_digits(day),
                        mm = two_digits(month + 1);
            const std::array<std::string, 6> ways = {
                d + " " + name + " " + y,           name.substr(0, 3) + " " + d + ", " + y.substr(2),
                dd + "/" + mm + "/" + y + " (d/m)", mm + "/" + dd + "/" + y + " (m/d)",
                name + " " + d + ", " + y,          y + "." + std::to_string(month + 1) + "." + d};
            Example item;
            for (char c : ways[static_cast<std::size_t>(below(rng, 6))])
              item.symbols.push_back(1 + static_cast<int>(date_letters.find(c)));
            std::string iso = y;
            for (const std::string& part : {mm, dd}) iso.append("-").append(part);
            for (char c : iso) item.targets.push_back(c == '-' ? 13 : 3 + c - '0');
            return item;
          }};
}

TaskSource prose(int length) {
  return {next_byte_set(), [=](Rng& rng) {
            std::string text;
            auto draw = [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); };
            while (text.size() < static_cast<std::size_t>(length) + 1) {
              const std::vector<Sentence> one = toy_corpus(Language::english, 1, draw);
              for (std::size_t i = 0; i < one[0].size(); i++) text.append(i ? " " : "").append(one[0].form(i));
              text += '\n';
            }
            return next_byte_item(std::string_view(text).substr(0, static_cast<std::size_t>(length) + 1));
          }};
}

TaskSource listops(int) {
  return {listops_set(), [](Rng& rng) {
            auto grow = [&](auto& self, int depth, std::string& text) -> void {
              text += listops_operators[static_cast<std::size_t>(below(rng, 4))];
              for (int i = 2 + below(rng, 3); i > 0; i--) {
                text += ' ';
                if (depth > 1 && rng.uniform() < 0.35)
                  self(self, depth - 1, text);
                else
                  text += static_cast<char>('0' + below(rng, 10));
              }
              text += " ]";
            };
            Example item;
            do {
              std::string text;
              grow(grow, 2, text);
              item.symbols = listops_symbols(text);
            } while (item.symbols.size() < 6 || item.symbols.size() > 32);
            item.targets = {listops_value(item.symbols)};
            return item;
          }};
}

TaskSource sentiment(int) {
  return {bytes({"negative", "positive"}), [words = invent(66, 100)](Rng& rng) {
            for (;;) {
              std::string text;
              int total = 0;
              for (int i = 10 + below(rng, 31); i > 0; i--) {
                bool carries = below(rng, 4) == 0, turned = carries && below(rng, 10) < 3;
                int word = carries ? below(rng, 40) : 40 + below(rng, 60);
                if (carries) total += (word < 20) == turned ? -1 : 1;
                text += (turned ? "not " : "") + words[static_cast<std::size_t>(word)] + (i > 1 ? " " : "");
              }
              Example item;
              item.symbols = bytes_to_symbols(text), item.targets = {total > 0};
              if (std::abs(total) > 1 && text.size() <= 256) return item;
            }
          }};
}

TaskSource documents(int) {
  Words words = invent(19, 8 * 12 + 40), noise(words.begin() + std::ptrdiff_t(8) * 12, words.end());
  return {bytes({"different", "same"}), [=](Rng& rng) {
            int first = below(rng, 8), same = below(rng, 2), second = same ? first : (first + 1 + below(rng, 7)) % 8;
            auto document = [&](int topic) {
              std::string text;
              while (text.size() < 128) {
                bool other = below(rng, 10) < 3;
                int own = other ? 0 : topic * 12 + below(rng, 12);
                text += other ? one_of(rng, noise) : words[static_cast<std::size_t>(own)];
                text += ' ';
              }
              return text.substr(0, 128);
            };
            Example item;
            std::string text = document(first);
            item.symbols = bytes_to_symbols(text + '\t' + document(second)), item.targets = {same};
            return item;
          }};
}

TaskSource topics(int) {
  // Things do what things do, animals what animals do, near a plant either way.
  static const Words words = {"<pad>",   "the",   "near",  "cat",   "dog",    "horse",  "cow",   "sheep",  "goat",
                              "rabbit",  "duck",  "mouse", "lion",  "oak",    "fern",   "rose",  "tulip",  "moss",
                              "willow",  "cedar", "daisy", "ivy",   "maple",  "hammer", "saw",   "drill",  "chisel",
                              "axe",     "file",  "plane", "lathe", "wrench", "pump",   "eats",  "sleeps", "watches",
                              "follows", "hears", "cuts",  "hums",  "rusts",  "turns",  "breaks"};
  ExampleSet set;
  set.answer = Answer::each, set.symbols = static_cast<Size>(words.size()), set.names = words;
  set.classes = {"animal", "plant", "tool", "verb"};
  return {set, [](Rng& rng) {
            int tool = below(rng, 2), who = (tool ? 23 : 3) + below(rng, 10), verb = 33 + 5 * tool + below(rng, 5);
            Example item;
            item.symbols = {1, who, verb, 2, 1, 13 + below(rng, 10)};
            item.targets = {-1, tool ? 2 : 0, 3, -1, -1, 1};
            return item;
          }};
}

}  // namespace HEED_NAMESPACE::tasks
