#include "models/run/folder.hpp"

#include <algorithm>
#include <array>

#include "models/run/run.hpp"

namespace HEED_NAMESPACE {

namespace {

namespace fs = std::filesystem;

// Models first, the file that says that a run is here last.
std::array<fs::path, 9> files(const RunFolder& f) {
  return {f.last(),      f.best(),       f.report_text(), f.report_json(), f.curves(),
          f.confusion(), f.vocabulary(), f.log(),         f.config()};
}

}  // namespace

bool RunFolder::begun() const { return fs::exists(config()) || fs::exists(last()) || fs::exists(best()); }

void RunFolder::open(const RunOptions& options) const {
  if (options.overwrite && options.resume) throw UsageError("--overwrite and --resume exclude each other");
  if (options.resume && !begun()) throw UsageError(path.string() + " holds no run; nothing to resume");
  if (!options.resume && !options.overwrite && begun())
    throw UsageError(path.string() + " already holds a run; give --resume to go on or --overwrite to start anew");
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error("heed: cannot create " + path.string() + ": " + error.message());
}

void RunFolder::clear() const {
  for (const fs::path& file : files(*this)) fs::remove(file);
}

void RunFolder::remove_leftovers() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    std::string name = entry.path().filename().string();
    auto all = files(*this);
    if (std::any_of(all.begin(), all.end(),
                    [&](const fs::path& file) { return name.starts_with(file.filename().string() + ".tmp"); }))
      fs::remove(entry.path());
  }
}

std::string model_path(const std::string& model) {
  std::string path = fs::is_directory(model) ? RunFolder(model).best().string() : model;
  if (!fs::exists(path)) throw Error("heed: " + path + ": there is no such file");
  return path;
}

}  // namespace HEED_NAMESPACE
