#!/bin/sh
# Counts the instructions of the cases of bench/instructions.cpp, which no other program on the machine can change, and
# fails when one is more than 2 % away from bench/instructions.txt, up or down. UPDATE=1 writes that table anew.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
table=bench/instructions.txt
skip_all() { skip "instructions of all cases" "$1"; exit 0; }

# The counts are those of one compiler and one kernel of products, in code that Valgrind knows.
[ "$(uname -m)" = x86_64 ] || skip_all "$table is for x86-64"
command -v valgrind >/dev/null || skip_all "no valgrind"
compiler=$(${CXX:-g++} --version | head -n 1)
is_for() { [ "$UPDATE" ] || [ "$1" = "$(sed -n "s/^# $2: //p" $table)" ] || skip_all "$table is for another $2, not for $1"; }
is_for "$compiler" compiler
export OPENBLAS_CORETYPE=Haswell OPENBLAS_L2_SIZE=512 OPENBLAS_NUM_THREADS=1 HEED_THREADS=1
program=${BUILD:=build}/instructions/bench/instructions
build=$(${MAKE:-make} -j2 BUILD="$BUILD/instructions" OPT=-O3 ARCH=-march=x86-64-v3 GEMM=openblas "$program" 2>&1) ||
  { echo "$build"; exit 1; }
engine=$("$program" | head -n 1)
is_for "$engine" engine
cases=$("$program" | tail -n +2)

counts=$(for name in $cases; do
  echo "$name $(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=measured "$program" "$name" 2>&1 |
    sed -n 's/.*Collected : //p')"
done)
[ -z "$UPDATE" ] || cat >$table <<END
# Instructions of one pass, written and checked by bench/instructions.sh.
# compiler: $compiler
# engine: $engine
$counts
END

within() {  # within CASE
  { echo "$counts"; cat $table; } | awk -v name="$1" '$1 == name {n[++seen] = $2} END {
    change = n[2] ? 100 * (n[1] / n[2] - 1) : 100
    printf "%d instructions, were %d: %+.1f %%; if they have to be: make instructions UPDATE=1\n", n[1], n[2], change
    exit !(n[1] && change < 2 && change > -2) }'
}
for name in $cases; do test_case "instructions of $name" within "$name"; done
listed() { [ "$(sed -n 's/^\([^#].*\) .*/\1/p' $table)" = "$cases" ]; }
test_case "$table lists all cases" listed
