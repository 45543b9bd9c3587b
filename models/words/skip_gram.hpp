// skip_gram.hpp — vectors of words from their neighbours, and how words group by them.
#pragma once

#include "models/run/example_model.hpp"

namespace HEED_NAMESPACE {

/// Two tables: v for words in the middle, uniform in ±1/(2 dim), u for those around, zero. A pair (c, o) of words at
/// most `window` apart adds -log σ(u_o · v_c) - Σ_k log σ(-u_k · v_c), with `negatives` words k drawn by their
/// frequency to the power 3/4. Mikolov, Sutskever, Chen, Corrado, Dean 2013, arXiv 1310.4546.
struct SkipGram : Module {
  Size dim, window, negatives;
  Rng* rng;
  Var v, u;                        // (V, dim)
  std::vector<double> cumulative;  // of frequency^3/4, by symbol; from the items that the model is made with
  SkipGram(const ExampleSet& set, const Settings& s, Rng& generator);

  BatchLoss loss(const ExampleBatch& batch, const TrainOptions& options) const;
  /// For how many of the words that have a class, one and the same wherever they stand in `set`, the nearest by cosine
  /// has their class; and the mean silhouette by class, with 1 - cosine as distance. Without classes: the loss.
  Evaluation evaluate(const ExampleSet& set) const;
  /// The `count` words nearest to `symbol`, and their cosines, the nearest first.
  std::vector<std::pair<int, double>> neighbours(int symbol, std::size_t count) const;

 private:
  int draw_word() const;
};

/// The class of each symbol in the answers of `set`; -1 for one that has none, or several.
std::vector<int> symbol_classes(const ExampleSet& set);

/// The two directions of largest variance of the rows (n, d), each row's place along them: 2 n numbers.
std::vector<double> principal_plane(const std::vector<std::vector<double>>& rows);

}  // namespace HEED_NAMESPACE
