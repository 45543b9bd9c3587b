#!/bin/sh
# What may include what, and other rules that hold for all files.
# shellcheck disable=SC2086  # folders are words
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

library='tensor autograd nn'
folders="$library models tutorials"

none() { ! grep -E .; }  # passes when there is no input, else shows it

# Each folder includes itself and those before it.
above() { grep -rnE '^ *# *include "' "$1" | grep -vE "include \"($2)/|^tutorials/.*\"heed\.hpp\"" | none; }
below=
for folder in $folders; do
  below=${below:+$below|}$folder
  test_case "$folder includes only $below" above "$folder" "$below"
done

# only PATTERN FILE FOLDER...: the pattern occurs in that file and nowhere else.
only() {
  pattern=$1 file=$2
  shift 2
  grep -qE "$pattern" "$file" && grep -rlE "$pattern" "$@" | grep -vxF "$file" | none
}
test_case "only tensor/gemm.cpp calls BLAS or oneDNN" only 'cblas|dnnl' tensor/gemm.cpp $folders
test_case "only tensor/threads.cpp starts threads" only 'std::(thread|jthread|async)\b|pthread_create' tensor/threads.cpp $folders
test_case "only nn/checkpoint.cpp knows JSON in the library" only 'nlohmann' nn/checkpoint.cpp $library

foreign_headers() { find tensor autograd nn -name '*.hpp' -exec grep -nE '^ *# *include <.*[./]' {} + | none; }
test_case "the library's headers need only the standard library" foreign_headers

unguarded() { find $folders heed.hpp -name '*.hpp' -exec grep -L '^#pragma once' {} + | none; }
test_case "every header is guarded" unguarded

unlisted() {
  find $library -name '*.hpp' | while read -r header; do
    grep -qF "#include \"$header\"" heed.hpp || echo "$header is not in heed.hpp"
  done | none
}
test_case "heed.hpp includes every public header" unlisted

empty_tests() { find tests -mindepth 2 -name "*.cpp" ! -path "tests/consumer/*" ! -path "tests/fuzz/*" -exec grep -LE "^ *(TEST_CASE|SCENARIO)" {} + | none; }
test_case "every file of tests has tests" empty_tests
