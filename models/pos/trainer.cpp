#include "models/pos/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "nn/optim/schedule.hpp"

namespace HEED_NAMESPACE {

Trainer::Trainer(Tagger& model, Rng& rng, const Dataset& data, const TrainOptions& options)
    : model_(model),
      rng_(rng),
      data_(data),
      options_(options),
      optimizer_(model.parameters(), {.lr = options.lr, .beta2 = options.beta2, .weight_decay = options.weight_decay}),
      average_(model.parameters(), options.average) {
  check(data.gold_words() > 0, "Trainer", "no word of the training data has a tag");
  steps_ = options_.epochs * static_cast<Size>(data.batches(options.batch_tokens).size());
}

// The batches of the current epoch: a function of seed and epoch alone, so that resuming finds the same order.
std::vector<std::vector<std::size_t>> Trainer::order() const {
  Rng shuffle(options_.seed * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(epoch_));
  return data_.batches(options_.batch_tokens, &shuffle);
}

StepResult Trainer::step(const Batch& batch) {
  // The number of batches varies a little from epoch to epoch; the schedule goes by the epochs done.
  Size warmup = static_cast<Size>(options_.warmup * static_cast<double>(steps_));
  optimizer_.lr =
      warmup_cosine(step_, {.base = options_.lr, .warmup = warmup, .total = steps_, .floor = options_.floor});
  TagScores scores = model_(batch);
  CrossEntropy smooth{.label_smoothing = options_.label_smoothing};
  Var loss = cross_entropy(scores.tags, batch.tags, smooth);
  StepResult result{++step_, steps_, static_cast<double>(loss.item()), 0, batch.padding.count()};
  auto weight = static_cast<real>(options_.auxiliary);
  if (scores.xpos.defined()) loss = loss + cross_entropy(scores.xpos, batch.xpos, smooth) * weight;
  if (scores.feats.defined()) loss = loss + cross_entropy(scores.feats, batch.feats, smooth) * weight;
  if (!std::isfinite(loss.item())) {
    std::ostringstream text;
    std::vector<Parameter> all = model_.parameters();
    auto bad = std::find_if(all.begin(), all.end(), [](const Parameter& p) { return !all_finite(p.var.value()); });
    text << "training stopped at step " << step_ << ": the loss is " << (std::isnan(loss.item()) ? "NaN" : "infinite")
         << "; "
         << (bad == all.end() ? "all parameters are finite" : "first parameter that is not finite: " + bad->name)
         << "; sentences:";
    for (std::size_t i : batch.pieces) text << ' ' << data_.pieces()[i].sentence + 1;
    throw TrainingError(text.str());
  }
  if (!loss.requires_grad()) return result;
  loss.backward();
  result.norm = clip_gradients(model_.parameters(), options_.clip).norm;
  optimizer_.step();
  average_.update();
  return result;
}

bool Trainer::run_epoch(const std::function<bool(const StepResult&)>& after) {
  std::vector<std::vector<std::size_t>> groups = order();
  while (done_ < static_cast<Size>(groups.size())) {
    StepResult result = step(data_.batch(groups[static_cast<std::size_t>(done_++)]));
    if (!after(result)) return false;
  }
  epoch_++;
  done_ = 0;
  return true;
}

std::string Trainer::options_text() const {
  const TrainOptions& o = options_;
  std::ostringstream text;
  text << std::setprecision(9) << "seed " << o.seed << ", epochs " << o.epochs << ", batch tokens " << o.batch_tokens
       << ", lr " << o.lr << ", warmup " << o.warmup << ", floor " << o.floor << ", weight decay " << o.weight_decay
       << ", beta2 " << o.beta2 << ", clip " << o.clip << ", average " << o.average << ", label smoothing "
       << o.label_smoothing << ", auxiliary " << o.auxiliary << ", words " << data_.words();
  return text.str();
}

void Trainer::save(Checkpoint& checkpoint) const {
  for (const auto& part : {optimizer_.state(), average_.state()})
    checkpoint.tensors.insert(checkpoint.tensors.end(), part.begin(), part.end());
  for (auto [name, value] : {std::pair("epoch", epoch_), {"done", done_}, {"step", step_}})
    checkpoint.metadata[std::string("train.") + name] = std::to_string(value);
  checkpoint.metadata["train.rng"] = std::to_string(rng_.state());
  checkpoint.metadata["train.options"] = options_text();
}

void Trainer::load(const Checkpoint& checkpoint) {
  auto number = [&](const char* name) {
    auto it = checkpoint.metadata.find(std::string("train.") + name);
    check(it != checkpoint.metadata.end(), "Trainer", "the checkpoint has no state to resume from");
    return std::stoull(it->second);
  };
  auto options = checkpoint.metadata.find("train.options");
  check(options != checkpoint.metadata.end() && options->second == options_text(), "Trainer",
        "the options of training differ: ", options_text(),
        ", in the checkpoint: ", options == checkpoint.metadata.end() ? "none" : options->second);
  optimizer_.load_state(checkpoint.tensors);
  average_.load_state(checkpoint.tensors);
  epoch_ = static_cast<Size>(number("epoch"));
  done_ = static_cast<Size>(number("done"));
  step_ = static_cast<Size>(number("step"));
  rng_.set_state(number("rng"));
}

}  // namespace HEED_NAMESPACE
