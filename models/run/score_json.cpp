// Scores for programs to read.
#include <nlohmann/json.hpp>

#include "models/run/score.hpp"

namespace HEED_NAMESPACE {

namespace {
using Json = nlohmann::ordered_json;
}

std::string to_json(const std::vector<std::pair<std::string, Score>>& scores, const ClassTable& classes,
                    const std::vector<Confusion>& confusions) {
  Json json;
  for (const auto& [name, score] : scores)
    if (score.all) json["scores"][name] = {{"right", score.right}, {"all", score.all}, {"percent", score.percent()}};
  for (const auto& [name, c] : classes)
    json["classes"][name] = {
        {"precision", c.precision()}, {"recall", c.recall()}, {"f1", c.f1()}, {"right", c.right}, {"support", c.gold}};
  if (!classes.empty()) json["macro_f1"] = macro_f1(classes);
  for (const Confusion& c : confusions) {
    Json one{{"gold", c.gold}, {"predicted", c.predicted}, {"count", c.count}};
    if (!c.example.empty()) one["example"] = c.example;
    json["confusions"].push_back(std::move(one));
  }
  return json.dump(2);
}

std::string to_json(const Evaluation& evaluation) {
  Json json;
  for (const Metric& m : evaluation.metrics) json["metrics"][m.name] = m.value;
  json.update(Json::parse(evaluation.json));
  return json.dump(2);
}

}  // namespace HEED_NAMESPACE
