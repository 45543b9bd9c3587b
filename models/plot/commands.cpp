#include "models/plot/commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "models/plot/runs.hpp"
#include "models/run/flags.hpp"
#include "nn/file.hpp"

namespace HEED_NAMESPACE {

void add_plot(CLI::App& heed, Program&) {
  struct Options {
    std::vector<std::string> runs;
    std::string out;
    bool csv = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* app = heed.add_subcommand("plot", "draw loss and scores of training runs, as SVG");
  app->add_option("runs", o->runs, "folders written by train, or log.jsonl files")->required()->type_name("FILE");
  file_flag(app, "-o,--out", o->out, "the file; none: standard output");
  app->add_flag("--csv", o->csv, "the numbers instead of the picture");
  app->callback([o] {
    std::vector<RunCurves> runs;
    for (const std::string& run : o->runs) runs.push_back(read_curves(run));
    std::string text = o->csv ? curves_csv(runs) : curves_picture(runs);
    if (o->out.empty()) {
      std::cout << text;
    } else {
      write_file(o->out, text);
    }
  });
}

}  // namespace HEED_NAMESPACE
