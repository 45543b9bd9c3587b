#include "models/run/flags.hpp"

namespace HEED_NAMESPACE {

void run_flags(CLI::App* app, RunOptions& run) {
  app->add_option("--out", run.out, "folder for the model, its log and its report")->required();
  app->add_flag("--overwrite", run.overwrite, "replace a model that is there");
  app->add_flag("--resume", run.resume, "go on where an interrupted run stopped");
  quiet_flag(app, run.quiet);
}

void training_flags(CLI::App* app, TrainOptions& o, const char* auxiliary) {
  seed_flag(app, o.seed);
  number(app, "--epochs", o.epochs, 1, 100000, "passes over the training data");
  number(app, "--steps", o.steps, 0, 100000000, "updates in all, instead of epochs; 0: epochs decide");
  number(app, "--evaluate", o.evaluate, 0, 100000000, "updates from one score to the next; 0: an epoch's");
  number(app, "--patience", o.patience, 0, 100000, "stop after so many scores without a better one; 0: never");
  number(app, "--batch-tokens", o.batch_tokens, 1, 1000000, "positions in a batch, such as words");
  number(app, "--lr", o.lr, 0.0, 1e30, "highest learning rate");
  number(app, "--weight-decay", o.weight_decay, 0.0, 10.0, "decay of weights, not of biases, norms and embeddings");
  number(app, "--average", o.average, 0.0, 0.99999, "decay of the running average of the weights");
  number(app, "--label-smoothing", o.label_smoothing, 0.0, 0.99, "share of each target spread over all classes");
  number(app, "--clip", o.clip, 1e-9, 1e30, "greatest gradient norm");
  if (auxiliary) number(app, "--auxiliary", o.auxiliary, 0.0, 100.0, auxiliary);
}

}  // namespace HEED_NAMESPACE
