#include "models/translate/translator.hpp"

#include <algorithm>

#include "nn/pooling.hpp"
#include "nn/position/sinusoidal.hpp"

namespace HEED_NAMESPACE {

namespace {
constexpr int start_token = 1, end_token = 2;

Size vocabulary_of(const ExampleSet& set) {
  check(set.answer == Answer::sequence, "translate", "expected sequences as answers");
  return static_cast<Size>(set.classes.size());
}
}  // namespace

Memory Memory::select(const std::vector<int>& items) const {
  auto count = static_cast<Size>(items.size());
  auto rows = [&](const Var& x) {  // of the first axis
    Shape rest = x.shape();
    Var flat = reshape(x, {x.size(0), x.numel() / x.size(0)});
    return reshape(embedding(flat, items, {count}), rest.with(0, count));
  };
  std::vector<std::uint8_t> keep;
  Size n = padding.shape()[1];
  for (int i : items) keep.insert(keep.end(), padding.data() + i * n, padding.data() + (i + 1) * n);
  return {rows(positions), Mask({count, n}, std::move(keep)), whole.defined() ? rows(whole) : Var()};
}

RecurrentTranslator::RecurrentTranslator(const ExampleSet& set, const Settings& s, Rng& rng)
    : source(sub("source", ItemVectors(set, s.size("dim"), rng))),
      encoder(sub("encoder", Bidirectional<Gru>(s.size("dim"), s.size("dim") / 2, rng))),
      start(sub("start", Linear(s.size("dim"), s.size("dim"), rng))),
      target(sub("target", Embedding(vocabulary_of(set), s.size("dim"), rng, 0))),
      decoder(sub("decoder", Gru(2 * s.size("dim"), s.size("dim"), rng))),
      out(sub("out", Linear(2 * s.size("dim"), vocabulary_of(set), rng))) {
  check(s.size("dim") % 2 == 0, "translate", "dim must be even, got ", s.size("dim"));
  if (s.word("model") == "rnn_local") local.emplace(sub("local", LocalPredictedAttention(s.size("dim"), 2, rng)));
  if (s.word("model") == "rnn_attention")
    attention.emplace(sub("attention", AdditiveAttention(s.size("dim"), s.size("dim"), s.size("dim"), rng)));
}

Memory RecurrentTranslator::encode(const ExampleBatch& batch) const {
  RecurrentOutput h = encoder.run(source(batch), batch.padding);
  return {h.y, batch.padding, h.last.h};
}

Var RecurrentTranslator::decode(const Memory& memory, const std::vector<int>& tokens, Size length) const {
  Size batch = memory.positions.size(0), dim = memory.positions.size(2);
  Var before = target(tokens, {batch, length});
  Var first = attention || local ? masked_mean(memory.positions, memory.padding) : memory.whole;
  RecurrentState state{tanh(start(first))};
  Var context = reshape(memory.whole, {batch, 1, dim});
  std::vector<Var> rows;
  for (Size t = 0; t < length; t++) {
    Var query = reshape(state.h, {batch, 1, dim});
    if (attention) context = (*attention)(query, memory.positions, memory.padding);
    if (local) context = (*local)(query, memory.positions, memory.padding);
    Var s = decoder.step(concat({slice(before, 1, t, t + 1), context}, -1), state);
    rows.push_back(concat({s, context}, -1));
  }
  return out(concat(rows, 1));
}

TransformerTranslator::TransformerTranslator(const ExampleSet& set, const Settings& s, Rng& rng)
    : source(sub("source", ItemVectors(set, s.size("dim"), rng))),
      encoder(sub("encoder", ContextEncoder(s, rng))),
      target(sub("target", Embedding(vocabulary_of(set), s.size("dim"), rng, 0))),
      decoder(sub("decoder", Decoder(s.size("dim"), rng,
                                     {.layers = s.size("layers"),
                                      .heads = s.size("heads"),
                                      .hidden = s.size("hidden"),
                                      .dropout = s.number("dropout")}))),
      out(sub("out", Linear(s.size("dim"), vocabulary_of(set), rng))) {}

Memory TransformerTranslator::encode(const ExampleBatch& batch) const {
  return {encoder(source(batch), batch.padding), batch.padding, {}};
}

Var TransformerTranslator::decode(const Memory& memory, const std::vector<int>& tokens, Size length) const {
  Size dim = memory.positions.size(2);
  Var x = target(tokens, {memory.positions.size(0), length}) * std::sqrt(static_cast<real>(dim));
  return out(decoder(SinusoidalPositions()(x), memory.positions, memory.padding));
}

Translator::Translator(const ExampleSet& set, const Settings& s, Rng& rng)
    : vocabulary(static_cast<int>(vocabulary_of(set))), beam(static_cast<int>(s.size("beam"))) {
  auto hold = [&](const auto& model) {
    adopt(model);
    encode = [model](const ExampleBatch& batch) { return model.encode(batch); };
    decode = [model](const Memory& memory, const std::vector<int>& tokens, Size length) {
      return model.decode(memory, tokens, length);
    };
  };
  if (s.word("model") == "transformer")
    hold(TransformerTranslator(set, s, rng));
  else
    hold(RecurrentTranslator(set, s, rng));
}

BatchLoss Translator::loss(const ExampleBatch& batch, const TrainOptions& options) const {
  std::vector<int> before, after;  // what is there, and what follows: one more position than the target has
  Size length = batch.target_length;
  for (Size b = 0; b < batch.size; b++) {
    const int* row = batch.targets.data() + b * length;
    auto real_length = static_cast<Size>(std::find(row, row + length, 0) - row);
    before.push_back(start_token);
    before.insert(before.end(), row, row + length);
    after.insert(after.end(), row, row + real_length);
    after.push_back(end_token);
    after.insert(after.end(), static_cast<std::size_t>(length - real_length), -1);
  }
  Var scores = decode(encode(batch), before, length + 1);
  return {cross_entropy(scores, after, {.label_smoothing = options.label_smoothing}), {}, batch.padding.count()};
}

namespace {
// The start of a translation.
struct Hypothesis {
  int item;
  std::vector<int> tokens;  // with the start
  double log_probability = 0;
  bool ended = false;
  double worth() const { return log_probability / static_cast<double>(tokens.size()); }
};
bool better(const Hypothesis& a, const Hypothesis& b) { return a.worth() > b.worth(); }
}  // namespace

Answers Translator::predict(const ExampleBatch& batch) const {
  Eval eval;
  Memory memory = encode(batch);
  std::vector<std::vector<Hypothesis>> beams;  // of each item, the best first
  for (int i = 0; i < static_cast<int>(batch.size); i++) beams.push_back({{i, {start_token}}});
  for (Size length = 1; length <= 2 * batch.length + 10; length++) {
    std::vector<int> items, tokens;
    for (const auto& list : beams)
      for (const Hypothesis& h : list)
        if (!h.ended) {
          items.push_back(h.item);
          tokens.insert(tokens.end(), h.tokens.begin(), h.tokens.end());
        }
    if (items.empty()) break;
    Var scores = decode(memory.select(items), tokens, length);
    Tensor last = log_softmax(slice(scores, 1, length - 1, length)).value().compact();
    const real* row = last.data();
    for (auto& list : beams) {
      std::vector<Hypothesis> next;
      for (const Hypothesis& h : list) {
        if (h.ended) {
          next.push_back(h);
          continue;
        }
        for (int token = end_token; token < vocabulary; token++) {
          Hypothesis longer = h;
          longer.tokens.push_back(token);
          longer.log_probability += static_cast<double>(row[token]);
          longer.ended = token == end_token;
          next.push_back(std::move(longer));
        }
        row += vocabulary;
      }
      std::stable_sort(next.begin(), next.end(), better);
      next.resize(std::min(next.size(), static_cast<std::size_t>(beam)), {0, {}});
      list = std::move(next);
    }
  }
  Answers answers;
  for (const auto& list : beams) {
    const std::vector<int>& tokens = list[0].tokens;
    answers.emplace_back(tokens.begin() + 1, tokens.end() - (list[0].ended ? 1 : 0));
  }
  return answers;
}

Settings translate_settings() {
  return Settings{word("model", {"rnn_attention", "rnn_local", "rnn", "transformer"},
                       "rnn_attention looks at all of the source for each word, rnn_local at five positions of it, rnn "
                       "has it in one vector"),
                  whole("beam", 1, 1, 1000, "translations that are kept at a time; 1: greedy")}
      .with(encoder_settings());
}

}  // namespace HEED_NAMESPACE
