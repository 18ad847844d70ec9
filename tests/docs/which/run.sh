#!/bin/sh
# Tests scripts/which-mechanism.sh, which makes the page of which mechanism suits which program, on made-up runs: run.sh
#
# In table.csv, low is best where good_sign is below 5 and upper is best above, and no_sign says nothing. Program race
# is wrong under bound, and mechanism half has no result for p03.
set -eu
cd "$(dirname "$0")"
scripts=$PWD/../../../scripts
page=$scripts/which-mechanism.sh
. ../check.sh
refused() { # TABLE COMPLAINT [TEXT]
    ! "$page" "$1" "${3:-text.md}" >"$work/page" 2>"$work/why" && grep -q "$2" "$work/why"
}

# Odd places are a and c: x has 2 and 0.995 times the speed of pdom. 1005 cycles are more than 990, but not as text.
cat >"$work/halves.csv" <<CSV
program,machine,mechanism,status,cycles
a,m,bound,ok,50
a,m,pdom,ok,100
a,m,reed,ok,40
a,m,x,ok,50
b,m,bound,wrong,
b,m,pdom,ok,100
b,m,reed,ok,100
b,m,x,wrong,
c,m,bound,ok,500
c,m,pdom,ok,1000
c,m,reed,ok,900
c,m,x,ok,1005
CSV
halves() { awk -f "$scripts/csv.awk" -f "$scripts/which-halves.awk" "$work/halves.csv"; }
halves >"$work/halves.md"
check "means and counts of pdom by halves" grep -qxF '| pdom | 1.000, 50.0 %, 1 of 2 | 1.000, -, 0 of 1 |' "$work/halves.md"
check "those of another mechanism, without its wrong run" grep -qxF '| x | 1.411, 70.5 %, 2 of 2 | - |' "$work/halves.md"
check "ideals have no row" sh -c "! grep -q bound '$work/halves.md'"

check "the page is made" sh -c "'$page' table.csv text.md >'$work/made'"
check "the page is as expected" diff expected.md "$work/made"
check "the sign finds every winner" grep -q '^| by good sign alone | 1.[0-9]* | 14 of 14 (100 %) | 0.0 % ' "$work/made"
check "what says nothing does not" grep -q '^| by no sign alone | [01].[0-9]* | [0-9] of 14 ' "$work/made"
check "the threshold is between the two kinds" grep -qx -e '- good sign at most 4.15:' "$work/made"
check "what is left out is named" \
    grep -qx -e '- On tiny, programs left out: race; mechanisms that cannot be chosen: half.' "$work/made"
# A program that is left out must not teach its own winner: p00 is the only one that half suits.
sed 's/^p00,tiny,half,ok,990/p00,tiny,half,ok,700/; /^p00/s/bound,ok,500/bound,ok,750/' table.csv >"$work/odd.csv"
echo 'p03,tiny,half,ok,5000,,' >>"$work/odd.csv"
check "a page with an odd program" sh -c "'$page' '$work/odd.csv' text.md >'$work/made'"
check "an odd program is not foreseen" grep -q '^| by good sign alone | [01].[0-9]* | 13 of 14 ' "$work/made"
check "half is faster than the bound" grep -q '^Over 0.5 % faster than `bound`: half on p00\.$' "$work/made"

sed 's/^program/programme/' table.csv >"$work/bad.csv"
check "another heading" refused "$work/bad.csv" "bad.csv:1: the heading"
sed '2p' table.csv >"$work/bad.csv"
check "a row twice" refused "$work/bad.csv" "bad.csv:3: a second row for p00 on tiny under bound"
sed '/^p01,tiny,pdom/d' table.csv >"$work/bad.csv"
check "no pdom" refused "$work/bad.csv" "no result of p01 on tiny under pdom"
sed '2s/,500,/,,/' table.csv >"$work/bad.csv"
check "no cycles" refused "$work/bad.csv" "bad.csv:2: a run that is ok has no cycles"
sed '4s/,$//' table.csv >"$work/bad.csv"
check "a short row" refused "$work/bad.csv" "bad.csv:4: the row has not as many fields"
echo '<!-- summary huge -->' >"$work/bad.md"
check "no such machine" refused table.csv "the table has no machine huge" "$work/bad.md"
echo '<!-- sums tiny -->' >"$work/bad.md"
check "no such part" refused table.csv "there is no part named sums" "$work/bad.md"
check "no text" refused table.csv "cannot be read" "$work/none.md"

echo "page of which mechanism: $passed passed, $failed failed"
[ $failed -eq 0 ]
