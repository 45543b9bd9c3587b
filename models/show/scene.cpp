#include "models/show/scene.hpp"

#include <algorithm>

namespace HEED_NAMESPACE {

namespace {

std::vector<std::string> numbered(Size count) {
  std::vector<std::string> names;
  for (Size i = 1; i <= count; i++) names.push_back(std::to_string(i));
  return names;
}

std::vector<std::string> behind(const char* first, const std::vector<std::string>& others) {
  std::vector<std::string> all{first};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

// Tokens, tokens behind a learned one, or numbers for mixtures of them.
std::vector<std::string> token_names(const std::vector<std::string>& tokens, Size count) {
  if (count == static_cast<Size>(tokens.size())) return tokens;
  if (count == static_cast<Size>(tokens.size()) + 1) return behind("[all]", tokens);
  return numbered(count);
}

ShownAttention named(const Subject& subject, SeenAttention seen) {
  const std::size_t place = seen.place;
  const std::vector<std::string> written = behind("<start>", subject.targets);
  const bool translates = subject.encoders != std::numeric_limits<std::size_t>::max();
  const Size queries = seen.queries(), keys = seen.keys();
  auto target_names = [&](Size count) {
    return count == static_cast<Size>(written.size()) ? written : numbered(count);
  };
  if (place < subject.encoders)
    return {(translates ? "encoder " : "layer ") + std::to_string(place + 1), token_names(subject.tokens, queries),
            token_names(subject.tokens, keys), std::move(seen)};
  const std::size_t at = place - subject.encoders;
  if (subject.recurrent)
    return {"decoder to source", target_names(queries), token_names(subject.tokens, keys), std::move(seen)};
  const std::string name = "decoder " + std::to_string(at / 2 + 1);
  if (at % 2 == 0) return {name, target_names(queries), target_names(keys), std::move(seen)};
  return {name + " to source", target_names(queries), token_names(subject.tokens, keys), std::move(seen)};
}

}  // namespace

Scene make_scene(const Subject& subject) {
  for (const auto* list : {&subject.tokens, &subject.targets})
    check(list->size() <= most_tokens, "show", "got ", list->size(), " tokens, expected at most ", most_tokens,
          "; give a shorter item");
  Scene scene{.title = subject.title, .tokens = subject.tokens, .targets = subject.targets, .gold = subject.gold};
  scene.prediction = subject.predict();
  {
    Recorder recorder(subject.place);
    Var loss = subject.loss();
    scene.loss = static_cast<double>(loss.item());
    if (loss.requires_grad()) loss.backward();
    std::vector<SeenAttention> all = recorder.result();
    check(!all.empty(), "show", subject.title,
          recorder.gathered() ? ": its mixer gathers positions into groups, so that no matrix of tokens is made"
                              : ": it has no attention weights",
          "; there is nothing to show");
    for (SeenAttention& seen : all) scene.attention.push_back(named(subject, std::move(seen)));
  }
  for (std::size_t i = 0; i < scene.attention.size(); i++) {
    const SeenAttention& seen = scene.attention[i].numbers;
    for (Size h = 0; seen.q.defined() && h < seen.heads(); h++) {
      Ablation ablation{i, h, {}, 0};
      {
        HeadCut cut(subject.place, seen.place, h);
        ablation.prediction = subject.predict();
      }
      HeadCut cut(subject.place, seen.place, h);
      Eval eval;
      ablation.loss = static_cast<double>(subject.loss().item());
      scene.ablations.push_back(std::move(ablation));
    }
  }
  return scene;
}

}  // namespace HEED_NAMESPACE
