#include "tutorials/tutorial.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "nn/file.hpp"
#include "tensor/error.hpp"
#include "tensor/threads.hpp"

namespace heed::tutorial {

namespace {

// What a chapter records while it runs.
struct Record {
  std::string folder;
  nlohmann::json numbers = nlohmann::json::object(), blocks = nlohmann::json::object();
};

Record& record() {
  static Record only;
  return only;
}

// The least of 1, 2, 5, 10, 20, 40, ... that is not below: a number that is the same in most runs.
double rounded_up(double seconds) {
  double bound = 1;
  for (double next : {2., 5., 10.})
    if (bound < seconds) bound = next;
  while (bound < seconds) bound *= 2;
  return bound;
}

}  // namespace

int chapter(int count, char** words, const std::function<void()>& body, double budget) {
  try {
    if (count > 1) record().folder = words[1];
    set_threads(1);
    body();
    // CPU time of the whole process: the same on a busy machine.
    double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    number("seconds", rounded_up(seconds), 0, -1);
    if (record().folder.empty()) return 0;
    std::filesystem::create_directories(record().folder);
    nlohmann::json all{{"numbers", record().numbers}, {"blocks", record().blocks}, {"budget", budget}};
    write_file(record().folder + "/numbers.json", all.dump(1) + "\n");
    return 0;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

Block::Block(const std::string& name, double tolerance) : name_(name) {
  check(!record().blocks.contains(name), "tutorial", "two blocks are named ", name);
  record().blocks[name] = tolerance;
  std::printf("[%s]\n", name_.c_str());
}

Block::~Block() {
  std::printf("[/%s]\n", name_.c_str());
  std::fflush(stdout);
}

std::string number(const std::string& name, double value, int decimals, double tolerance) {
  check(std::isfinite(value), "tutorial", "the number ", name, " is ", value);
  check(!record().numbers.contains(name), "tutorial", "two numbers are named ", name);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  if (std::string_view(text).find_first_of("123456789") == std::string_view::npos)
    std::snprintf(text, sizeof text, "%.*f", decimals, 0.);  // no -0.0
  record().numbers[name] = {{"text", text}, {"tolerance", tolerance}};
  return text;
}

std::string at_most(const std::string& name, double measured, double bound, int decimals) {
  check(measured <= bound, "tutorial", name, " is ", measured, ", the text says at most ", bound);
  return number(name, bound, decimals);
}

std::string at_least(const std::string& name, double measured, double bound, int decimals) {
  check(measured >= bound, "tutorial", name, " is ", measured, ", the text says at least ", bound);
  return number(name, bound, decimals);
}

void claim(bool holds, const std::string& sentence) { check(holds, "tutorial", "does not hold: ", sentence); }

void figure(const std::string& name, const std::string& svg) {
  if (record().folder.empty()) return;
  std::filesystem::create_directories(record().folder + "/figures");
  write_file(record().folder + "/figures/" + name + ".svg", svg);
}

}  // namespace heed::tutorial
