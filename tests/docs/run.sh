#!/bin/sh
# Tests the scripts that make the pages of papers, on the paper of this folder: run.sh
set -eu
cd "$(dirname "$0")"
scripts=$PWD/../../scripts
. ./check.sh
cp -r papers "$work/papers"
chmod -R u+w "$work"
tests=$PWD
cd "$work"
keep() { DATE=2026-01-0$1 "$scripts/paper-results.sh" demo "$2" "$3" "$4" "papers/$5.csv"; }

"$scripts/paper-page.sh" demo >page
check "a paper without results has all its rows" cmp page "$tests/expected/empty.md"
keep 1 small nvcc aaaaaaa first
keep 2 small plain bbbbbbb first
keep 3 paper plain ccccccc first
keep 4 paper plain ddddddd second # one claim, measured again
check "results are kept by size, PTX and claim" cmp papers/results/demo.csv "$tests/expected/results.csv"
"$scripts/paper-page.sh" demo >page
check "the page has all results, those that decide first" cmp page "$tests/expected/page.md"
sed '1s/$/,sweep,variant/; 2,$s/$/,ptx,plain/' papers/first.csv >papers/both.csv
sed '1d; s/$/,ptx,nvcc/' papers/second.csv >>papers/both.csv
keep 5 test both fffffff both
check "results of the first PTX of both" grep -q '^test,plain,2026-01-05,fffffff,A1,' papers/results/demo.csv
check "results of the second PTX of both" grep -q '^test,nvcc,2026-01-05,fffffff,A2,1 of 2,' papers/results/demo.csv
printf 'demo A1\ndemo A2\ndemo A3\n' >claims.txt
claims() { awk -v paper=demo -f "$tests/claims.awk" claims.txt "$1"; }
refused() { ! claims "$1" && claims "$1" | grep -q "$2"; } # PAGE COMPLAINT
check "the page of a paper is whole" claims page
check "a paper without results is not" refused "$tests/expected/empty.md" "A3 has no verdict"
sed '/^| A1 /d' page >broken
check "every claim has a row" refused broken "A1 is missing"
sed 's/^| A1 /| A4 /' page >broken
check "other rows are marked by an x" refused broken "A4 is no id"
sed 's/^\(| A1 .*\) | [^|]* |$/\1 |/' page >broken
check "rows have all columns" refused broken "A1 has 8 columns"
sed 's/ nothing to pack, so lanes stay idle / – /' page >broken
check "a claim that does not hold has a reason" refused broken "A2 does not hold"
sed '/^| A3 /s/ 96, holds |$/ 95, fails |/' page >broken
check "one that holds but with the other PTX has a reason" refused broken "A3 does not hold in column 9"
sed 's/ +4.0% | holds / – | holds /' page >broken
check "a claim has a measured value" refused broken "A1 has no measured value"
sed '/^| A1 /p' page >broken
check "no claim has two rows" refused broken "A1 is there twice"
sed -i '/^A1/d' papers/demo.csv
sed '/^A1/d' papers/first.csv >papers/third.csv
sed -i '/^A1/d' papers/both.csv
keep 5 small nvcc eeeeeee third
check "results of a claim that is gone are dropped" sh -c "! grep -q ',A1,' papers/results/demo.csv"
cp papers/results/demo.csv before
for wrong in "demo tiny plain x papers/first.csv" "demo small ptx x papers/first.csv" \
    "demo small plain x papers/demo.md" "demo small plain x papers/first.csv" "demo small plain x" \
    "demo small both x papers/third.csv" "demo small plain x papers/both.csv"; do
    check "refused with a message: $wrong" sh -c "! \"$scripts/paper-results.sh\" $wrong 2>why && test -s why"
done
check "what was refused changed nothing" cmp before papers/results/demo.csv

echo "pages of papers: $passed passed, $failed failed"
[ $failed -eq 0 ]
