// folder.hpp — the folder of a training run: which file is what, and the rule that nothing is overwritten silently.
#pragma once

#include <filesystem>
#include <string>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

struct RunOptions;

/// Names of the files of a run.
struct RunFolder {
  std::filesystem::path path;

  explicit RunFolder(std::filesystem::path folder) : path(std::move(folder)) {}
  std::filesystem::path best() const { return path / "model-best.safetensors"; }  ///< what scored best, to use
  std::filesystem::path last() const { return path / "model-last.safetensors"; }  ///< with all it takes to go on
  std::filesystem::path config() const { return path / "config.json"; }           ///< every option, for --config
  std::filesystem::path vocabulary() const { return path / "vocab.json"; }
  std::filesystem::path log() const { return path / "log.jsonl"; }
  std::filesystem::path report_text() const { return path / "report.txt"; }  ///< on the best model
  std::filesystem::path report_json() const { return path / "report.json"; }
  std::filesystem::path curves() const { return path / "curves.svg"; }  ///< loss and scores, see models/plot/runs.hpp
  std::filesystem::path confusion() const { return path / "confusion.svg"; }  ///< of models of classes

  /// Whether a run was begun here, whether or not it got as far as saving a model.
  bool begun() const;
  /// Makes the folder. Throws UsageError when a run is there and neither `overwrite` nor `resume` is given, or there is
  /// none to resume; Error when the folder cannot be made.
  void open(const RunOptions& options) const;
  /// Removes what an earlier run wrote, models first, so that what is left is never taken for a model of the new run.
  void clear() const;
  /// Removes files that a run left half written when it was killed.
  void remove_leftovers() const;
};

/// The best model of a run's folder `model`, or that file itself. Throws Error when there is none.
std::string model_path(const std::string& model);

}  // namespace HEED_NAMESPACE
