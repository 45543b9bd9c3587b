#!/bin/sh
# tests/run.sh [TEST...]: runs test programs (doctest; options in DOCTEST) and shell tests (*.sh, see tap.sh), without
# arguments all of them. Prints what fails, why a shell test skips something and, last, "N passed, N failed"; succeeds if
# nothing failed and something passed or was skipped for a reason.
cd "$(dirname "$0")/.." || exit 1
export BUILD="${BUILD:-build}"
passed=0 failed=0 skipped=0 explained=0

# report TEST STATUS PASSED FAILED SKIPPED: adds a test's counts; a test that ends badly without saying why has failed.
report() {
  bad=$4
  [ "$2" -eq 0 ] || [ "$bad" -gt 0 ] || { bad=1; echo "$1: exit status $2"; }
  echo "$1: $3 passed, $bad failed"
  passed=$((passed + $3)) failed=$((failed + bad)) skipped=$((skipped + $5))
}

[ $# -gt 0 ] || set -- "$BUILD/tests-float" "$BUILD/tests-double" tests/*.sh
for test; do
  case $test in
    tests/run.sh | tests/tap.sh) ;;
    *.sh)
      output=$("$test" 2>&1) && status=0 || status=$?
      echo "$output" | grep -v '^ok [^#]*$'
      all=$(echo "$output" | grep -c '^ok ') skips=$(echo "$output" | grep -c '^ok .*# SKIP')
      explained=$((explained + skips))
      report "$test" "$status" $((all - skips)) "$(echo "$output" | grep -c '^not ok ')" "$skips"
      ;;
    *)
      # shellcheck disable=SC2086  # options are words
      output=$("$test" --no-intro --no-colors $DOCTEST 2>&1) && status=0 || status=$?
      echo "$output" | grep -vE '^\[doctest\]|^=+$'
      counts=$(echo "$output" | sed -n 's/^\[doctest\] test cases: .*| *\([0-9]*\) passed *| *\([0-9]*\) failed *| *\([0-9]*\) skipped.*/\1 \2 \3/p')
      # shellcheck disable=SC2086
      report "$test" "$status" ${counts:-0 0 0}
      ;;
  esac
done

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ] && [ $((passed + explained)) -gt 0 ]
