// Exercise 1: how large a window has to be.
#include <vector>

// `places` are the places of the list items in all test sentences; the word that decides stands at place 0. The least
// reach whose window holds it for at least `percent` of the items; -1 when there are no items.
inline int smallest_reach(const std::vector<int>& places, double percent) {
  return -2;  // TODO
}

// Parameters of the window network: `reach` neighbours on each side, word vectors of `dim` numbers for `words` words,
// `hidden` neurons, `tags` scores, a bias for each neuron and each score.
inline long parameters(long words, long dim, long reach, long hidden, long tags) {
  return 0;  // TODO
}
