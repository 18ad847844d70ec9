#!/bin/sh
# docs/coverage.md, what the papers describe and where heddle has it: run.sh HEDDLE. Every command of the page, written
# `heddle ...`, ends with status 0, and no figure, table, mechanism, scheduler, machine or workload is missing on
# the page.
. "$(dirname "$0")/../check.sh"
cd ../../.. || exit 2
page=docs/coverage.md

# Commands run in a folder of their own, so that a file that one writes is gone afterwards.
mkdir "$scratch/run" "$scratch/bin"
for name in examples gpus include papers tests workloads; do ln -s "$PWD/$name" "$scratch/run/$name"; done
ln -s "$heddle" "$scratch/bin/heddle"
grep -o '`heddle [^`]*`' $page | tr -d '`' | sort -u >"$scratch/commands"
expect "the page has commands" [ "$(wc -l <"$scratch/commands")" -ge 60 ]
while IFS= read -r line; do
    count=$((count + 1))
    case $line in *...) continue ;; esac # how commands are written
    (cd "$scratch/run" && PATH=$scratch/bin:$PATH && eval "$line") >"$scratch/out" 2>&1 </dev/null && continue
    failed=$((failed + 1))
    echo "FAILED $page: $line"
    head -20 "$scratch/out"
done <"$scratch/commands"

# has NAME FIRST LAST SECTION: rows | NAME FIRST | to | NAME LAST | stand in the section
has() {
    sed -n "/^### $4\$/,\$p" $page | sed '1d;/^##/,$d' >"$scratch/section"
    n=$2
    while [ "$n" -le "$3" ]; do
        expect "$4 has $1 $n" [ "$(grep -c "^| $1 $n |" "$scratch/section")" -eq 1 ]
        n=$((n + 1))
    done
}
has Fig. 1 17 'TBC: figures and tables'
has Table 1 3 'TBC: figures and tables'
has Fig. 1 14 'TSTBC: figures and tables'
has Table 1 2 'TSTBC: figures and tables'
has Fig. 1 10 'SR: figures and tables'
has Table 1 2 'SR: figures and tables'
has Fig. 1 19 'VWS: figures and tables'
has Table 1 3 'VWS: figures and tables'

# names_in HEADING COLUMN TOPIC: all names of the topic stand in this column of the section's table
names_in() {
    sed -n "/^## $1\$/,\$p" $page | sed '1d;/^## /,$d' | awk -F '|' -v column="$2" '/^\| / { print $(column + 1) }' |
        tr -c 'a-zA-Z0-9-' '\n' | sort -u >"$scratch/words"
    for name in $("$heddle" list "$3" --names); do
        expect "$1: $name" grep -qx -e "$name" "$scratch/words"
    done
}
names_in Mechanisms 1 mechanisms
names_in Programs 3 workloads
names_in 'Schedulers and machines' 1 machines
names_in 'Schedulers and machines' 1 schedulers

# Names of metrics are those of heddle list stats.
"$heddle" list stats --names >"$scratch/stats"
sed -n '/^## Metrics$/,/^## Programs$/p' $page | grep '^| ' | sed 's/.*|\(.*\)|$/\1/' | grep -o '`[a-zA-Z][^` ]*`' | tr -d '`' |
    sort -u >"$scratch/metrics"
expect "the page names metrics" [ "$(wc -l <"$scratch/metrics")" -ge 30 ]
while read -r metric; do
    expect "there is a statistic $metric" grep -qx -e "$metric" "$scratch/stats"
done <"$scratch/metrics"

# A row says yes with a place, part with what is missing, or no with a reason.
sed -n '/^## Thread Block/,/^## Metrics/p' $page | grep '^| ' | grep -v '^| section\|^| | \|^|---' >"$scratch/rows"
while IFS= read -r row; do
    case $row in
    *'| yes | '[!\ \|]* | *'| part | '[!\ \|]* | *'| no | '[!\ \|]*) ;;
    *)
        failed=$((failed + 1))
        echo "FAILED $page: neither yes, part nor no with a place or reason: $row"
        ;;
    esac
    count=$((count + 1))
done <"$scratch/rows"

echo "$count checks of coverage, $failed failed"
[ $failed -eq 0 ]
