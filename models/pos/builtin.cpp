// The built-in corpus: the demonstration, the ladder, and the corpus itself.
#include <chrono>
#include <cstdio>
#include <iostream>

#include "models/pos/commands.hpp"
#include "models/pos/learner.hpp"
#include "models/pos/report.hpp"
#include "models/run/trainer.hpp"
#include "nn/train/progress.hpp"

namespace HEED_NAMESPACE {

namespace {

std::vector<Sentence> corpus(Language language, std::size_t count, std::uint64_t seed,
                             const std::vector<Sentence>& avoid = {}) {
  Rng rng(seed);
  return toy_corpus(
      language, count, [&](std::size_t n) { return static_cast<std::size_t>(rng.below(static_cast<Size>(n))); }, {},
      avoid);
}

struct Corpus {
  std::vector<Sentence> test, train;
  Corpus(Language language, std::uint64_t seed)
      : test(corpus(language, 1000, 2 * seed + 1)), train(corpus(language, 4000, 2 * seed, test)) {}
};

// How the small models of the built-in corpus train.
TrainOptions quick(std::uint64_t seed, Size epochs) {
  return {.seed = seed, .epochs = epochs, .batch_tokens = 400, .lr = 3e-3, .average = 0.99, .label_smoothing = 0};
}

TaggerOptions small(Rung rung) {
  return {.rung = rung, .dim = 64, .hidden = 128, .dropout = 0.05, .attention_dropout = 0, .word_dropout = 0};
}

std::unique_ptr<PosModel> train(const char* label, const Corpus& data, const TaggerOptions& options,
                                const TrainOptions& training, ProgressMode mode) {
  auto model = std::make_unique<PosModel>(Lexicon(data.train), options, training.seed);
  Dataset words(model->lexicon, data.train);
  TaggerLearner learner(*model, words, data.test);
  Trainer trainer(learner, training);
  Progress progress(label, mode);
  while (!trainer.finished())
    trainer.run_round([&](const StepResult& s) {
      progress.show(s.step, s.steps, "loss " + std::to_string(s.loss).substr(0, 6));
      return true;
    });
  trainer.swap_average();
  return model;
}

const char* sentence_of(Language language) {
  return language == Language::english ? "I saw a saw ." : "我 锯 这个 锯 。";
}

std::string tagged(const PosModel& model, Language language) {
  std::istringstream in(sentence_of(language));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  std::string text;
  std::vector<std::string> tags = predict(model, {make_sentence(words)})[0];
  for (std::size_t i = 0; i < tags.size(); i++) text += (i ? " " : "") + words[i] + "_" + tags[i];
  return text;
}

// Accuracy on the words that are noun or verb, apart by kind of sentence.
struct Ambiguous {
  Score phrases, lists;
  Ambiguous(Language language, const std::vector<Sentence>& sentences,
            const std::vector<std::vector<std::string>>& tags) {
    const std::vector<std::string>& words = toy_ambiguous(language);
    for (std::size_t n = 0; n < sentences.size(); n++) {
      const Sentence& s = sentences[n];
      bool list = s.size() > 1 && (s.form(1) == ":" || s.form(1) == "：");
      for (std::size_t i = 0; i < s.size(); i++)
        if (std::find(words.begin(), words.end(), s.form(i)) != words.end())
          (list ? lists : phrases).add(s.upos(i) == tags[n][i]);
    }
  }
};

}  // namespace

int demo_command(Language language, std::uint64_t seed, ProgressMode progress, const std::string& program) {
  Corpus data(language, seed);
  std::printf("training a tagger with self-attention on %zu sentences of the built-in corpus\n", data.train.size());
  std::fflush(stdout);
  std::unique_ptr<PosModel> model = train("training", data, small(Rung::encoder), quick(seed, 8), progress);
  std::vector<std::vector<std::string>> tags = predict(*model, data.test);
  Report report = evaluate(*model, data.test, tags);
  Ambiguous ambiguous(language, data.test, tags);
  std::printf("%td parameters; accuracy on %zu held-out sentences: %.2f %%\n", model->tagger.parameter_count(),
              data.test.size(), report.all.percent());
  std::printf("words that are noun or verb: %.2f %% in phrases, %.2f %% in lists\n", ambiguous.phrases.percent(),
              ambiguous.lists.percent());
  std::printf("%s\n", tagged(*model, language).c_str());
  std::printf("next: %s pos ladder   (why each part of the model is there)\n", program.c_str());
  return 0;
}

int ladder_command(Language language, std::uint64_t seed, ProgressMode progress) {
  Corpus data(language, seed);
  struct Step {
    const char* name;
    TaggerOptions options;
  };
  std::vector<Step> steps;
  auto add = [&](const char* name, Rung rung, int window = 1) {
    steps.push_back({name, small(rung)});
    steps.back().options.window = window;
  };
  add("each word alone", Rung::word);
  add("window of 1 each side", Rung::window, 1);
  add("window of 3 each side", Rung::window, 3);
  add("self-attention, no positions", Rung::attention);
  add("self-attention with positions", Rung::positions);
  add("multi-head", Rung::multihead);
  add("encoder of 2 layers", Rung::encoder);
  std::printf("%-30s %10s %8s %8s %8s  %s\n", "", "parameters", "all", "phrases", "lists", sentence_of(language));
  for (const Step& step : steps) {
    std::unique_ptr<PosModel> model = train(step.name, data, step.options, quick(seed, 8), progress);
    std::vector<std::vector<std::string>> tags = predict(*model, data.test);
    Ambiguous ambiguous(language, data.test, tags);
    std::printf("%-30s %10td %7.2f%% %7.2f%% %7.2f%%  %s\n", step.name, model->tagger.parameter_count(),
                evaluate(*model, data.test, tags).all.percent(), ambiguous.phrases.percent(), ambiguous.lists.percent(),
                tagged(*model, language).c_str());
    std::fflush(stdout);
  }
  std::printf(
      "phrases, lists: the words that are noun or verb, where a neighbour decides and where only the first word "
      "does\n");
  return 0;
}

int corpus_command(Language language, std::size_t sentences, std::uint64_t seed) {
  write_conllu(std::cout, corpus(language, sentences, seed));
  return 0;
}

}  // namespace HEED_NAMESPACE
