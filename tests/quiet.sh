#!/bin/sh
# Runs a unit test and says in one line that it passed, or all it printed if it did not: quiet.sh TEST
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
"$1" >"$log" 2>&1
status=$?
if [ $status -ne 0 ]; then
    cat "$log"
    echo "FAILED $1: status $status"
    exit 1
fi
echo "${1##*/}: $(sed -n 's/.*\[ *PASSED *\] *\([0-9]*\) test.*/\1/p' "$log" | head -n 1) passed"
