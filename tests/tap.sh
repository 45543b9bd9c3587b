# shellcheck shell=sh
# Sourced by the shell tests. Their output is TAP: a line `ok - NAME` or `not ok - NAME` for each test.

# test_case NAME COMMAND...: passes when the command does; otherwise its output is shown.
test_case() {
  name=$1
  shift
  if output=$("$@" 2>&1); then echo "ok - $name"; else
    echo "not ok - $name"
    printf '%s\n' "$output" | sed 's/^/#   /'
  fi
}

# skip NAME REASON
skip() { echo "ok - $1 # SKIP $2"; }
