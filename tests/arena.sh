#!/bin/bash
# The arena as its user meets it: a small run, killed and gone on with, its pictures and its check.
# shellcheck disable=SC1091,SC2015,SC2016,SC2054,SC2317  # test_case calls the functions
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

heed=$(realpath "${BUILD:-build}")/heed
[ -x "$heed" ] || { echo "not ok - $heed is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

small=(--threads 2 arena run --preset smoke --updates 3 --mixers "linformer:rank=4,share=kv,local" --tasks recall,listops --lengths 64 --quiet)
rows() { grep -c "^$1," "$2/results.csv"; }
same() { [ "$2" = "$3" ] || { echo "$1 is '$2', expected '$3'"; return 1; }; }

whole() {
  timeout 600 "$heed" "${small[@]}" --out whole >out 2>err && grep -q 'next: heed arena plot whole' out || { cat out err; return 1; }
  same cells "$(rows cell whole)" 4 && same steps "$(rows step whole)" 2
  # the mixer's comma is no other mixer
  grep -q '^cell,"linformer:rank=4,share=kv",' whole/results.csv
}
test_case "a small run writes a row for each cell and each length" whole

# What does not depend on the clock: kind, mixer, place, accuracy.
results() { python3 -c 'import csv, sys; print(sorted((r["mixer"], r["at"], r["accuracy"]) for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "cell"))' "$1"; }

killed() {
  "$heed" "${small[@]}" --out part >out 2>err &
  process=$!
  for _ in $(seq 600); do
    [ "$(rows cell part 2>/dev/null || true)" -ge 1 ] 2>/dev/null && break
    sleep 0.05
  done
  kill -KILL $process
  wait $process 2>/dev/null
  before=$(grep '^cell,' part/results.csv)
  timeout 600 "$heed" "${small[@]}" --out part >out 2>err || { cat out err; return 1; }
  same cells "$(rows cell part)" 4 || return 1
  # what was there is there as it was, its seconds too
  echo "$before" | while read -r line; do grep -qxF "$line" part/results.csv || { echo "lost: $line"; return 1; }; done || return 1
  same results "$(results part/results.csv)" "$(results whole/results.csv)"
}
test_case "a run that was killed goes on with what is missing" killed

nothing_twice() {
  cp whole/results.csv before
  timeout 600 "$heed" "${small[@]}" --out whole >out 2>err || { cat err; return 1; }
  grep '^cell,' before | cmp - <(grep '^cell,' whole/results.csv)
}
test_case "a finished cell is never run again" nothing_twice

other() {
  "$heed" "${small[@]}" --seed 2 --out whole >out 2>err
  same "exit code" $? 2 && grep -q '^heed: whole holds a run of other sizes' err
}
test_case "a folder with a run of another seed is left alone" other

unknown() {
  "$heed" arena run --mixers nobody --out no >out 2>err
  same "exit code" $? 1 && grep -q 'nobody' err || return 1
  "$heed" arena run --tasks nothing --out no >out 2>err
  same "exit code" $? 2 && grep -q 'there is no task "nothing"; known: recall' err && [ ! -e no ]
}
test_case "unknown mixers and tasks are named" unknown

plot() {
  printf 'before\n<!-- arena: scores -->\n<!-- /arena -->\nafter\n' >page.md
  "$heed" arena plot whole --page page.md >out 2>err || { cat err; return 1; }
  grep -q '| `local` | human knowledge |' page.md && mkdir -p once && cp page.md whole/*.svg whole/*.html whole/*.json once || return 1
  "$heed" arena plot whole --page page.md >out 2>err || return 1
  for file in bubbles.svg times.svg memory.svg matrix.svg arena.html standings.json; do cmp once/$file whole/$file || return 1; done
  cmp once/page.md page.md && python3 -c 'import json; json.load(open("whole/standings.json"))' &&
    python3 -c 'import xml.dom.minidom, glob; [xml.dom.minidom.parse(f) for f in glob.glob("whole/*.svg")]'
}
test_case "pictures, page and table are the same bytes each time" plot

checks() {
  "$heed" arena check whole/results.csv >out 2>err
  same "exit code" $? 1 && same promises "$(grep -cE '^(not )?kept ' out)" 5 || return 1
  echo damaged >>whole/results.csv
  "$heed" arena check whole/results.csv >out 2>err
  same "exit code" $? 1 && grep -q 'results.csv:8: expected 13 fields, got 1' err
}
test_case "check says what is not kept, and names a damaged line" checks
