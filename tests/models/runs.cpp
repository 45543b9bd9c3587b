// Tests of models/plot/runs.hpp.
#include "models/plot/runs.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/data/files.hpp"
#include "tests/models/plot.hpp"

using namespace heed;
using namespace heed::testing;

namespace {

constexpr const char* log_text =
    "{\"version\": \"0.1.0\", \"seed\": 1, \"config\": {\"loss\": 1}}\n"
    "{\"epoch\": 1, \"step\": 10, \"loss\": 2.5, \"norm\": 1, \"dev_accuracy\": 50, \"best\": true, \"seconds\": 1}\n"
    "{\"epoch\": 2, \"step\": 20, \"loss\": 1.25, \"norm\": 1, \"dev_accuracy\": 75.5, \"bits\": 2, \"seconds\": 2}\n"
    "{\"result\": {\"end\": \"done\"}}\n";

constexpr const char* report_text = R"({"metrics": {"dev accuracy": 75},
  "classes": {"NOUN": {"right": 6, "support": 8}, "<&>": {"right": 3, "support": 4}, "rare": {"right": 0, "support": 1}},
  "confusions": [{"gold": "NOUN", "predicted": "<&>", "count": 2}, {"gold": "rare", "predicted": "NOUN", "count": 1}]})";

}  // namespace

TEST_CASE("runs: a log's curves, whatever other lines and numbers it holds") {
  Folder folder;
  folder.write("first/log.jsonl", log_text);
  const RunCurves run = read_curves(folder / "first");
  CHECK(run.name == "first");
  CHECK(read_curves(folder / "first/").name == "first");
  CHECK(run.by == "epoch");
  CHECK(run.x == std::vector<double>{1, 2});
  CHECK(run.metrics == std::vector<std::string>{"loss", "dev_accuracy", "bits"});
  CHECK(run.values[0] == std::vector<double>{2.5, 1.25});
  CHECK(std::isnan(run.values[2][0]));
  CHECK(run.values[2][1] == 2);
  CHECK(curves_csv({run}) ==
        "run,by,x,metric,value\nfirst,epoch,1,loss,2.5\nfirst,epoch,2,loss,1.25\nfirst,epoch,1,dev_accuracy,50\n"
        "first,epoch,2,dev_accuracy,75.5\nfirst,epoch,2,bits,2\n");
}

TEST_CASE("runs: a line cut short at the end is forgiven, another is not, and what is no log is named") {
  Folder folder;
  folder.write("log.jsonl", std::string(log_text) + "{\"epoch\": 3, \"lo");
  CHECK(read_curves(folder / "log.jsonl").x.size() == 2);
  folder.write("log.jsonl", std::string("{\"epoch\n") + log_text);
  CHECK(fault_in(folder, [&] { read_curves(folder / "log.jsonl"); }) ==
        "log.jsonl:1: expected a JSON object of a run's log");
  folder.write("other.txt", "hello\n");
  CHECK(fault_in(folder, [&] { read_curves(folder / "other.txt"); }) != "");
  CHECK(fault_in(folder, [&] { read_curves(folder / "absent"); }) != "");
  folder.write("empty.jsonl", "");
  CHECK(curves_picture({read_curves(folder / "empty.jsonl")}).find("no data") != std::string::npos);
}

TEST_CASE("runs: a panel for each number, a line for each run") {
  Folder folder;
  folder.write("a,b/log.jsonl", log_text);
  folder.write("<c>/log.jsonl", log_text);
  const std::vector<RunCurves> runs{read_curves(folder / "a,b"), read_curves(folder / "<c>")};
  const std::string svg = curves_picture(runs);
  CHECK(xml_fault(svg) == "");
  CHECK(occurrences(svg, "<svg ") == 4);
  CHECK(occurrences(svg, ">&lt;c&gt;</text>") == 3);
  CHECK(svg.find("dev accuracy") != std::string::npos);
  CHECK(curves_csv(runs).find("\n\"a,b\",epoch,1,loss,2.5\n") != std::string::npos);
}

TEST_CASE("runs: the confusion matrix in % of the gold class, the most frequent classes first") {
  std::string svg = confusion_picture(report_text);
  CHECK(xml_fault(svg) == "");
  CHECK(svg.find("<title>NOUN (8), NOUN: 75<") != std::string::npos);
  CHECK(svg.find("<title>NOUN (8), &lt;&amp;&gt;: 25<") != std::string::npos);
  CHECK(svg.find("<title>rare (1), NOUN: 100<") != std::string::npos);
  svg = confusion_picture(report_text, 2);
  CHECK(svg.find("the 2 most frequent of 3") != std::string::npos);
  CHECK(svg.find("rare") == std::string::npos);
  CHECK(confusion_picture("{}") == "");
  CHECK_THROWS_AS(confusion_picture("[1"), Error);
}

TEST_CASE("runs: a folder gets its pictures") {
  Folder folder;
  folder.write("run/log.jsonl", log_text);
  draw_run(RunFolder(folder / "run"));
  CHECK(std::filesystem::exists(folder.path / "run/curves.svg"));
  CHECK_FALSE(std::filesystem::exists(folder.path / "run/confusion.svg"));
  folder.write("run/report.json", report_text);
  draw_run(RunFolder(folder / "run"));
  CHECK(std::filesystem::exists(folder.path / "run/confusion.svg"));
}
