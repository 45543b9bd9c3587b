#!/bin/sh
# The table of tests/README.md against the tests: every row's files have a case `fault N: ...`, and every such case has
# its file in that row.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Lines of number and file.
sed -n 's/^| \([0-9]*\) |[^|]*| \(.*\) |$/\1 \2/p' tests/README.md | tr -d '`,' |
  awk '{for (i = 2; i <= NF; i++) print $1, "tests/" $i; if (NF < 2) print $1, "nothing"}' | sort >"$scratch/table"
find tests -name '*.[ch]pp' -o -name '*.sh' | xargs grep -oE '(TEST_CASE\(|^ *test_case )"([^"]*, )?fault [0-9]+:' |
  sed 's/^\([^:]*\):.*fault \([0-9]*\):$/\2 \1/' | sort -u >"$scratch/names"
agree() { diff "$scratch/table" "$scratch/names"; }
test_case "each fault in tests/README.md has the tests that are named after it" agree
whole() { [ "$(cut -d' ' -f1 "$scratch/table" | sort -nu | wc -l)" = 56 ]; }
test_case "no row of the table is lost" whole
