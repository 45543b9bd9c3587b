// Frames of speech: a class for each, as phones, or one for all, as speakers. Attention sees some frames to each side.
#include "models/speech/commands.hpp"

#include "models/classify/classifier.hpp"
#include "models/data/labels.hpp"
#include "models/data/sound_files.hpp"

namespace HEED_NAMESPACE {

const ModelKind& speech_kind() {
  static const ModelKind kind = [] {
    Settings settings = encoder_settings()
                            .with(head_settings())
                            .with({word("labels", {"frames", "whole"},
                                        "of WAV files: a file with labels for stretches of each, or one label"),
                                   word("frames", {"mel", "cepstra"}, "of WAV files: what a frame is described by")});
    settings.set("positions", "relative");
    settings.set("reach", "6");
    return ModelKind{.name = "speech",
                     .help = "phones of frames, voices of utterances",
                     .tasks = {"phones", "phones_wave", "speaker", "frequency"},
                     .settings = settings,
                     .training = {.epochs = 8, .batch_tokens = 2048, .lr = 2e-3, .average = 0.99, .label_smoothing = 0},
                     .make = [](const ExampleSet& set, const Settings& s,
                                Rng& rng) { return ExampleModel(Classifier(set, s, rng)); },
                     .read =
                         [](const std::string& path, const ExampleSet* like, const Settings& s) {
                           return read_speech(path, s.word("labels") == "whole" ? Answer::whole : Answer::each,
                                              s.word("frames") == "mel" ? FrameKind::mel : FrameKind::cepstra,
                                              classes_of(like));
                         }};
  }();
  return kind;
}

void add_speech(CLI::App& heed, Program& program) { add_kind(heed, program, speech_kind()); }

}  // namespace HEED_NAMESPACE
