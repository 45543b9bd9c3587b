#include "models/pos/tagger.hpp"

#include <cmath>

namespace HEED_NAMESPACE {

WordVectors::WordVectors(const Lexicon& lexicon, const TaggerOptions& choice, Rng& generator)
    : options(choice),
      rng(&generator),
      words(sub("words", Embedding(lexicon.frequent, choice.rung == Rung::strong ? choice.word_dim : choice.dim,
                                   generator, lexicon.words.pad()))) {
  if (options.rung != Rung::strong) return;
  Size width = options.word_dim + options.shape_dim;
  shapes.push_back(sub("shapes", Embedding(lexicon.shapes.size(), options.shape_dim, generator, 0)));
  for (std::size_t i = 0; i < lexicon.affixes.size(); i++) {
    affixes.push_back(
        sub("affix" + std::to_string(i), Embedding(lexicon.affixes[i].size(), options.affix_dim, generator, 0)));
    width += options.affix_dim;
  }
  chars.push_back(sub("chars", Embedding(lexicon.chars.size(), options.char_dim, generator, 0)));
  filters.push_back(sub("filters", WindowedLinear(options.char_dim, options.char_filters, 2, generator)));
  width += options.char_filters;
  project.emplace(sub("project", Linear(width, options.dim, generator)));
}

// Rare words are now and then replaced by the unknown word, so that it is learned what those look like.
std::vector<int> WordVectors::hide_words(const Batch& batch) const {
  std::vector<int> ids = batch.words;
  if (Eval::on() || options.word_dropout == 0) return ids;
  for (std::size_t i = 0; i < ids.size(); i++) {
    double hide = options.word_dropout / (options.word_dropout + static_cast<double>(batch.counts[i]));
    if (ids[i] > 1 && rng->uniform() < hide) ids[i] = 1;
  }
  return ids;
}

// The strongest response of each filter to the characters of each distinct form: (forms, char_filters).
Var WordVectors::spell(const Batch& batch) const {
  Var letters = chars[0](batch.chars, {batch.forms, batch.letters});
  return relu(masked_max(filters[0](letters), batch.letter_padding));
}

Var WordVectors::operator()(const Batch& batch) const {
  Shape cells{batch.batch, batch.length};
  Var word = words(hide_words(batch), cells);
  if (options.rung != Rung::strong) return word * static_cast<real>(std::sqrt(static_cast<double>(options.dim)));
  // Whole features are dropped together, so that none is relied on alone.
  auto drop_whole = [&](const Var& x, double p) { return x * dropout(Tensor(x.shape().with(-1, 1), 1), p, *rng); };
  auto at_words = [&](const Var& of_forms) { return embedding(of_forms, batch.form, cells, 0); };
  std::vector<Var> parts{drop_whole(at_words(spell(batch)), options.feature_dropout),
                         drop_whole(word, options.vector_dropout),
                         drop_whole(at_words(shapes[0](batch.shapes, {batch.forms})), options.feature_dropout)};
  std::size_t count = affixes.size();
  for (std::size_t i = 0; i < count; i++) {
    std::vector<int> ids;
    for (std::size_t form = 0; form < static_cast<std::size_t>(batch.forms); form++)
      ids.push_back(batch.affixes[form * count + i]);
    parts.push_back(drop_whole(at_words(affixes[i](ids, {batch.forms})), options.feature_dropout));
  }
  return (*project)(dropout(concat(parts, -1), options.input_dropout, *rng));
}

namespace {
EncoderOptions encoder_options(const TaggerOptions& o) {
  EncoderOptions e{.layers = o.layers,
                   .heads = o.heads,
                   .hidden = o.hidden,
                   .dropout = o.dropout,
                   .attention_dropout = o.attention_dropout};
  if (o.rung == Rung::attention || o.rung == Rung::positions) e.heads = 1;
  if (o.rung <= Rung::multihead) e.layers = 1;
  if (o.rung == Rung::strong) e.window = o.window;
  return e;
}
}  // namespace

Tagger::Tagger(const Lexicon& lexicon, const TaggerOptions& choice, Rng& rng)
    : options(choice),
      words(sub("words", WordVectors(lexicon, choice, rng))),
      drop(choice.dropout, rng),
      tags(sub("tags", Linear(choice.rung <= Rung::window ? choice.hidden : choice.dim, lexicon.tags.size(), rng))) {
  if (options.rung <= Rung::window) {
    int reach = options.rung == Rung::word ? 0 : options.window;
    window.push_back(sub("window", WindowedLinear(options.dim, options.hidden, reach, rng)));
  } else {
    encoder.push_back(sub("encoder", Encoder(options.dim, rng, encoder_options(options))));
  }
  if (options.rung != Rung::strong) return;
  if (lexicon.xpos.size() > 1) xpos.push_back(sub("xpos", Linear(options.dim, lexicon.xpos.size(), rng)));
  if (lexicon.feats.size() > 1) feats.push_back(sub("feats", Linear(options.dim, lexicon.feats.size(), rng)));
}

TagScores Tagger::operator()(const Batch& batch) const {
  Var x = words(batch);
  bool ordered = options.rung >= Rung::positions && options.rung != Rung::strong;
  if (ordered) x = SinusoidalPositions()(x);
  x = drop(x);
  for (const WindowedLinear& layer : window) x = relu(layer(x, batch.padding));
  for (const Encoder& layer : encoder) x = layer(x, batch.padding);
  x = drop(x);
  TagScores scores{tags(x), {}, {}};
  if (Eval::on()) return scores;  // the others are only for learning
  for (const Linear& head : xpos) scores.xpos = head(x);
  for (const Linear& head : feats) scores.feats = head(x);
  return scores;
}

}  // namespace HEED_NAMESPACE
