// flags.hpp — options that commands share, as CLI11 wants them.
#pragma once

#include <CLI/CLI.hpp>
#include <map>

#include "models/run/run.hpp"

namespace HEED_NAMESPACE {

/// "got x, expected a whole number from 1 to 8": what is wrong with `text` as a number in [low, high]; empty: nothing.
std::string number_fault(const std::string& text, double low, double high, bool whole);
/// "1 to 8".
std::string range_text(double low, double high);

/// Lets numbers in [low, high] pass.
CLI::Validator in_range(double low, double high, bool whole);
/// Lets some words pass.
CLI::Validator one_of(const std::vector<std::string>& words);

/// An option with one of some words as its value.
template <class T>
void choice(CLI::App* app, const char* name, T& value, const std::map<std::string, T>& names, const char* help) {
  std::vector<std::string> words;
  std::string now;
  for (const auto& [text, meaning] : names) {
    words.push_back(text);
    if (meaning == value) now = text;
  }
  app->add_option_function<std::string>(
         name, [&value, names](const std::string& text) { value = names.at(text); }, help)
      ->check(one_of(words))
      ->type_name("WORD")
      ->default_str(now);
}

/// An option with a number in [low, high] as its value.
template <class T, class L>
void number(CLI::App* app, const char* name, T& value, L low, L high, const char* help) {
  constexpr bool whole = std::is_integral_v<T>;
  app->add_option(name, value, help)
      ->check(in_range(static_cast<double>(low), static_cast<double>(high), whole))
      ->type_name(whole ? "N" : "X")
      ->capture_default_str();
}

/// An option with a file as its value.
inline CLI::Option* file_flag(CLI::App* app, const char* name, std::string& path, const char* help) {
  return app->add_option(name, path, help)->type_name("FILE");
}

/// The argument `model`.
inline void model_argument(CLI::App* app, std::string& path) {
  app->add_option("model", path, "folder written by train, or a model file")->required()->type_name("FILE");
}

void seed_flag(CLI::App* app, std::uint64_t& seed);

/// --out, --overwrite, --resume.
void run_flags(CLI::App* app, RunOptions& run);

/// --seed, --epochs, --steps, --lr and the rest of TrainOptions; of `auxiliary` only when it has a meaning to tell.
void training_flags(CLI::App* app, TrainOptions& o, const char* auxiliary = nullptr);

}  // namespace HEED_NAMESPACE
