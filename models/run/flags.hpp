// flags.hpp — options that commands share, as CLI11 wants them.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

#include "models/run/run.hpp"

namespace HEED_NAMESPACE {

/// An option with one of some words as its value.
template <class T>
void choice(CLI::App* app, const char* name, T& value, const std::map<std::string, T>& names, const char* help) {
  std::vector<std::string> allowed;
  for (const auto& [text, unused] : names) allowed.push_back(text);
  app->add_option_function<std::string>(
         name, [&value, names](const std::string& text) { value = names.at(text); }, help)
      ->check(CLI::IsMember(allowed));
}

/// Says what is wrong with NaN, which a range does not keep out.
inline std::string no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "expected a number, got " + text : "";
}

/// An option with a number in [low, high] as its value.
template <class T, class L>
void number(CLI::App* app, const char* name, T& value, L low, L high, const char* help) {
  app->add_option(name, value, help)->check(CLI::Range(low, high))->check(no_nan)->capture_default_str();
}

inline void seed_flag(CLI::App* app, std::uint64_t& seed) {
  app->add_option("--seed", seed, "seed of every random draw")->check(CLI::NonNegativeNumber)->capture_default_str();
}

inline void quiet_flag(CLI::App* app, bool& quiet) { app->add_flag("--quiet", quiet, "no progress line"); }

/// --out, --overwrite, --resume, --quiet.
void run_flags(CLI::App* app, RunOptions& run);

/// --seed, --epochs, --steps, --lr and the rest of TrainOptions; of `auxiliary` only when it has a meaning to tell.
void training_flags(CLI::App* app, TrainOptions& o, const char* auxiliary = nullptr);

}  // namespace HEED_NAMESPACE
