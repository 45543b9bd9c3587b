#include "models/run/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "nn/optim/schedule.hpp"

namespace HEED_NAMESPACE {

Trainer::Trainer(const Learner& learner, const TrainOptions& options)
    : learner_(learner),
      options_(options),
      optimizer_(learner.parameters(),
                 {.lr = options.lr, .beta2 = options.beta2, .weight_decay = options.weight_decay}),
      average_(learner.parameters(), options.average) {
  auto batches = static_cast<Size>(learner.batches(options.batch_tokens, nullptr).size());
  check(batches > 0, "Trainer", "there is nothing to train on");
  steps_ = options.steps ? options.steps : options.epochs * batches;
  if (options.steps || options.evaluate) every_ = options.evaluate ? options.evaluate : batches;
  rounds_ = by_epochs() ? options.epochs : (steps_ + every_ - 1) / every_;
  start_epoch();
}

// The batches of the current epoch: a function of seed and epoch alone, so that resuming finds the same order.
void Trainer::start_epoch() {
  Rng shuffle(options_.seed * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(epoch_));
  groups_ = learner_.batches(options_.batch_tokens, &shuffle);
}

// Forward, backward, update; false when nothing in the batch had an answer.
bool Trainer::update(const Group& items, StepResult& result) {
  BatchLoss parts = learner_.loss(items, options_);
  result.loss = static_cast<double>(parts.main.item());
  result.count = parts.count;
  Var loss = parts.main;
  for (const Var& other : parts.others) loss = loss + other * static_cast<real>(options_.auxiliary);
  if (!std::isfinite(loss.item()))
    stop(std::string("the loss is ") + (std::isnan(loss.item()) ? "NaN" : "infinite"), items);
  if (!loss.requires_grad()) return false;
  parts = {};
  loss.backward();
  GradientNorm gradient = clip_gradients(optimizer_.parameters(), options_.clip);
  if (!gradient.not_finite.empty())
    stop(
        "the loss is " + std::to_string(result.loss) + " but the gradient of " + gradient.not_finite + " is not finite",
        items);
  result.norm = gradient.norm;
  return true;
}

// The number of batches varies a little from epoch to epoch; the schedule goes by what was expected.
double Trainer::rate(Size step) const {
  Size warmup = static_cast<Size>(options_.warmup * static_cast<double>(steps_));
  return warmup_cosine(step, {.base = options_.lr, .warmup = warmup, .total = steps_, .floor = options_.floor});
}

StepResult Trainer::one_step(const Group& items) {
  optimizer_.lr = rate(step_);
  StepResult result{++step_, steps_};
  try {
    result.skipped = !update(items, result);
  } catch (const Error& e) {  // an operation that refuses its numbers
    std::string_view text = e.what();
    stop(std::string(text.starts_with("heed: ") ? text.substr(6) : text), items);
  }
  if (result.skipped) return result;
  optimizer_.step();
  average_.update();
  return result;
}

namespace {
std::string not_finite(const std::vector<Parameter>& parameters) {
  auto bad =
      std::find_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return !all_finite(p.var.value()); });
  return bad == parameters.end() ? "" : bad->name;
}
}  // namespace

void Trainer::stop(const std::string& why, const Group& items) const {
  std::string bad = not_finite(optimizer_.parameters());
  throw TrainingError("training stopped at step " + std::to_string(step_) + ": " + why + "; " +
                      (bad.empty() ? "all parameters are finite" : "first parameter that is not finite: " + bad) +
                      "; " + learner_.items_text(items));
}

// What goes on from here is saved: it must not be spoiled.
void Trainer::check_parameters() const {
  if (std::string bad = not_finite(optimizer_.parameters()); !bad.empty())
    throw TrainingError("training stopped after step " + std::to_string(step_) + ": parameter " + bad +
                        " is not finite; a lower learning rate may help");
}

bool Trainer::run_round(const std::function<bool(const StepResult&)>& after) {
  Size begin = round_ * every_, end = std::min(begin + every_, steps_);
  auto epoch_over = [&] { return done_ == static_cast<Size>(groups_.size()); };
  auto next_epoch = [&] {
    epoch_++;
    done_ = 0;
    start_epoch();
  };
  while (by_epochs() ? !epoch_over() : step_ < end) {
    if (epoch_over()) next_epoch();
    StepResult result = one_step(groups_[static_cast<std::size_t>(done_++)]);
    result.in_round = by_epochs() ? done_ : step_ - begin;
    result.round_steps = by_epochs() ? static_cast<Size>(groups_.size()) : end - begin;
    if (!after(result)) {
      check_parameters();
      return false;
    }
  }
  check_parameters();
  if (by_epochs()) next_epoch();
  round_++;
  return true;
}

std::string Trainer::options_text() const {
  const TrainOptions& o = options_;
  std::ostringstream text;
  text << std::setprecision(9) << "seed " << o.seed << ", epochs " << o.epochs << ", steps " << o.steps << ", evaluate "
       << o.evaluate << ", batch tokens " << o.batch_tokens << ", lr " << o.lr << ", warmup " << o.warmup << ", floor "
       << o.floor << ", weight decay " << o.weight_decay << ", beta2 " << o.beta2 << ", clip " << o.clip << ", average "
       << o.average << ", label smoothing " << o.label_smoothing << ", auxiliary " << o.auxiliary << ", "
       << learner_.data_text();
  return text.str();
}

namespace {
constexpr std::array state_names{"epoch", "done", "step", "round"};
}

void Trainer::save(Checkpoint& checkpoint) const {
  for (const auto& part : {optimizer_.state(), average_.state()})
    checkpoint.tensors.insert(checkpoint.tensors.end(), part.begin(), part.end());
  std::array values{epoch_, done_, step_, round_};
  for (std::size_t i = 0; i < state_names.size(); i++)
    checkpoint.metadata[std::string("train.") + state_names[i]] = std::to_string(values[i]);
  checkpoint.metadata["train.rng"] = std::to_string(learner_.rng().state());
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
  std::array into{&epoch_, &done_, &step_, &round_};
  for (std::size_t i = 0; i < state_names.size(); i++) *into[i] = static_cast<Size>(number(state_names[i]));
  check(step_ >= 0 && round_ >= 0 && round_ <= rounds_ && epoch_ >= 0 && done_ >= 0, "Trainer",
        "the checkpoint's place in training makes no sense");
  learner_.rng().set_state(number("rng"));
  start_epoch();
  check(done_ <= static_cast<Size>(groups_.size()), "Trainer", "the checkpoint is ", done_,
        " batches into an epoch of ", groups_.size());
}

}  // namespace HEED_NAMESPACE
