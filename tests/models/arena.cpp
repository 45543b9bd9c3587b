// The arena: its grid, its files, its verdicts, and a run of the smallest size in processes of its own.
#include <filesystem>

#include "models/arena/cell.hpp"
#include "models/arena/page.hpp"
#include "models/arena/processes.hpp"
#include "models/arena/published.hpp"
#include "models/arena/tables.hpp"
#include "models/arena/verdicts.hpp"
#include "tests/check.hpp"

using namespace heed;

namespace {

ArenaRow cell(const std::string& mixer, const std::string& task, double accuracy, double chance = 0.5) {
  ArenaRow row{.mixer = mixer, .group = "full matrix", .spec = mixer + ":a=1,b=2", .at = task};
  row.accuracy = accuracy, row.chance = chance, row.items = 1000, row.parameters = 69002, row.updates = 10;
  return row;
}

ArenaRow step(const std::string& mixer, Size length, std::vector<double> rounds, Size bytes) {
  ArenaRow row{.cell = false, .mixer = mixer, .group = "full matrix", .at = std::to_string(length)};
  row.items = 4096 / length, row.rounds = std::move(rounds), row.peak_bytes = bytes;
  return row;
}

// What keeps every promise.
std::vector<ArenaRow> sound() {
  std::vector<ArenaRow> rows;
  for (const char* mixer : {"attention", "local", "linear", "performer", "linformer"}) {
    bool full = mixer == std::string("attention");
    for (const char* task : {"listops", "text", "image"}) rows.push_back(cell(mixer, task, full ? 0.8 : 0.7));
    rows.push_back(step(mixer, 4096, {full ? 0.5 : 0.05, full ? 0.51 : 0.052}, 100));
  }
  rows.push_back(step(written_out, 4096, {0.7, 0.7}, 1000));
  return rows;
}

std::vector<bool> kept(const std::vector<ArenaRow>& rows) {
  std::vector<bool> list;
  for (const Verdict& verdict : arena_verdicts(rows)) list.push_back(verdict.kept);
  return list;
}

ArenaPreset tiny() {
  ArenaPreset preset = arena_preset("smoke");
  preset.updates = 2, preset.positions = 512, preset.train = 40, preset.test = 20, preset.measured = 64;
  return preset;
}

}  // namespace

TEST_CASE("arena: rows survive their file") {
  for (const ArenaRow& row : sound()) CHECK(row_from_csv(to_csv(row)) == row);
  ArenaRow odd = cell("synthesizer:\"x\",y", "text", 1.0 / 3);
  CHECK(row_from_csv(to_csv(odd)) == odd);
  for (const char* bad :
       {"", "cell,a", "cell,a,b,c,d,2,0,1,1,1,1,,0", "cell,a,b,c,d,nan,0,1,1,1,1,,0", "step,a,b,c,x,0,0,1,1,0,0,1,0",
        "step,a,b,c,64,0,0,1,1,0,0,-1,0", "row,a,b,c,d,0,0,1,1,1,1,,0"})
    CHECK_THROWS_AS(row_from_csv(bad), Error);
}

TEST_CASE("arena: the verdicts follow the rows") {
  CHECK(kept(sound()) == std::vector<bool>(5, true));
  auto with = [](auto change) {
    std::vector<ArenaRow> rows = sound();
    for (ArenaRow& row : rows) change(row);
    return kept(rows);
  };
  CHECK_FALSE(with([](ArenaRow& r) {
    if (r.mixer == "local" && r.at == "text") r.accuracy = 0.53;
  })[0]);  // 0.5 + 2 · 0.0158
  CHECK(with([](ArenaRow& r) {
    if (r.mixer == "local" && r.at == "text") r.accuracy = 0.54;
  })[0]);
  CHECK_FALSE(with([](ArenaRow& r) {
    if (r.mixer == "linear") r.accuracy = 0.83;
  })[1]);
  CHECK_FALSE(with([](ArenaRow& r) {
    if (r.mixer == "performer") r.rounds = {0.11, 0.11};
  })[2]);
  CHECK_FALSE(with([](ArenaRow& r) {
    if (r.mixer == "linformer") r.peak_bytes = 126;
  })[3]);
  CHECK_FALSE(with([](ArenaRow& r) {
    if (r.mixer == "local") r.rounds = {0.05, 0.056, 0.06};
  })[4]);
  CHECK(with([](ArenaRow& r) {
    if (r.mixer == "local") r.rounds = {0.09, 0.05, 0.051};
  })[4]);
  CHECK(kept({}) == std::vector<bool>(5, false));
}

TEST_CASE("arena: standings, and how far parameters differ") {
  std::vector<ArenaRow> rows = sound();
  rows[4].parameters = 2 * 69002;  // local on listops
  Standings all = standings(rows);
  REQUIRE(all.find("local"));
  CHECK(all.find("local")->parameter_share == doctest::Approx(1));
  CHECK(*all.find("attention")->mean == doctest::Approx(0.8));
  CHECK(all.find(written_out)->mean == std::nullopt);
  CHECK(all.lengths == std::vector<Size>{4096});
}

TEST_CASE("arena: ranks") {
  CHECK(rank_correlation({1, 2, 3}, {10, 20, 30}) == doctest::Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
  CHECK(rank_correlation({1, 2, 3, 4}, {1, 1, 2, 2}) == doctest::Approx(0.8944).epsilon(1e-3));
}

TEST_CASE("arena: the published table's averages are those of its scores, but for the one that the paper has wrong") {
  for (const Published& line : published_arena()) {
    double sum = 0;
    for (double score : line.scores) sum += score;
    CAPTURE(line.name);
    CHECK(std::abs(sum / 5 - line.average) < (line.name == std::string("Sinkhorn") ? 0.2 : 0.0101));
    CHECK_NOTHROW(arena_entrant(line.mixer));
  }
}

TEST_CASE("arena: pictures, page and blocks are the same bytes each time, and whole without any row") {
  std::vector<ArenaRow> rows = sound();
  Standings all = standings(rows);
  CHECK(arena_page(all, {"a < b"}) == arena_page(standings(rows), {"a < b"}));
  CHECK(arena_page(all, {"a < b"}).find("<p>a &lt; b</p>") != std::string::npos);
  CHECK(arena_page(standings({}), {}).find("</html>") != std::string::npos);
  for (const char* name : {"scores", "steps", "beside", "agreement", "promises"}) CHECK_NOTHROW(arena_block(name, {}));
  std::string page = "one\n<!-- arena: scores -->\nold\n<!-- /arena -->\ntwo\n", filled = with_blocks(page, rows);
  CHECK(filled.find("old") == std::string::npos);
  CHECK(filled.find("| `attention` | full matrix | 80.0 | 80.0 | 80.0 | 80.0 | 69002 |") != std::string::npos);
  CHECK(with_blocks(filled, rows) == filled);
  CHECK_THROWS_AS(with_blocks("<!-- arena: scores -->\n", rows), Error);
  CHECK_THROWS_AS(with_blocks("<!-- arena: prices -->\n<!-- /arena -->", rows), Error);
}

TEST_CASE("arena: every entrant trains on every task and takes a step, at the smallest size") {
  ArenaPreset preset = tiny();
  for (const Entrant& entrant : arena_entrants()) {
    CAPTURE(entrant.name);
    for (const char* name : {"recall", "image"}) {
      const ArenaTask& task =
          *std::find_if(preset.tasks.begin(), preset.tasks.end(), [&](const ArenaTask& t) { return t.name == name; });
      Size seen = 0;
      ArenaRow row = arena_cell(preset, task, entrant, 1, [&](Size step, Size steps) {
        seen = step;
        CHECK(steps == 2);
      });
      CHECK(seen == 2);
      CHECK(row.items == 20);
      CHECK(row.accuracy == arena_cell(preset, task, entrant, 1, [](Size, Size) {}).accuracy);
    }
    ArenaRow measured = arena_step(preset, entrant, 64, 1);
    CHECK(measured.rounds.size() == 1);
    CHECK(measured.peak_bytes > 4 * measured.parameters);
  }
  CHECK_THROWS_AS(arena_entrant("nobody"), Error);
  CHECK(arena_entrant("linformer:rank=3").at(100) == "linformer:rank=3");
}

TEST_CASE("arena: full attention written out computes what the tiles do") {
  ExampleSet set = arena_set(arena_preset("smoke").tasks[1], 8, 1, Split::train);
  auto answer = [&](const std::string& name) {
    Trained trained(arena_kind(), set, arena_settings(arena_entrant(name), longest(set)), 1);
    std::vector<std::size_t> all(set.items.size());
    for (std::size_t i = 0; i < all.size(); i++) all[i] = i;
    return static_cast<double>(trained.model.loss(make_batch(set, all), {}).main.item());
  };
  CHECK(answer(written_out) == doctest::Approx(answer("attention")).epsilon(1e-5));
}

TEST_CASE("arena: processes side by side give their lines and codes, and end when told to") {
  std::vector<std::string> said(3);
  std::vector<int> codes(3, -1);
  std::atomic<int> stop{0};
  bool all = run_side_by_side(
      "/bin/sh", {{"-c", "echo a; echo b"}, {"-c", "echo c; exit 3"}, {"-c", "kill -9 $$"}}, 2,
      [&](std::size_t i, const std::string& text) { said[i] += text; },
      [&](std::size_t i, int code) { codes[i] = code; }, stop);
  CHECK(all);
  CHECK(said == std::vector<std::string>{"ab", "c", ""});
  CHECK(codes == std::vector<int>{0, 3, 137});
  all = run_side_by_side(
      "/bin/sh", {{"-c", "echo ready; exec sleep 100"}}, 1, [&](std::size_t, const std::string&) { stop = 2; },
      [](std::size_t, int) {}, stop);
  CHECK_FALSE(all);
  CHECK_THROWS_AS(run_side_by_side("/nowhere/at/all", {{}}, 1, {}, {}, std::atomic<int>{0}), Error);
}
