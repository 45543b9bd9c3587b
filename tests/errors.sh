#!/bin/sh
# Every error message of the library stands in a test, and those of the environment are as they should be.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

if command -v python3 >/dev/null; then
  test_case "every error message of the library is driven by a test" tests/errors.py tensor autograd nn
else
  skip "every error message of the library is driven by a test" "no python3"
fi

refused() {  # refused VARIABLE=VALUE MESSAGE
  output=$(env "$1" "${BUILD:-build}/heed" info 2>&1 >/dev/null) && { echo "$1 is taken"; return 1; }
  [ "$output" = "$2" ] || { echo "got: $output"; return 1; }
}
test_case "HEED_GEMM" refused HEED_GEMM=other 'heed: HEED_GEMM: expected engine or own, got "other"'
test_case "HEED_THREADS" refused HEED_THREADS=0 'heed: HEED_THREADS: expected a number from 1 to 1024, got "0"'
