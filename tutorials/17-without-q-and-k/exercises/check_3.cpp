#include <doctest/doctest.h>

#include "nn/mixer/mixer.hpp"

#include EXERCISE

TEST_CASE("as many as the library's mixers have") {
  for (long length : {8, 50})
    for (long heads : {1, 4}) {
      heed::Rng rng(1);
      long dim = 16, around = 2 * (dim * dim + dim);  // values and outputs
      auto count = [&](const char* mixer) {
        return heed::make_mixer(mixer, dim, rng, {.heads = heads, .length = length}).parameter_count();
      };
      CHECK(random_synthesizer(length, heads) + around == count("synthesizer:logits=random"));
      CHECK(factorised_synthesizer(length, heads, 3) + around == count("synthesizer:logits=factorised_random,rank=3"));
      CHECK(token_mlp(length, 5) == count("mlp_mixer:hidden=5"));
    }
}
