#!/bin/sh
# The checker of the tutorials finds each kind of fault (tutorials.py), and the real chapters' marks are well-formed.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

if command -v python3 >/dev/null; then exec python3 tests/tutorials.py; fi
skip "faults in chapters are found" "there is no python3"
