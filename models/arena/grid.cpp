#include "models/arena/grid.hpp"

#include <algorithm>

#include "models/classify/classifier.hpp"

namespace HEED_NAMESPACE {

Size arena_keys(Size length) { return length <= 64 ? 8 : length <= 512 ? 32 : 64; }

const std::vector<std::string>& arena_groups() {
  static const std::vector<std::string> groups{"full matrix",       "human knowledge",     "clustering",
                                               "learnable pattern", "representative keys", "values with keys first",
                                               "new framework",     "no attention"};
  return groups;
}

const char* const written_out = "attention (written out)";

namespace {

std::string as_named(const std::string& name, Size) { return name; }

// `key` and a number, as arguments of a mixer.
std::string with(const char* key, Size value) { return std::string(key) + "=" + std::to_string(value); }

Size half_keys(Size n) { return arena_keys(n) / 2; }
Size parts(Size n) { return std::max<Size>(2, n / arena_keys(n)); }

}  // namespace

const std::vector<Entrant>& arena_entrants() {
  using Name = const std::string&;
  static const std::vector<std::string>& g = arena_groups();
  auto group = [](std::size_t i) { return g[i].c_str(); };
  static const std::vector<Entrant> all{
      {"attention", group(0), as_named},
      {"topk", group(0), [](Name m, Size n) { return m + ":" + with("k", arena_keys(n)); }},
      {"local", group(1), [](Name m, Size n) { return m + ":" + with("w", half_keys(n)); }},
      {"strided", group(1), [](Name m, Size n) { return m + ":" + with("s", parts(n)); }},
      {"longformer", group(1), [](Name m, Size n) { return m + ":" + with("w", half_keys(n)); }},
      {"bigbird", group(1), [](Name m, Size n) { return m + ":" + with("block", half_keys(n) / 2) + ",r=1"; }},
      {"reformer", group(2),
       [](Name m, Size n) {
         Size chunks = (n + half_keys(n) - 1) / half_keys(n);
         return m + ":" + with("buckets", std::max<Size>(2, chunks + chunks % 2)) + "," + with("chunk", half_keys(n)) +
                ",rounds=2,eval_rounds=2";
       }},
      {"routing", group(2),
       [](Name m, Size n) { return m + ":" + with("clusters", parts(n)) + "," + with("w", arena_keys(n)); }},
      {"sinkhorn", group(3), [](Name m, Size n) { return m + ":" + with("block", half_keys(n)); }},
      {"linformer", group(4), [](Name m, Size n) { return m + ":" + with("rank", arena_keys(n)); }},
      {"compressed", group(4), as_named},
      {"linear", group(5), as_named},
      {"efficient", group(5), as_named},
      {"rfa", group(5), as_named},
      {"performer", group(5), as_named},
      {"synthesizer:random", group(6), [](Name, Size) { return std::string("synthesizer:logits=random"); }},
      {"synthesizer:dense", group(6), [](Name, Size) { return std::string("synthesizer:logits=dense"); }},
      {"mlp_mixer", group(7), as_named},
      {"gmlp", group(7), [](Name m, Size) { return m + ":hidden=128"; }},
      {"fnet", group(7), as_named},
      {"lstm", group(7), as_named},
      {written_out, group(0), [](Name, Size) { return std::string("attention"); }},
  };
  return all;
}

Entrant arena_entrant(const std::string& name) {
  for (const Entrant& each : arena_entrants())
    if (each.name == name) return each;
  Rng rng(1);
  make_mixer(name, 64, rng);  // throws for what is no mixer
  std::string kind = name.substr(0, name.find(':'));
  for (const Entrant& each : arena_entrants())
    if (each.name.starts_with(kind)) return {name, each.group, as_named};
  for (const MixerKind& each : mixer_kinds())
    if (each.name == kind)
      return {name,
              arena_groups()[each.family == MixerFamily::full   ? 0
                             : each.family == MixerFamily::skip ? 1
                                                                : 7]
                  .c_str(),
              as_named};
  fail("arena", "there is no mixer ", name);
}

namespace {

// Red, green and blue become one of `levels` greys, as symbols from 1.
ExampleSet grey_symbols(ExampleSet set, int levels) {
  auto channels = static_cast<std::size_t>(set.width);
  for (Example& item : set.items) {
    for (std::size_t i = 0; i < item.features.size(); i += channels) {
      float sum = 0;
      for (std::size_t c = 0; c < channels; c++) sum += item.features[i + c];
      float grey = sum / static_cast<float>(channels) * static_cast<float>(levels);
      item.symbols.push_back(1 + std::clamp(static_cast<int>(grey), 0, levels - 1));
    }
    item.features.clear();
  }
  set.symbols = levels + 1, set.width = 0;
  return set;
}

}  // namespace

ExampleSet arena_set(const ArenaTask& task, std::size_t count, std::uint64_t seed, Split split) {
  ExampleSet set = make_task(task.source, count, seed, split);
  return task.grey ? grey_symbols(std::move(set), 8) : set;
}

namespace {
const std::vector<ArenaTask>& small_tasks() {
  static const std::vector<ArenaTask> tasks{{"recall", "recall:31"},   {"listops", "listops"},
                                            {"text", "sentiment"},     {"retrieval", "documents"},
                                            {"image", "shapes", true}, {"path", "pathfinder"}};
  return tasks;
}

const std::vector<ArenaPreset>& presets() {
  static const std::vector<ArenaPreset> all{
      {"smoke", small_tasks(), 10, 1024, 300, 200, {256, 1024}},
      {"mini", small_tasks(), 1500, 2048, 20000, 1000, {256, 1024, 2048, 4096}},
  };
  return all;
}
}  // namespace

std::vector<std::string> arena_preset_names() {
  std::vector<std::string> names;
  for (const ArenaPreset& each : presets()) names.push_back(each.name);
  return names;
}

ArenaPreset arena_preset(const std::string& name) {
  for (const ArenaPreset& each : presets())
    if (each.name == name) return each;
  fail("arena", "there is no preset ", name);
}

namespace {

// Full attention with all its weights in memory.
struct WrittenOut : Module {
  MultiHeadAttention layer;
  explicit WrittenOut(const MultiHeadAttention& made) : layer(made) { adopt(layer); }
  Var operator()(const Var& x, const Mask& key_padding_mask) const {
    auto head = [&](const Linear& project) { return split_heads(project(x), layer.heads); };
    Mask keep = padding_keys("WrittenOut", key_padding_mask, x.size(0), x.size(1));
    real scale = 1 / std::sqrt(static_cast<real>(layer.head_dim));
    Var weights = softmax(matmul(head(layer.q), transpose(head(layer.k))), keep, scale);
    return layer.o(merge_heads(matmul(weights, head(layer.v))));
  }
};

ExampleModel make(const ExampleSet& set, const Settings& settings, Rng& rng) {
  Classifier model(set, settings, rng);
  if (settings.word("matrix") == "kept")
    for (EncoderBlock& block : model.context.encoder.blocks) {
      block.mixer.emplace_back(WrittenOut(block.attention.at(0)));
      block.attention.clear();
    }
  return ExampleModel(model);
}

}  // namespace

const ModelKind& arena_kind() {
  static const ModelKind kind{
      .name = "arena",
      .help = "one model with any mixer",
      .tasks = {},
      .settings = Settings{word("matrix", {"tiled", "kept"}, "whether full attention keeps its weights for backward")}
                      .with(encoder_settings())
                      .with(head_settings()),
      .training = {.lr = 2e-3, .average = 0.99, .label_smoothing = 0},
      .make = make};
  return kind;
}

Settings arena_settings(const Entrant& entrant, Size length) {
  Settings settings = arena_kind().settings;
  settings.set("dropout", "0");
  settings.set("mixer", entrant.at(length));
  settings.set("length", std::to_string(length));
  if (entrant.name == written_out) settings.set("matrix", "kept");
  return settings;
}

}  // namespace HEED_NAMESPACE
