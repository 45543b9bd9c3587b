// heed.cpp — the program: a table of tasks, each of which adds its own verbs, and what holds for all.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "models/detect/commands.hpp"
#include "models/glimpse/commands.hpp"
#include "models/graph/commands.hpp"
#include "models/image/commands.hpp"
#include "models/lm/commands.hpp"
#include "models/pos/commands.hpp"
#include "models/speech/commands.hpp"
#include "models/text/commands.hpp"
#include "models/translate/commands.hpp"
#include "models/words/commands.hpp"
#include "tensor/gemm.hpp"
#include "tensor/threads.hpp"

using namespace heed;

namespace {

constexpr void (*tasks[])(CLI::App&, Program&) = {add_pos,       add_text,  add_speech,  add_image,  add_graph, add_lm,
                                                  add_translate, add_words, add_glimpse, add_detect, add_data};

int info() {
  std::printf("heed %s\ncompiler  %s\nproducts  %s\nthreads   %d\n", HEED_VERSION, __VERSION__, gemm_name().c_str(),
              threads());
  return 0;
}

// What stands where a subcommand or an option should, if that is what is wrong.
std::string unknown_word(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  return words.empty() ? "" : "there is no " + words[0];
}

int run(int argc, char** argv) {
  try {
    CLI::App heed("heed: attention, from one number's gradient to a tagger for real text", "heed");
    heed.set_version_flag("--version", "heed " HEED_VERSION);
    heed.require_subcommand(1);
    heed.fallthrough();
    heed.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    Program program{argv[0]};
    int count = 0;
    heed.add_option("--threads", count, "threads to compute with; default HEED_THREADS, else all cores")
        ->check(CLI::Range(1, 1024));
    heed.parse_complete_callback([&] {
      if (count) set_threads(count);
    });
    for (auto add : tasks) add(heed, program);
    for (CLI::App* task : heed.get_subcommands({}))
      for (CLI::App* verb : task->get_subcommands({})) verb->footer("Everywhere: --threads N, see heed --help");
    heed.add_subcommand("info", "what this program was built with, for bug reports")->callback([&] {
      program.code = info();
    });
    try {
      heed.parse(argc, argv);
    } catch (const CLI::CallForHelp& e) {
      return heed.exit(e);
    } catch (const CLI::CallForVersion& e) {
      return heed.exit(e);
    } catch (const CLI::ParseError& e) {
      std::string unknown = unknown_word(heed);
      std::fprintf(stderr, "heed: %s (see heed --help)\n", unknown.empty() ? e.what() : unknown.c_str());
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
  int code = run(argc, argv);
  if (code || (std::cout.flush() && !std::fflush(stdout) && !std::ferror(stdout))) return code;
  std::fprintf(stderr, "heed: cannot write to standard output\n");
  return 1;
}
