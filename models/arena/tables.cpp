#include "models/arena/tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "models/arena/published.hpp"
#include "models/arena/verdicts.hpp"
#include "tensor/error.hpp"

namespace HEED_NAMESPACE {

Size figure_length(const Standings& all) {
  Size best = 0;
  for (Size length : all.lengths)
    if (length <= 1024 || best == 0) best = length;
  return best;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  auto ranks = [](const std::vector<double>& list) {
    std::vector<double> rank;
    for (double x : list) {  // half of the equals count as below
      auto below = std::count_if(list.begin(), list.end(), [&](double y) { return y < x; });
      auto equal = std::count(list.begin(), list.end(), x);
      rank.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
    }
    return rank;
  };
  std::vector<double> x = ranks(a), y = ranks(b);
  double middle = (static_cast<double>(x.size()) - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); i++) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle), yy += (y[i] - middle) * (y[i] - middle);
  }
  return xy / std::sqrt(xx * yy);
}

namespace {

std::string fixed(double x, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return std::isfinite(x) ? text : "–";
}

std::string percent(double share) { return fixed(100 * share, 1); }
double mebibytes(Size bytes) { return static_cast<double>(bytes) / (1 << 20); }

// "+3 %", or nothing within a twentieth.
std::string parameters_text(const Standing& each) {
  std::string text = std::to_string(each.parameters);
  if (std::fabs(each.parameter_share) <= 0.05) return text;
  return text + " (" + (each.parameter_share > 0 ? "+" : "−") + fixed(100 * std::fabs(each.parameter_share), 0) + " %)";
}

using Line = std::vector<std::string>;

std::string markdown(const std::vector<Line>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); i++) {
    text += '|';
    for (const std::string& cell : lines[i]) text += ' ' + cell + " |";
    text += '\n';
    if (i > 0) continue;
    text += '|';
    for (std::size_t k = 0; k < lines[i].size(); k++) text += "---|";
    text += '\n';
  }
  return text;
}

std::string scores(const Standings& all) {
  std::vector<Line> lines{{"mixer", "group"}};
  lines[0].insert(lines[0].end(), all.tasks.begin(), all.tasks.end());
  for (const char* name : {"mean", "parameters"}) lines[0].emplace_back(name);
  Line chance{"*best constant answer*", ""};
  for (const std::string& task : all.tasks)
    for (const Standing& each : all.list)
      if (each.cells.count(task)) {
        chance.push_back(std::string("*").append(percent(each.cells.at(task).chance)).append("*"));
        break;
      }
  chance.insert(chance.end(), {"", ""});
  for (const Standing& each : all.list) {
    if (each.cells.empty()) continue;
    Line line{"`" + each.mixer + "`", each.group};
    for (const std::string& task : all.tasks) {
      auto cell = each.cells.find(task);
      if (cell == each.cells.end())
        line.emplace_back("–");
      else
        line.push_back(percent(cell->second.accuracy) + (above_chance(cell->second) ? "" : " ·"));
    }
    line.push_back(each.mean ? percent(*each.mean) : "–");
    line.push_back(parameters_text(each));
    lines.push_back(line);
  }
  lines.push_back(chance);
  return markdown(lines);
}

std::string steps(const Standings& all) {
  std::vector<Line> lines{{"mixer"}};
  for (const char* what : {"examples/s at ", "MiB at "})
    for (Size length : all.lengths) lines[0].push_back(what + std::to_string(length));
  for (const Standing& each : all.list) {
    if (each.steps.empty()) continue;
    Line line{"`" + each.mixer + "`"};
    for (bool speed : {true, false})
      for (Size length : all.lengths) {
        auto step = each.steps.find(length);
        if (step == each.steps.end())
          line.emplace_back("–");
        else
          line.push_back(fixed(speed ? step->second.examples_per_second() : mebibytes(step->second.peak_bytes), 1));
      }
    lines.push_back(line);
  }
  return markdown(lines);
}

double speed_of(const Standings& all, const Standing& each) {
  auto step = each.steps.find(figure_length(all));
  return step == each.steps.end() ? std::nan("") : step->second.examples_per_second();
}

// Mean over the five tasks that the published table has; NaN when one is missing.
double common_mean(const Standing& each) {
  double sum = 0;
  for (const char* task : published_tasks) {
    auto cell = each.cells.find(task);
    sum += cell == each.cells.end() ? std::nan("") : cell->second.accuracy;
  }
  return 100 * sum / static_cast<double>(published_tasks.size());
}

std::string beside(const Standings& all) {
  std::vector<Line> lines{{"model"}};
  for (const char* task : published_tasks) lines[0].push_back(std::string(task) + ": paper, here");
  for (const char* name : {"mean: paper, here", "speed as a multiple of full attention's: paper, here"})
    lines[0].emplace_back(name);
  const Standing* full = all.find("attention");
  for (const Published& p : published_arena()) {
    const Standing* own = all.find(p.mixer);
    Line line{p.name};
    for (std::size_t i = 0; i < published_tasks.size(); i++) {
      bool there = own && own->cells.count(published_tasks[i]);
      line.push_back(fixed(p.scores[i], 1) + ", " +
                     (there ? percent(own->cells.at(published_tasks[i]).accuracy) : "–"));
    }
    line.push_back(fixed(p.average, 1) + ", " + fixed(own ? common_mean(*own) : std::nan(""), 1));
    double times = own && full ? speed_of(all, *own) / speed_of(all, *full) : std::nan("");
    line.push_back(fixed(p.speed / published_arena()[0].speed, 1) + ", " + fixed(times, 1));
    lines.push_back(line);
  }
  return markdown(lines);
}

std::string agreement(const Standings& all) {
  std::vector<double> paper, here;
  std::vector<Line> lines{{"", "models in both", "rank correlation"}};
  auto finish = [&](const std::string& what) {
    lines.push_back({what, std::to_string(paper.size()), fixed(rank_correlation(paper, here), 2)});
    paper.clear(), here.clear();
  };
  auto add = [&](double theirs, double ours) {
    if (std::isfinite(theirs) && std::isfinite(ours)) paper.push_back(theirs), here.push_back(ours);
  };
  auto over = [&](auto ours) {
    for (const Published& p : published_arena())
      if (const Standing* own = all.find(p.mixer)) ours(p, *own);
  };
  for (std::size_t i = 0; i < published_tasks.size(); i++) {
    over([&](const Published& p, const Standing& own) {
      auto cell = own.cells.find(published_tasks[i]);
      if (cell != own.cells.end()) add(p.scores[i], cell->second.accuracy);
    });
    finish(published_tasks[i]);
  }
  over([&](const Published& p, const Standing& own) { add(p.average, common_mean(own)); });
  finish("mean of the five");
  over([&](const Published& p, const Standing& own) { add(p.speed, speed_of(all, own)); });
  finish("speed, at " + std::to_string(figure_length(all)) + " positions here");
  return markdown(lines);
}

std::string promises(const std::vector<ArenaRow>& rows) {
  std::string text;
  for (const Verdict& verdict : arena_verdicts(rows)) {
    text += std::string("- ") + (verdict.kept ? "kept" : "**not kept**") + ": " + verdict.promise;
    for (std::size_t i = 0; i < verdict.details.size(); i++) text += (i ? "; " : " (") + verdict.details[i];
    text += verdict.details.empty() ? "\n" : ")\n";
  }
  return text;
}

}  // namespace

std::string arena_block(const std::string& name, const std::vector<ArenaRow>& rows) {
  Standings all = standings(rows);
  if (name == "scores") return scores(all);
  if (name == "steps") return steps(all);
  if (name == "beside") return beside(all);
  if (name == "agreement") return agreement(all);
  if (name == "promises") return promises(rows);
  fail("arena", "there is no block \"", name, "\"; known: scores steps beside agreement promises");
}

std::string with_blocks(const std::string& page, const std::vector<ArenaRow>& rows) {
  const std::string begin = "<!-- arena: ", close = " -->\n", end = "<!-- /arena -->";
  std::string text;
  for (std::size_t at = 0;;) {
    std::size_t mark = page.find(begin, at);
    if (mark == page.npos) return text + page.substr(at);
    std::size_t name_end = page.find(close, mark), block_end = page.find(end, mark);
    check(name_end != page.npos && block_end != page.npos && name_end < block_end, "arena", "the mark \"",
          page.substr(mark, 30), "\" has no end");
    std::string name = page.substr(mark + begin.size(), name_end - mark - begin.size());
    text += page.substr(at, name_end + close.size() - at) + arena_block(name, rows);
    at = block_end;
  }
}

std::string standings_json(const Standings& all) {
  using Json = nlohmann::ordered_json;
  Json mixers = Json::array();
  for (const Standing& each : all.list) {
    Json one{{"mixer", each.mixer}, {"group", each.group}};
    for (const auto& [task, cell] : each.cells) one["accuracy"][task] = cell.accuracy;
    if (each.mean) one["mean"] = *each.mean;
    for (const auto& [length, step] : each.steps) {
      one["examples_per_second"][std::to_string(length)] = step.examples_per_second();
      one["peak_bytes"][std::to_string(length)] = step.peak_bytes;
    }
    if (!each.cells.empty()) one["parameters"] = each.parameters;
    mixers.push_back(one);
  }
  return Json{{"tasks", all.tasks}, {"lengths", all.lengths}, {"mixers", mixers}}.dump(1) + '\n';
}

}  // namespace HEED_NAMESPACE
