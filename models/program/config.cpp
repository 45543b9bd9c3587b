#include "models/program/config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/data/nearest.hpp"
#include "models/program/options.hpp"
#include "models/run/run.hpp"

namespace heed {

namespace {

using Json = nlohmann::ordered_json;

// What a file may set: not what belongs to one call, such as --resume.
std::vector<const CLI::Option*> settable(const CLI::App& command) {
  std::vector<const CLI::Option*> options = options_of(command);
  std::erase_if(options, [](const CLI::Option* o) { return !o->get_configurable(); });
  return options;
}

struct JsonConfig : CLI::Config {
  explicit JsonConfig(const CLI::App& app) : heed(app) {}
  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return write_config(heed); }
  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    std::vector<std::string> parents, names;
    for (const CLI::App* app = &heed; !app->get_subcommands().empty(); parents.push_back(app->get_name()))
      app = app->get_subcommands().back();
    for (const CLI::Option* option : settable(called(heed))) names.push_back(describe(*option).name.substr(2));
    std::vector<CLI::ConfigItem> list;
    for (const auto& [name, value] : read_config({std::istreambuf_iterator<char>(in), {}})) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw UsageError("--config: there is no option " + name + did_you_mean(name, names));
      list.push_back({parents, name, {value}});
    }
    return list;
  }
  const CLI::App& heed;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> read_config(const std::string& text) {
  std::vector<std::string> names;
  auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) names.push_back(parsed.get<std::string>());
    return depth <= 2;
  };
  Json json = Json::parse(text, watch, false);
  check(json.is_object(), "--config", "expected a JSON object, as {\"lr\": 0.001}");
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  check(twice == names.end(), "--config", twice == names.end() ? "" : *twice, " stands there twice");
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : json.items()) {
    check(value.is_string() || value.is_number() || value.is_boolean(), "--config", name,
          ": expected a text, a number, true or false");
    values.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return values;
}

std::string write_config(const CLI::App& heed) {
  Json json = Json::object();
  for (const CLI::Option* option : settable(called(heed))) {
    OptionText text = describe(*option);
    std::string value = option->count() ? option->results().back() : text.value;
    std::string name = text.name.substr(2);
    if (text.type.empty())
      json[name] = option->count() > 0 && value != "false";
    else if (value.empty())
      continue;
    else if (text.type == "N")
      json[name] = std::stoull(value);
    else if (text.type == "X")
      json[name] = std::stod(value);
    else
      json[name] = value;
  }
  return json.dump(2);
}

void add_config(CLI::App& heed) {
  heed.config_formatter(std::make_shared<JsonConfig>(heed));
  heed.set_config("--config", "", "JSON file of options, as {\"lr\": 0.001}; what the call says goes before it")
      ->type_name("FILE");
}

}  // namespace heed
