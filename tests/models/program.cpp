// What the command line is made of: nearest names, bounds, configurations, lines of progress.
#include "models/data/nearest.hpp"
#include "models/program/config.hpp"
#include "models/run/flags.hpp"
#include "models/run/log.hpp"
#include "tests/check.hpp"

using namespace heed;

TEST_CASE("nearest: edits, beginnings, and words that are like none") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("train", "trian") == 1);  // neighbours swapped
  CHECK(edit_distance("ca", "abc") == 3);       // no edit between what was swapped
  std::vector<std::string> names{"train", "eval", "tag", "--label-smoothing", "--lr"};
  for (const auto& meant : {std::pair("trian", "train"),
                            {"trai", "train"},
                            {"tga", "tag"},
                            {"--label", "--label-smoothing"},
                            {"--lt", "--lr"},
                            {"corpus", ""},
                            {"", ""}}) {
    CAPTURE(meant.first);
    CHECK(nearest(meant.first, names) == meant.second);
  }
  CHECK(nearest(std::string(100000, 'x'), names).empty());
  CHECK(did_you_mean("evil", names) == "; did you mean eval?");
  CHECK(did_you_mean("nothing", names).empty());
}

TEST_CASE("flags: numbers within bounds, all of the text, and none that is none") {
  for (const char* good : {"1", "8", "64"}) CHECK(number_fault(good, 1, 64, true).empty());
  for (const char* good : {"1", "1.5", "1e1", "64"}) CHECK(number_fault(good, 1, 64, false).empty());
  for (const char* bad : {"", "0", "65", "x", "1x", " 1", "nan", "inf", "-1", "99999999999999999999", "0x10"}) {
    CAPTURE(bad);
    CHECK_FALSE(number_fault(bad, 1, 64, true).empty());
    CHECK_FALSE(number_fault(bad, 1, 64, false).empty());
  }
  for (const char* bad : {"1.5", "1e1"}) CHECK_FALSE(number_fault(bad, 1, 64, true).empty());
  CHECK(number_fault("0", 1, 8192, true) == "got 0, expected a whole number from 1 to 8192");
  CHECK(number_fault("2", 0, 0.99, false) == "got 2, expected a number from 0 to 0.99");
  CHECK(range_text(1e-9, 1e30) == "1e-09 to 1e+30");
}

TEST_CASE("configuration: an object of plain values, each once") {
  using Values = std::vector<std::pair<std::string, std::string>>;
  CHECK(read_config(R"({"lr": 0.001, "task": "vote:12", "json": true, "dim": 8})") ==
        Values{{"lr", "0.001"}, {"task", "vote:12"}, {"json", "true"}, {"dim", "8"}});
  CHECK(read_config("{}").empty());
  std::string deep(100000, '[');
  for (const std::string& bad : {std::string(), std::string("1"), std::string("[]"), std::string("{"), deep,
                                 "{\"a\":" + deep, std::string(R"({"a": {"b": 1}})"), std::string(R"({"a": [1]})"),
                                 std::string(R"({"a": null})"), std::string(R"({"a": 1, "a": 2})")}) {
    CAPTURE(bad.substr(0, 40));
    CHECK_THROWS_AS(read_config(bad), Error);
  }
}

TEST_CASE("progress: a line with its bar, in blocks or in digits, cut to the terminal") {
  ProgressLine line{"epoch 3/8", 512, 1250, 3.2, 3725, "loss 0.0840"};
  CHECK(bar_line(line, 200, false) == "epoch 3/8  40%|####      | 512/1250 [00:03<1:02:05, loss 0.0840]");
  CHECK(bar_line(line, 200, true) == "epoch 3/8  40%|████      | 512/1250 [00:03<1:02:05, loss 0.0840]");
  CHECK(bar_line(line, 18, true) == "epoch 3/8  40%|███");
  CHECK(bar_line({"x", 5, 4, 0, 0, ""}, 80, false) == "x  100%|##########| 5/4 [00:00<00:00]");
  CHECK(bar_line({"x", 0, 0, 0, 0, ""}, 80, false) == "x  0%|          | 0/1 [00:00<00:00]");
}

TEST_CASE("interrupted: what is said to go on with is what a shell understands") {
  Call call;
  call.arguments = {"build/heed", "text",           "train",   "--overwrite", "--out",
                    "my run",     "--task=vote:12", "--mixer", "it's"};
  CHECK(resuming_command(call) == R"(build/heed text train --out 'my run' --task=vote:12 --mixer 'it'\''s' --resume)");
}
