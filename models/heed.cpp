// heed.cpp — the program: a table of tasks, each of which adds its own verbs, and what holds for all.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "models/arena/commands.hpp"
#include "models/detect/commands.hpp"
#include "models/glimpse/commands.hpp"
#include "models/graph/commands.hpp"
#include "models/image/commands.hpp"
#include "models/lm/commands.hpp"
#include "models/plot/commands.hpp"
#include "models/pos/commands.hpp"
#include "models/program/config.hpp"
#include "models/program/info.hpp"
#include "models/program/manual.hpp"
#include "models/program/options.hpp"
#include "models/run/flags.hpp"
#include "models/speech/commands.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "models/words/commands.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

constexpr void (*tasks[])(CLI::App&, Program&) = {add_pos,  add_text,      add_speech, add_image,   add_graph,
                                                  add_lm,   add_translate, add_words,  add_glimpse, add_detect,
                                                  add_data, add_plot,      add_arena};

constexpr const char* examples = R"(Examples:
  heed pos demo                                       learn to tag words, in seconds
  heed text train --task vote:12 --out runs/vote      train any model on a built-in task or on files)";

// Options that every command takes.
struct Common {
  int threads = 0;
  bool dump_config = false;
};

void add_common(CLI::App& heed, Program& program, Common& o) {
  heed.set_version_flag("--version", "heed " HEED_VERSION "\nMIT licence", "print the version and the licence");
  heed.add_option("--threads", o.threads, "threads to compute with; else HEED_THREADS, else all cores")
      ->check(in_range(1, 1024, true))
      ->type_name("N");
  choice(&heed, "--progress", program.call.progress,
         {{"auto", ProgressMode::automatic},
          {"bar", ProgressMode::bar},
          {"lines", ProgressMode::lines},
          {"none", ProgressMode::none}},
         "auto: a bar on a terminal, else a line now and then");
  heed.add_flag_callback(
      "--quiet", [&program] { program.call.progress = ProgressMode::none; }, "the same as --progress none");
  add_config(heed);
  heed.add_flag("--dump-config", o.dump_config,
                "print the options of a command as a file for --config, and do nothing else");
}

// What holds for all commands, before the one that was called.
void begin(const CLI::App& heed, Program& program, const Common& o) {
  if (o.threads) set_threads(o.threads);
  program.call.config = write_config(heed);
  if (!o.dump_config) return;
  std::cout << program.call.config << '\n';
  throw CLI::Success();
}

int run(int argc, char** argv) {
  try {
    CLI::App heed("heed: attention, from one number's gradient to a tagger for real text", "heed");
    heed.set_help_flag("--help", "print this help, and do nothing else");
    heed.require_subcommand(1);
    heed.fallthrough();
    heed.formatter(help_formatter());
    heed.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    Program program{argv[0]};
    program.call.arguments.assign(argv, argv + argc);
    Common common;
    add_common(heed, program, common);
    heed.parse_complete_callback([&] { begin(heed, program, common); });
    for (auto add : tasks) add(heed, program);
    for (CLI::App* task : heed.get_subcommands({})) {
      task->group("Tasks");
      for (CLI::App* verb : task->get_subcommands({})) {
        verb->group("Verbs");
        verb->footer("Everywhere: --threads N, --progress WORD, --config FILE, --dump-config; see heed --help");
      }
    }
    heed.add_subcommand("info", "what this program was built with, for reports of faults")->callback([&] {
      program.code = info_command();
    });
    add_manual(heed);
    for (CLI::App* other : heed.get_subcommands([](const CLI::App* app) { return app->get_group() == "Subcommands"; }))
      other->group("The program itself");
    heed.footer(examples);
    try {
      if (argc == 1) throw CLI::CallForHelp();
      heed.parse(argc, argv);
    } catch (const CLI::Success& e) {  // help, version, a configuration
      return e.get_name() == "Success" ? 0 : heed.exit(e);
    } catch (const CLI::FileError& e) {
      std::fprintf(stderr, "heed: --config: cannot read the file (%s)\n", e.what());
      return 1;
    } catch (const CLI::ParseError& e) {
      std::fprintf(stderr, "heed: %s (see %s)\n", explain(heed, e).c_str(), help_call(heed).c_str());
      return 2;
    }
    return program.code;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heed: %s\n", e.what());
    return 2;
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "heed: not enough memory\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heed: %s\n", e.what());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is a disk that is full: writing says so
  int code = run(argc, argv);
  if (code || (std::cout.flush() && !std::fflush(stdout) && !std::ferror(stdout))) return code;
  std::fprintf(stderr, "heed: cannot write to standard output\n");
  return 1;
}
