#!/bin/sh
# Runs every reader for FUZZ_SECONDS (60), beginning with the bytes in tests/fuzz/corpus/READER. What breaks one is kept in
# $BUILD/findings; `$BUILD/fuzz --reader=READER FILE` shows it again. READERS= names some.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
fuzz=${BUILD:=build}/fuzz
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$BUILD/findings"

holds() {  # holds READER
  mkdir "$scratch/$1"
  "$fuzz" --reader="$1" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$BUILD/findings/$1-" "$scratch/$1" "tests/fuzz/corpus/$1" >"$scratch/log" 2>&1 ||
    { tail -n 40 "$scratch/log"; return 1; }
}
for reader in ${READERS:-$("$fuzz")}; do
  test_case "reader $reader" holds "$reader"
  echo "# $reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log") inputs"
done
with_corpus() { "$fuzz" | while read -r reader; do [ "$(ls "tests/fuzz/corpus/$reader")" ] || echo "$reader has no corpus"; done | { ! grep .; }; }
test_case "every reader has a corpus" with_corpus
