#include "models/program/options.hpp"

#include <sstream>

#include "models/data/nearest.hpp"

namespace heed {

std::string OptionText::described() const {
  std::string more = range;
  auto add = [&](const std::string& text) { more += (more.empty() ? "" : "; ") + text; };
  if (required) add("required");
  if (!value.empty()) add("default " + value);
  return help + (more.empty() ? "" : " (" + more + ")");
}

std::vector<std::string> OptionText::words() const {
  std::vector<std::string> list;
  if (type != "WORD") return list;
  std::istringstream in(range);
  for (std::string word; std::getline(in, word, '|');) list.push_back(word);
  return list;
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.name =
      option.get_positional() && option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().at(0);
  if (option.get_type_size() != 0) {
    text.type = option.get_type_name();
    std::size_t colon = text.type.find(':');
    if (colon != text.type.npos) {
      text.range = text.type.substr(colon + 1);
      text.type.resize(colon);
    }
    text.value = option.get_default_str();
  }
  text.help = option.get_description();
  text.required = option.get_required();
  return text;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([&](const CLI::Option* o) { return o->nonpositional() && !o->get_group().empty(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* o) { return o->get_positional(); });
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) { return command.get_subcommands({}); }

const CLI::App& called(const CLI::App& heed) {
  const CLI::App* at = &heed;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return *at;
}

namespace {

struct Help : CLI::Formatter {
  Help() {
    column_width(30);
    label("Positionals", "Arguments");
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != text.npos;) text.erase(at, 1);
    return text;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: " + name;
    for (const CLI::Option* o : arguments_of(*app)) text += ' ' + make_option_usage(o);
    std::vector<const CLI::App*> below = commands_of(*app);
    bool tasks = std::any_of(below.begin(), below.end(), [](const CLI::App* a) { return !commands_of(*a).empty(); });
    if (!below.empty()) text += tasks ? " TASK VERB" : " VERB";
    return text + " [OPTION]...\n";
  }
  std::string make_option_name(const CLI::Option* option, bool) const override {
    OptionText text = describe(*option);
    return text.name + (text.type.empty() || option->get_positional() ? "" : " " + text.type);
  }
  std::string make_option_opts(const CLI::Option*) const override { return ""; }
  std::string make_option_desc(const CLI::Option* option) const override { return describe(*option).described(); }
};

std::string list(const std::vector<const CLI::App*>& commands) {
  std::string text;
  for (const CLI::App* command : commands) text += (text.empty() ? "" : ", ") + command->get_name();
  return text;
}

}  // namespace

std::string help_call(const CLI::App& heed) {
  std::string text = heed.get_name();
  for (const CLI::App* at = &heed; !at->get_subcommands().empty();) {
    at = at->get_subcommands().back();
    text += ' ' + at->get_name();
  }
  return text + " --help";
}

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<Help>(); }

std::string explain(const CLI::App& heed, const CLI::ParseError& error) {
  const CLI::App& at = called(heed);
  std::vector<std::string> left = heed.remaining(true);
  if (!left.empty()) {  // what stands where a command or an option should
    std::string word = left[0].substr(0, left[0].find('='));
    std::vector<std::string> names;
    if (word.starts_with('-'))
      for (const CLI::App* app : {&at, &heed})
        for (const CLI::Option* option : options_of(*app)) names.push_back(describe(*option).name);
    for (const CLI::App* command : commands_of(at)) names.push_back(command->get_name());
    return "there is no " + word + did_you_mean(word, names);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) && !commands_of(at).empty())
    return "expected a verb after " + at.get_name() + ": " + list(commands_of(at));
  return error.what();
}

}  // namespace heed
