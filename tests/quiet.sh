#!/bin/sh
# Runs a unit test and says in one line that it passed, or all it printed if it did not: quiet.sh TEST
# One that skips something has not passed.
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
"$1" >"$log" 2>&1
status=$?
if grep -q SKIPPED "$log"; then
    status=skipped
fi
if [ $status != 0 ]; then
    cat "$log"
    echo "FAILED $1: status $status"
    exit 1
fi
echo "$(sed -n 's/.*\[ *PASSED *\] *\([0-9]*\) test.*/\1/p' "$log" | head -n 1) tests passed"
