// runs.hpp — pictures of training runs, from what their folders hold: log.jsonl and report.json.
#pragma once

#include <string>
#include <vector>

#include "models/run/folder.hpp"

namespace HEED_NAMESPACE {

/// The numbers of a run's log, one row a score.
struct RunCurves {
  std::string name;                              ///< of the folder
  std::string by = "step";                       ///< what x counts: step, or epoch where each row has one
  std::vector<double> x = {};                    ///< one a row
  std::vector<std::string> metrics = {};         ///< loss first, then as the log names them, as "dev_accuracy"
  std::vector<std::vector<double>> values = {};  ///< of each metric, one a row; NaN where a row has none
};

/// Reads the log of a run's folder, or that file itself; a line that a killed run left unfinished is no error at the
/// end. Throws DataError, with file and line, for what is no log.
RunCurves read_curves(const std::string& folder_or_file);

/// Loss and scores of runs over steps or epochs, one panel for each number, one line for each run.
std::string curves_picture(const std::vector<RunCurves>& runs);

/// The same numbers as CSV: run, step or epoch, metric, value. Names with commas or quotes are quoted (RFC 4180).
std::string curves_csv(const std::vector<RunCurves>& runs);

/// The confusion matrix of a report.json: rows gold, columns predicted, % of the gold class; at most `most` classes,
/// those with the most items. Empty when the report has no classes.
std::string confusion_picture(const std::string& report_json, std::size_t most = 40);

/// Draws a run's folder: its curves, and its confusion matrix when its report has classes.
void draw_run(const RunFolder& folder);

}  // namespace HEED_NAMESPACE
