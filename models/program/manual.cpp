#include "models/program/manual.hpp"

#include <iostream>

#include "models/program/options.hpp"
#include "models/run/flags.hpp"

namespace heed {

namespace {

// ---- all commands, with the words that lead to them ---------------------------------------------------------------

struct Command {
  std::string path;  // "/pos/train", empty for the program itself
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& list) {
  list.push_back({path, &app});
  for (const CLI::App* below : commands_of(app)) collect(*below, path + '/' + below->get_name(), list);
}

std::vector<Command> all_commands(const CLI::App& heed) {
  std::vector<Command> list;
  collect(heed, "", list);
  return list;
}

// "/pos|/pos/train|...", what a shell knows as a command.
std::string paths(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& c : commands)
    if (!c.path.empty()) text += (text.empty() ? "" : "|") + c.path;
  return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// ---- the manual page -----------------------------------------------------------------------------------------------

std::string roff(const std::string& text) {
  std::string safe = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (safe.starts_with('.') || safe.starts_with('\'')) safe = "\\&" + safe;
  return replaced(safe, "\n", "\n.br\n");
}

std::string entry(const std::string& name, const std::string& type, const std::string& help) {
  return ".TP\n\\fB" + roff(name) + "\\fR" + (type.empty() ? "" : " \\fI" + type + "\\fR") + "\n" + roff(help) + "\n";
}

std::string options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* o : arguments_of(app)) {
    OptionText t = describe(*o);
    text += entry(t.name, "", t.described());
  }
  for (const CLI::Option* o : options_of(app)) {
    OptionText t = describe(*o);
    if (t.name != "--help" || !app.get_parent()) text += entry(t.name, t.type, t.described());
  }
  return text;
}

constexpr const char* head = R"(.SH NAME
heed \- train, score and look into models with attention
.SH SYNOPSIS
.B heed
.I TASK VERB
.RI [ OPTION ]...
.SH DESCRIPTION
Results go to standard output, everything else to standard error.
Options may stand in any order, as
.B \-\-name value
or
.BR \-\-name=value .
)";

constexpr const char* tail = R"(.SH FILES
A training run writes into its folder
.IR model\-best.safetensors ,
.IR model\-last.safetensors ,
.IR config.json ,
.IR vocab.json ,
.IR log.jsonl ,
.I report.txt
and
.IR report.json .
Nothing that is there is overwritten without
.BR \-\-overwrite .
.SH ENVIRONMENT
.TP
.B HEED_THREADS
threads to compute with, where \fB\-\-threads\fR is not given
.TP
.B HEED_GEMM
who computes products: \fBown\fR, \fBengine\fR, or each where it is faster
.TP
.B NO_COLOR
when not empty: no colours
.TP
.B OPENBLAS_CORETYPE
the kernels that OpenBLAS uses, as \fBHaswell\fR, should those it chooses not run
.SH EXIT STATUS
0 done, 1 failed, 2 wrong usage, 128 and the number of the signal when interrupted (130 after Ctrl\-C).
.SH EXAMPLES
.nf
heed pos demo
heed text train \-\-task vote \-\-out runs/vote
heed text eval runs/vote
.fi
)";

// ---- completion ----------------------------------------------------------------------------------------------------

std::string single_quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// For _arguments, whose own marks are brackets and colons.
std::string spec(const OptionText& t) {
  std::string help = t.help.substr(0, t.help.find('\n'));
  for (const char* mark : {"[", "]", ":"}) help = replaced(help, mark, std::string("\\") + mark);
  std::string text = t.name + '[' + help + ']';
  if (t.type.empty()) return single_quoted(text);
  std::string action = t.type == "WORD"     ? "(" + joined(t.words()) + ")"
                       : t.type == "FILE"   ? "_files"
                       : t.type == "FOLDER" ? "_files -/"
                                            : " ";
  return single_quoted(text + ':' + t.type + ':' + action);
}

}  // namespace

std::string manual_page(const CLI::App& heed) {
  std::string page = ".TH HEED 1 \"\" \"heed " HEED_VERSION "\" \"User Commands\"\n";
  page += head;
  for (const Command& c : all_commands(heed)) {
    if (c.path.empty()) {
      page += ".SH OPTIONS\n" + options(*c.app);
      continue;
    }
    std::string words = replaced(c.path, "/", " ");
    page += (c.app->get_parent() == &heed ? ".SH" : ".SS") + words + "\n" + roff(c.app->get_description()) + "\n";
    page += options(*c.app);
  }
  return page + tail;
}

std::string bash_completion(const CLI::App& heed) {
  std::vector<Command> commands = all_commands(heed);
  std::string words, values;
  for (const Command& c : commands) {
    std::vector<std::string> list;
    for (const CLI::App* below : commands_of(*c.app)) list.push_back(below->get_name());
    for (const CLI::App* app : {c.app, &heed})
      for (const CLI::Option* o : options_of(*app)) {
        OptionText t = describe(*o);
        if (app == &heed && (c.path.empty() || t.name == "--version" || t.name == "--help")) continue;
        list.push_back(t.name);
      }
    if (c.path.empty())
      for (const CLI::Option* o : options_of(heed)) list.push_back(describe(*o).name);
    words += "    '" + c.path + "') words='" + joined(list) + "' ;;\n";
    std::string none;  // options whose value is a file, or nothing that could be listed
    for (const CLI::Option* o : options_of(*c.app)) {
      OptionText t = describe(*o);
      std::string place = c.path.empty() ? "*:" + t.name : c.path + ':' + t.name;
      if (t.type == "WORD")
        values += "    " + place + ") words='" + joined(t.words()) + "' ;;\n";
      else if (!t.type.empty())
        none += (none.empty() ? "" : "|") + place;
    }
    if (!none.empty()) values += "    " + none + ") return ;;\n";
  }
  return "# bash completion for heed " HEED_VERSION
         ": source it, or put it into bash-completion's folder as heed\n"
         "_heed() {\n"
         "  local at= i words= word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case $at/${COMP_WORDS[i]} in\n      " +
         paths(commands) + ") at=$at/${COMP_WORDS[i]} ;;\n    esac\n  done\n  case $at in\n" + words +
         "  esac\n  case $at:$before in\n" + values +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _heed heed\n";
}

std::string zsh_completion(const CLI::App& heed) {
  std::vector<Command> commands = all_commands(heed);
  std::string cases;
  for (const Command& c : commands) {
    cases += "    '" + c.path + "')\n";
    std::string list;
    for (const CLI::App* below : commands_of(*c.app))
      list += " " + single_quoted(below->get_name() + ":" + replaced(below->get_description(), ":", "\\:"));
    std::string specs;
    for (const CLI::App* app : {c.app, &heed}) {
      if (app == &heed && c.path.empty()) continue;
      for (const CLI::Option* o : options_of(*app))
        if (app != &heed || describe(*o).name != "--help") specs += " " + spec(describe(*o));
    }
    if (!list.empty())
      cases += "      commands=(" + list.substr(1) + ")\n      _describe command commands\n";
    else
      cases += "      _arguments" + specs + " '*:file:_files'\n";
    cases += "      ;;\n";
  }
  return "#compdef heed\n"
         "# zsh completion for heed " HEED_VERSION
         ": put it into a folder of $fpath as _heed\n"
         "_heed() {\n"
         "  local at= word\n"
         "  local -a commands\n"
         "  integer skip=0\n"
         "  for word in ${words[2,CURRENT-1]}; do\n"
         "    case $at/$word in\n      " +
         paths(commands) +
         ") at=$at/$word; ((++skip)) ;;\n      *) break ;;\n    esac\n  done\n"
         "  shift $skip words\n"
         "  ((CURRENT -= skip))\n"
         "  case $at in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_heed \"$@\"\n";
}

void add_manual(CLI::App& heed) {
  heed.add_subcommand("man", "print the manual page: heed man | man -l -")->callback([&heed] {
    std::cout << manual_page(heed);
  });
  CLI::App* completion = heed.add_subcommand("completion", "print a script that completes this program's options");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "as in: source <(heed completion bash)")
      ->required()
      ->type_name("WORD")
      ->check(one_of({"bash", "zsh"}));
  completion->callback(
      [&heed, shell] { std::cout << (*shell == "bash" ? bash_completion(heed) : zsh_completion(heed)); });
}

}  // namespace heed
