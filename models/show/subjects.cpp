#include "models/show/subjects.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/data/bytes.hpp"
#include "nn/mixer/mixer.hpp"
#include "tensor/kernels.hpp"

namespace HEED_NAMESPACE {

namespace {

// Of one item with an answer: what it is made of, in words.
std::vector<std::string> token_texts(const ExampleSet& set, const Settings& settings, const Example& item) {
  std::vector<std::string> tokens;
  auto name = [&](int symbol) {
    const auto at = static_cast<std::size_t>(symbol);
    return at < set.names.size() ? set.names[at] : std::to_string(symbol);
  };
  if (set.height > 0) {  // patches of an image, where there are patches
    Size patch = 1;
    for (const Setting& s : settings.list())
      if (s.name == "patch") patch = settings.size("patch");
    for (Size r = 0; r * patch < set.height; r++)
      for (Size c = 0; c * patch < set.columns; c++)
        tokens.push_back(std::to_string(r + 1) + "," + std::to_string(c + 1));
    return tokens;
  }
  for (std::size_t i = 0; i < length_of(set, item); i++) {
    std::string text = item.symbols.empty() ? std::to_string(i + 1) : name(item.symbols[i]);
    if (!item.second.empty() && item.second[i] > 0) text += '/' + std::to_string(item.second[i]);
    tokens.push_back(text == " " ? "␣" : text);
  }
  return tokens;
}

std::vector<std::string> class_names(const ExampleSet& set, const std::vector<int>& ids) {
  std::vector<std::string> names;
  for (int id : ids) names.push_back(id < 0 ? "" : set.classes.at(static_cast<std::size_t>(id)));
  return names;
}

bool known(const std::vector<int>& targets) {
  return !targets.empty() && std::all_of(targets.begin(), targets.end(), [](int t) { return t >= 0; });
}

// Which attention of a translator comes when: those of the encoder once, those of the decoder again for every word.
void place_translation(Subject& subject, const Settings& settings) {
  const std::string& model = settings.word("model");
  subject.recurrent = model != "transformer";
  if (subject.recurrent) {
    subject.encoders = 0;
    subject.place = [](std::size_t) { return std::size_t{0}; };
    return;
  }
  const auto layers = static_cast<std::size_t>(settings.size("layers"));
  const std::string mixer = settings.word("mixer").substr(0, settings.word("mixer").find(':'));
  std::size_t encoders = layers;
  for (const MixerKind& kind : mixer_kinds())
    if (kind.name == mixer && kind.family == MixerFamily::none) encoders = 0;
  subject.encoders = encoders;
  subject.place = [=](std::size_t call) {
    return call < encoders ? call : encoders + (call - encoders) % (2 * layers);
  };
}

}  // namespace

Checkpoint without_dropout(Checkpoint checkpoint) {
  auto options = checkpoint.metadata.find("options");
  if (options == checkpoint.metadata.end()) return checkpoint;
  auto json = nlohmann::ordered_json::parse(options->second, nullptr, false);
  if (!json.is_object()) return checkpoint;  // damaged, as whoever reads it will say
  for (auto& [name, value] : json.items())
    if (name.find("dropout") != std::string::npos) value = 0;
  options->second = json.dump();
  return checkpoint;
}

Subject tagger_subject(const PosModel& model, const std::vector<std::string>& words,
                       const std::vector<std::string>& gold) {
  check(!words.empty(), "show", "the sentence has no words");
  check(gold.empty() || gold.size() == words.size(), "show", "got ", gold.size(), " gold tags for ", words.size(),
        " words, expected one each");
  auto data = std::make_shared<Dataset>(model.lexicon, std::vector<Sentence>{make_sentence(words)});
  std::vector<int> ids;
  for (const std::string& tag : gold) {
    ids.push_back(model.lexicon.tag(tag));
    check(ids.back() >= 0, "show", "the model does not know the tag ", tag, "; its tags are those of its training");
  }
  Subject subject{.title = "pos", .tokens = words, .gold = gold};
  subject.predict = [&model, data] {
    Eval eval;
    Tensor probability = softmax(model.tagger(data->batch({0})).tags).value();
    std::vector<int> best;
    Tensor greatest = max(probability, -1, &best);
    Prediction p;
    for (int id : best) p.labels.push_back(model.lexicon.tags.text(id));
    for (real x : greatest.to_vector()) p.probability.push_back(static_cast<double>(x));
    return p;
  };
  if (ids.empty() && words.size() <= most_tokens)
    for (const std::string& tag : subject.predict().labels) ids.push_back(model.lexicon.tag(tag));
  subject.loss = [&model, data, ids] { return cross_entropy(model.tagger(data->batch({0})).tags, ids); };
  return subject;
}

Subject example_subject(const Trained& trained, const ExampleSet& set, std::size_t item) {
  check(item < set.items.size(), "show", "there is no item ", item + 1, " among ", set.items.size());
  check(trained.model.predict != nullptr, trained.kind.name.c_str(), "the model gives no answers to show");
  auto one = std::make_shared<ExampleSet>(set);
  one->items = {set.items[item]};
  std::vector<int>& targets = one->items[0].targets;
  Subject subject{.title = trained.kind.name, .tokens = token_texts(set, trained.settings, one->items[0])};
  if (known(targets)) subject.gold = class_names(set, targets);
  auto answer = [&model = trained.model, one] {
    Eval eval;
    return model.predict(make_batch(*one, {0})).at(0);
  };
  if (!known(targets) && subject.tokens.size() <= most_tokens) {
    if (targets.empty() && set.answer != Answer::sequence)
      targets.assign(set.answer == Answer::each ? length_of(set, one->items[0]) : 1, -1);
    targets = answer();
  }
  if (set.answer == Answer::sequence) {
    subject.targets = class_names(set, targets);
    place_translation(subject, trained.settings);
  }
  subject.predict = [answer, one] { return Prediction{class_names(*one, answer())}; };
  subject.loss = [&model = trained.model, one] {
    return model.loss(make_batch(*one, {0}), {.label_smoothing = 0, .auxiliary = 0}).main;
  };
  return subject;
}

ExampleSet written_item(const Trained& trained, const std::string& text) {
  ExampleSet set = trained.set;
  check(set.symbols > 0 && set.width == 0 && set.second == 0, "show", trained.kind.name,
        " models of this kind read more than symbols; give --file and --item instead of text");
  Example item;
  if (set.symbols == byte_symbols) {
    item.symbols = bytes_to_symbols(text);
  } else {
    std::vector<std::string> names = set.names;
    for (Size symbol = 0; set.names.empty() && symbol < set.symbols; symbol++) names.push_back(std::to_string(symbol));
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      auto at = std::find(names.begin() + 1, names.end(), word);  // behind padding
      check(at != names.end(), "show", "the model does not know the symbol ", word);
      item.symbols.push_back(static_cast<int>(at - names.begin()));
    }
  }
  check(!item.symbols.empty(), "show", "the text has no symbols");
  if (set.answer != Answer::sequence) item.targets.assign(set.answer == Answer::each ? item.symbols.size() : 1, -1);
  set.items = {std::move(item)};
  return set;
}

}  // namespace HEED_NAMESPACE
