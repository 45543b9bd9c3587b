# shellcheck shell=bash disable=SC1091,SC2012,SC2015,SC2034,SC2086,SC2154,SC2317  # commands are kept as words
# Sourced by the tests of the program: a scratch folder with two corpora, and what the tests say with.
. tests/tap.sh

heed=$(realpath "${BUILD:-build}")/heed
[ -x "$heed" ] || { echo "not ok - $heed is not built"; exit 1; }
scratch=$(mktemp -d)
trap 'kill -KILL $started 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir tmp
export TMPDIR=$scratch/tmp HEED_THREADS=1
started=

# ---- what the tests say with -------------------------------------------------------------------------------------------

# run COMMAND...: keeps its exit code in $code and its output in the files out and err. Nothing may take a minute.
run() {
  timeout 60 "$@" >out 2>err
  code=$?
}

# same WHAT ACTUAL EXPECTED
same() { [ "$2" = "$3" ] || { echo "$1 is '$2', expected '$3'"; return 1; }; }

# says PATTERN FILE
says() { grep -qE -e "$1" "$2" || { echo "no line of $2 matches '$1':"; head -c 2000 "$2"; return 1; }; }

# works COMMAND...: exit code 0.
works() { run "$@" && same "exit code of '$*'" $code 0 || { head -c 1000 err; return 1; }; }

# fails CODE PATTERN COMMAND...: that exit code, nothing on standard output, one line that matches on standard error.
fails() {
  want=$1 pattern=$2
  shift 2
  run "$@" </dev/null
  same "exit code of '$*'" $code "$want" && same "standard output of '$*'" "$(cat out)" "" &&
    same "lines of '$(head -c 1000 err)'" "$(wc -l <err)" 1 && says "^heed: .*$pattern" err
}

# ends CODE PATTERN COMMAND...: the same for a training run that has begun: the last line counts.
ends() {
  want=$1 pattern=$2
  shift 2
  run "$@" && same "exit code of '$*'" $code "$want" && tail -n 1 err >last && says "$pattern" last
}

# Training runs, as words: timeout cannot run functions.
files="--train train.conllu --dev dev.conllu"
sizes="--dim 16 --heads 2 --layers 1 --hidden 32"
tiny_on="$heed pos train --rung encoder $sizes"
tiny="$tiny_on $files"
strong="$heed pos train $files $sizes"

# until_there FILE PATTERN: waits, at most 20 seconds.
until_there() {
  for _ in $(seq 400); do
    grep -qs "$2" "$1" && return
    kill -0 $started 2>/dev/null || break
    sleep 0.05
  done
  echo "$1 did not come to have '$2'"
  return 1
}

# start COMMAND...: in the background, output to the files out and err; its id goes to $started.
start() {
  "$@" >out 2>err &
  started=$!
}
# finish: its exit code goes to $code.
finish() {
  wait $started
  code=$?
  started=
}

# row ID FORM TAG: a line of CoNLL-U.
row() { printf '%s\t%s\t_\t%s\t_\t_\t_\t_\t_\t_\n' "$1" "$2" "$3"; }

"$heed" pos corpus --sentences 300 --seed 1 >train.conllu
"$heed" pos corpus --sentences 60 --seed 2 >dev.conllu
