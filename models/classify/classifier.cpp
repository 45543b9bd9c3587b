#include "models/classify/classifier.hpp"

#include "nn/pooling.hpp"
#include "nn/position/sinusoidal.hpp"

namespace HEED_NAMESPACE {

ItemVectors::ItemVectors(const ExampleSet& set, Size dim, Rng& rng) {
  if (set.symbols) symbols.push_back(sub("symbols", Embedding(set.symbols, dim, rng, 0)));
  if (set.second) second.push_back(sub("second", Embedding(set.second, dim, rng, 0)));
  if (set.width) numbers.emplace(sub("numbers", Linear(set.width, dim, rng)));
}

Var ItemVectors::operator()(const ExampleBatch& batch) const {
  std::vector<Var> parts;
  Shape cells{batch.size, batch.length};
  // Rows have norm 1 at first; multiplied as in Vaswani et al. they weigh as much as positions do.
  auto add = [&](const Embedding& table, const std::vector<int>& ids) {
    parts.push_back(table(ids, cells) * std::sqrt(static_cast<real>(table.table.size(1))));
  };
  for (const Embedding& table : symbols) add(table, batch.symbols);
  for (const Embedding& table : second) add(table, batch.second);
  if (numbers) parts.push_back((*numbers)(batch.features));
  Var sum = parts.at(0);
  for (std::size_t i = 1; i < parts.size(); i++) sum = sum + parts[i];
  return sum;
}

Settings encoder_settings() {
  return {whole("dim", 64, 1, 8192, "width of the vectors"),
          whole("layers", 2, 1, 64, "encoder blocks"),
          whole("heads", 4, 1, 256, "attention heads; must divide dim"),
          whole("hidden", 128, 1, 65536, "width of the feed-forward networks"),
          share("dropout", 0.1, "dropout of the encoder"),
          text("mixer", "attention", "what mixes positions, as linformer:rank=32; see docs/mixers.md"),
          whole("reach", 0, 0, 100000, "positions that attention sees on each side; 0: all"),
          whole("window", 0, 0, 16, "neighbours on each side of windowed layers before the mixer; 0: none"),
          word("positions", {"sinusoidal", "learned", "relative", "rotary", "alibi", "none"},
               "how positions are told apart; relative, rotary and alibi are the attention's"),
          whole("length", 0, 0, 1000000, "longest sequence, where that matters; 0: that of the training set")};
}

namespace {
EncoderOptions encoder_options(const Settings& s, bool causal) {
  EncoderOptions o{.layers = s.size("layers"),
                   .heads = s.size("heads"),
                   .hidden = s.size("hidden"),
                   .dropout = s.number("dropout"),
                   .causal = causal};
  const std::string &positions = s.word("positions"), &mixer = s.word("mixer");
  if (mixer != "attention") o.mixer = mixer;
  if (positions == "relative") o.positions = PositionKind::relative;
  if (positions == "rotary") o.positions = PositionKind::rotary;
  if (positions == "alibi") o.positions = PositionKind::alibi;
  if (Size reach = s.size("reach")) o.patterns = {local(reach)};
  o.window = static_cast<int>(s.size("window"));
  if (mixer.starts_with("fnet") && o.window == 0) o.norm = NormPlace::post;  // its sums grow with N and dim
  o.length = std::max<Size>(1, s.size("length")) + 1;                        // and the token
  return o;
}

// `mask` (B, N) with `before` kept columns in front and `after` others behind.
Mask widened(const Mask& mask, Size before, Size after) {
  if (!mask.defined()) return mask;
  Size batch = mask.shape()[0], n = mask.shape()[1];
  std::vector<std::uint8_t> keep;
  for (Size b = 0; b < batch; b++) {
    keep.insert(keep.end(), static_cast<std::size_t>(before), 1);
    keep.insert(keep.end(), mask.data() + b * n, mask.data() + (b + 1) * n);
    keep.insert(keep.end(), static_cast<std::size_t>(after), 0);
  }
  return Mask({batch, before + n + after}, std::move(keep));
}
}  // namespace

ContextEncoder::ContextEncoder(const Settings& s, Rng& rng, bool causal, bool with_token)
    : sinusoidal(s.word("positions") == "sinusoidal"),
      fixed_length(s.word("mixer").starts_with("fnet")),
      length(s.size("length")),
      token(with_token ? param("token", Tensor({1, 1, s.size("dim")}, 0), false) : Var()),
      drop(s.number("dropout"), rng),
      encoder(sub("encoder", Encoder(s.size("dim"), rng, encoder_options(s, causal)))) {
  if (s.word("positions") == "learned")
    learned.push_back(sub("positions", LearnedPositions(length + with_token, s.size("dim"), rng)));
}

Var ContextEncoder::operator()(Var x, Mask key_padding_mask) const {
  Size n = x.size(1), rest = fixed_length ? length - n : 0;
  check(rest >= 0, "ContextEncoder", "a sequence of ", n, " is longer than the ", length,
        " that the model was made for");
  if (token.defined()) {
    x = concat({expand(token, {x.size(0), 1, x.size(2)}), x}, 1);
    key_padding_mask = widened(key_padding_mask, 1, 0);
  }
  if (rest) {  // the mixer's results depend on the padding, so there is always the same
    x = concat({x, Tensor({x.size(0), rest, x.size(2)}, 0)}, 1);
    key_padding_mask = widened(key_padding_mask, 0, rest);
  }
  if (sinusoidal) x = SinusoidalPositions()(x);
  for (const LearnedPositions& table : learned) x = table(x);
  x = encoder(drop(x), key_padding_mask);
  return rest ? slice(x, 1, 0, x.size(1) - rest) : x;
}

Var ContextEncoder::step(Var x, Size first, std::vector<std::any>& states) const {
  Size end = first + x.size(1);
  if (sinusoidal) x = x + sinusoidal_positions(x.size(1), x.size(2), first);
  for (const LearnedPositions& table : learned) {
    check(end <= table.table.size(0), "ContextEncoder", "a sequence of ", end, " is longer than the ",
          table.table.size(0), " that the model was made for");
    x = x + slice(table.table, 0, first, end);
  }
  return encoder.step(x, states);
}

Settings head_settings() {
  return {word("pool", {"mean", "max", "first", "last", "token"},
               "for one answer a set: which vector of all gives it; token: that of a learned position in front"),
          whole("head", 0, 0, 65536, "width of a hidden layer before the classes; 0: none")};
}

namespace {
std::vector<Size> head_sizes(const ExampleSet& set, const Settings& s) {
  std::vector<Size> sizes{s.size("dim"), s.size("head"), static_cast<Size>(set.classes.size())};
  if (sizes[1] == 0) sizes.erase(sizes.begin() + 1);
  return sizes;
}
}  // namespace

ClassHead::ClassHead(const ExampleSet& set, const Settings& s, Rng& rng)
    : answer(set.answer), pool(s.word("pool")), out(sub("out", Mlp(head_sizes(set, s), rng))) {}

Var ClassHead::operator()(const Var& x, const Mask& key_padding_mask) const {
  if (answer == Answer::each) return out(pool == "token" ? slice(x, 1, 1, x.size(1)) : x);
  return out(pooled(x, key_padding_mask));
}

Var ClassHead::pooled(const Var& x, const Mask& key_padding_mask) const {
  if (pool == "mean") return masked_mean(x, key_padding_mask);
  if (pool == "max") return masked_max(x, key_padding_mask);
  Size batch = x.size(0), n = x.size(1);
  std::vector<int> rows;
  for (Size b = 0; b < batch; b++) {
    Size at = 0;
    if (pool == "last")
      for (Size i = 0; i < n; i++) at = !key_padding_mask.defined() || key_padding_mask[b * n + i] ? i : at;
    rows.push_back(static_cast<int>(b * n + at));
  }
  return embedding(reshape(x, {batch * n, x.size(2)}), rows, {batch});
}

}  // namespace HEED_NAMESPACE
