#!/bin/sh
# Runs the parts of a test, several at a time, and says which failed: run_parts.sh JOBS [PATTERN] <PARTS
#
# PARTS has one part per line: its name, a tab, a shell command. With PATTERN, an extended regular expression, only
# parts whose name matches run. A part that passes prints one line: its seconds, its name, the last line that its
# command printed. All parts run, whichever fail. The output of those that failed comes at the end, then their names;
# the exit status is then 1.
#
# Parts run side by side, so each has a temporary folder of its own ($TMPDIR), and programs that split their own work
# among processes are told to use one ($HEDDLE_TEST_JOBS). What heddle prints does not depend on the terminal of whoever
# runs the tests.
set -eu
unset COLUMNS NO_COLOR

if [ "$1" = --one ]; then
    work=$2 number=$3
    line=$(sed -n "${number}p" "$work/parts")
    tab=$(printf '\t')
    name=${line%%"$tab"*} command=${line#*"$tab"}
    mkdir "$work/tmp.$number"
    began=$(date +%s%N)
    status=0
    TMPDIR=$work/tmp.$number HEDDLE_TEST_JOBS=${HEDDLE_TEST_JOBS:-1} \
        sh -c "$command" >"$work/said.$number" 2>&1 </dev/null || status=$?
    seconds=$(echo "$began $(date +%s%N)" | awk '{ printf "%6.1f", ($2 - $1) / 1e9 }')
    rm -rf "$work/tmp.$number"
    echo $status >"$work/status.$number"
    if [ $status = 0 ]; then
        printf '%s s  %s: %s\n' "$seconds" "$name" "$(tail -n 1 "$work/said.$number" | cut -c1-100)"
    else
        printf '%s s  %s: FAILED, status %s\n' "$seconds" "$name" $status
    fi
    exit 0
fi

jobs=$1 pattern=${2:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
awk -F'\t' -v pattern="$pattern" '$1 ~ pattern' >"$work/parts"
count=$(wc -l <"$work/parts")
[ "$count" -gt 0 ] || { echo "no part matches '$pattern'"; exit 2; }
began=$(date +%s)
seq "$count" | xargs -P "$jobs" -n 1 "$0" --one "$work" || true

failed=""
for number in $(seq "$count"); do
    status=$(cat "$work/status.$number" 2>/dev/null || echo none)
    [ "$status" = 0 ] && continue
    name=$(sed -n "${number}p" "$work/parts" | cut -f1)
    failed="$failed $name"
    printf '\n---- %s: status %s, from the command\n' "$name" "$status"
    sed -n "${number}p" "$work/parts" | cut -f2-
    echo "---- which printed"
    cat "$work/said.$number" 2>/dev/null || true
done
if [ -n "$failed" ]; then
    printf '\nFAILED:%s\n' "$failed"
    exit 1
fi
echo "all tests passed: $count parts in $(($(date +%s) - began)) seconds"
