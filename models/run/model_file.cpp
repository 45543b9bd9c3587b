// Models over example sets as files.
#include <nlohmann/json.hpp>

#include "models/data/example_file.hpp"
#include "models/run/example_model.hpp"

namespace HEED_NAMESPACE {

namespace {
using Json = nlohmann::ordered_json;
std::string format_of(const ModelKind& kind) { return "heed." + kind.name + ".1"; }
}  // namespace

std::string describe(const Settings& settings) {
  Json json;
  for (const Setting& s : settings.list()) {
    bool quoted = s.form == Setting::Form::word || s.form == Setting::Form::text;
    json[s.name] = quoted ? Json(s.value) : Json::parse(s.value);
  }
  return json.dump();
}

Checkpoint to_checkpoint(const Trained& trained) {
  Checkpoint checkpoint{named_values(trained.model.parameters()), {{"format", format_of(trained.kind)}}};
  checkpoint.metadata["options"] = describe(trained.settings);
  checkpoint.metadata["set"] = describe(trained.set);
  return checkpoint;
}

std::unique_ptr<Trained> from_checkpoint(const ModelKind& kind, const Checkpoint& checkpoint) {
  auto text = [&](const std::string& name) -> const std::string& {
    auto it = checkpoint.metadata.find(name);
    check(it != checkpoint.metadata.end(), kind.name.c_str(), "the file is no model of heed's: it has no \"", name,
          '"');
    return it->second;
  };
  check(text("format") == format_of(kind), kind.name.c_str(), "the file has format ", text("format"), ", expected ",
        format_of(kind));
  try {
    Settings settings = kind.settings;
    Json json = Json::parse(text("options"));
    for (const Setting& s : kind.settings.list()) {
      const Json& value = json.at(s.name);
      settings.set(s.name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    auto trained = std::make_unique<Trained>(kind, read_description(text("set")), settings, 1);
    assign(trained->model.parameters(), checkpoint);
    return trained;
  } catch (const nlohmann::json::exception&) {
    fail(kind.name.c_str(), "the file's options are damaged");
  }
}

}  // namespace HEED_NAMESPACE
