#include "models/pos/model_file.hpp"

#include <nlohmann/json.hpp>

namespace HEED_NAMESPACE {

namespace {
using Json = nlohmann::ordered_json;

// One list of the options serves both directions.
template <class F>
void each_option(TaggerOptions& o, const F& f) {
  f("dim", o.dim);
  f("heads", o.heads);
  f("layers", o.layers);
  f("hidden", o.hidden);
  f("window", o.window);
  f("word_dim", o.word_dim);
  f("char_dim", o.char_dim);
  f("char_filters", o.char_filters);
  f("affix_dim", o.affix_dim);
  f("shape_dim", o.shape_dim);
  f("dropout", o.dropout);
  f("attention_dropout", o.attention_dropout);
  f("input_dropout", o.input_dropout);
  f("feature_dropout", o.feature_dropout);
  f("vector_dropout", o.vector_dropout);
  f("word_dropout", o.word_dropout);
}

Json to_json(TaggerOptions options) {
  Json json{{"rung", static_cast<int>(options.rung)}};
  each_option(options, [&](const char* name, auto& value) { json[name] = value; });
  return json;
}
}  // namespace

std::string describe(const TaggerOptions& options) { return to_json(options).dump(); }

Checkpoint to_checkpoint(PosModel& model) {
  Checkpoint checkpoint{named_values(model.tagger.parameters()), {{"format", "heed.pos.1"}}};
  checkpoint.metadata["options"] = describe(model.tagger.options);
  checkpoint.metadata["frequent_words"] = std::to_string(model.lexicon.frequent);
  model.lexicon.each([&](const std::string& name, const Vocabulary& vocabulary, Reserved) {
    checkpoint.metadata["vocabulary." + name] = Json(vocabulary.entries()).dump();
  });
  return checkpoint;
}

std::unique_ptr<PosModel> from_checkpoint(const Checkpoint& checkpoint) {
  auto text = [&](const std::string& name) -> const std::string& {
    auto it = checkpoint.metadata.find(name);
    check(it != checkpoint.metadata.end(), "tagger", "the file is not a tagger's: it has no \"", name, '"');
    return it->second;
  };
  check(text("format") == "heed.pos.1", "tagger", "the file has format ", text("format"), ", expected heed.pos.1");
  try {
    TaggerOptions options;
    Json json = Json::parse(text("options"));
    int rung = json.at("rung");
    check(rung >= 0 && rung <= static_cast<int>(Rung::strong), "tagger", "there is no rung ", rung);
    options.rung = static_cast<Rung>(rung);
    each_option(options, [&](const char* name, auto& value) {
      json.at(name).get_to(value);
      check(value >= 0 && value <= 65536, "tagger", "option ", name, " = ", value, " makes no sense");
    });
    Lexicon lexicon;
    lexicon.each([&](const std::string& name, Vocabulary& vocabulary, Reserved reserved) {
      vocabulary = Vocabulary(Json::parse(text("vocabulary." + name)).get<std::vector<std::string>>(), reserved);
    });
    lexicon.frequent = Json::parse(text("frequent_words"));
    check(lexicon.tags.size() > 0, "tagger", "the file has no tags");
    check(lexicon.frequent > 0 && lexicon.frequent <= lexicon.words.size(), "tagger", "there cannot be ",
          lexicon.frequent, " frequent words of ", lexicon.words.size());
    auto model = std::make_unique<PosModel>(std::move(lexicon), options, 1);
    assign(model->tagger.parameters(), checkpoint);
    return model;
  } catch (const nlohmann::json::exception&) {
    fail("tagger", "the file's options or vocabularies are damaged");
  }
}

}  // namespace HEED_NAMESPACE
