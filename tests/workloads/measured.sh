#!/bin/sh
# workloads/measured.csv, from which docs/workloads.md is written, is what heddle measures: shapes of blocks, branches,
# registers, and thread instructions at size test.
#
# usage: tests/workloads/measured.sh HEDDLE [WORKLOAD ...]     (all, if none is named)
heddle=$1
[ -x "$heddle" ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
shift
[ $# -gt 0 ] || set -- $("$heddle" list workloads --names)
found=$(mktemp) expected=$(mktemp)
trap 'rm -f "$found" "$expected"' EXIT
JOBS=1 SIZES=test scripts/measure-workloads.sh "$heddle" "$@" | tail -n +2 | cut -d, -f1-5,8 >"$found" || exit 1
for name; do grep "^$name," workloads/measured.csv; done | cut -d, -f1-5,8 >"$expected"
if cmp -s "$found" "$expected"; then
    echo "measured workloads: $(wc -l <"$found") rows as recorded"
else
    echo "workloads/measured.csv has other numbers (< recorded, > now); scripts/measure-workloads.sh measures anew:"
    diff "$expected" "$found"
    exit 1
fi
