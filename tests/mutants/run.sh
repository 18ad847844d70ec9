#!/bin/sh
# Mutation testing: breaks rules of the model one at a time, drawn at random, and lists those whose loss no test notices.
#
# usage: tests/mutants/run.sh [COUNT [SEED [JOBS [FILE ...]]]]     (from the root of the sources)
#
# Rules are drawn from the FILEs, by default those of src/div, src/sm, src/mem, src/sched and src/gpu; draw.pl says what a rule
# is. Each mutant is held against the parts of `make check` that run code: unit tests of its own file first, then those
# of its folder, then the rest from the quickest to the slowest, until one fails. A test that takes ten times as long has failed.
#
# Results are in build-mutants/mutants.tsv, for the first time after the unit tests: number, file and line, the line before and
# after, what killed the mutant or SURVIVED, seconds. The folder build-mutants/NUMBER of a survivor has the changed source and all
# programs.
set -eu
[ -f tests/mutants/run.sh ] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
count=${1:-100} seed=${2:-1} jobs=${3:-$(nproc)}
[ $# -gt 3 ] && shift 3 || set -- $(find src/div src/sm src/mem src/sched src/gpu -name "*.[ch]" | LC_ALL=C sort)
out=build-mutants mutant=tests/mutants/mutant.sh
unset HEDDLE_OPTS

mkdir -p $out
$mutant build -j"$jobs" $out/base/heddle $out/base/lib/libcuda.so.1 workloads tests >$out/build.log 2>&1 ||
    { tail -20 $out/build.log; exit 1; }

# The checks: number, name, command. MUTANT stands for the folder of the programs. Left out is what runs nothing of the model:
# sources and packages, texts compared, the parser, and the engine against the oracle.
BUILD=$out/base CC=${CC:-cc} CFLAGS=-O3 tests/parts.sh | sed "s|$out/base|MUTANT|g" | awk -F'\t' -v OFS='\t' '
    $1 !~ /^(structure|sizes|format|lint|install|clang|agree-.*|.*-oracle|fuzz-replay)$/ { print ++n, $1, $2 }' >$out/checks

# The unchanged program must pass them all; how long each takes then says in what order mutants meet them.
is_timed() { [ -e $out/times ] && [ $out/times -nt $out/base/libheddle.so.0 ] && cmp -s $out/checks $out/checks.timed; }
if ! is_timed; then
    rm -rf $out/times $out/0 && $mutant copy 0
    cut -f1 $out/checks | xargs -P "$jobs" -I{} $mutant check 0 {}
    [ ! -s $out/0/killed ] || { echo "the unchanged program fails: $(cat $out/0/killed)"; exit 1; }
    sort -n $out/0/times >$out/times && cp $out/checks $out/checks.timed
fi

# A run that was broken off goes on where it was, if it is asked for the same again.
perl tests/mutants/draw.pl "$seed" tests/mutants/same.txt "$@" >$out/drawn.new
is_the_same()
{
    [ $out/open -nt $out/base/libheddle.so.0 ] && [ "$(cat $out/open)" = "$count $seed" ] &&
        cmp -s $out/drawn $out/drawn.new
}
if ! is_the_same 2>/dev/null; then
    find $out -mindepth 1 -maxdepth 1 -name '[0-9]*' -exec rm -rf {} +
    mv $out/drawn.new $out/drawn
    echo "$count $seed" >$out/open
fi

# Mutants that compile to another program than the unchanged one, until there are enough.
made=0 tried=0
while [ $made -lt "$count" ] && [ $tried -lt "$(wc -l <$out/drawn)" ]; do
    seq $((tried + 1)) $((tried + count - made)) | xargs -P "$jobs" -I{} $mutant make {}
    tried=$((tried + count - made))
    made=$(find $out -mindepth 2 -maxdepth 2 -name change | wc -l)
done
numbers=$(find $out -mindepth 2 -maxdepth 2 -name change | awk -F/ '{ print $2 }' | sort -n)

report()
{
    for n in $numbers; do
        by=open
        [ "$(wc -l <$out/"$n"/times)" -lt "$(wc -l <$out/checks)" ] || by=SURVIVED
        [ ! -e $out/"$n"/killed ] || by=$(head -1 $out/"$n"/killed)
        seconds=$(awk '{ t += $1 } END { printf "%.1f", t }' $out/"$n"/times)
        printf '%s\t%s\t%s\t%s\n' "$n" "$(cat $out/"$n"/change)" "$by" "$seconds"
    done >$out/mutants.tsv
    awk -F'\t' '
        $5 == "SURVIVED" || $5 == "open" { left[$5]++; printf "%s %s: %s  ->  %s\n", $5, $2, $3, $4 }
        { all++; split($2, at, "/"); of[at[2]]++; survived[at[2]] += $5 == "SURVIVED" }
        END {
            printf "%d mutants, %d killed, %d survived\n", all, all - left["SURVIVED"] - left["open"], left["SURVIVED"]
            for (f in of) printf "  src/%s: %d of %d survived\n", f, survived[f], of[f]
        }' $out/mutants.tsv
}

echo "$numbers" | xargs -P "$jobs" -I{} $mutant units {}
report
cut -f2 $out/times | while read -r check; do
    for n in $numbers; do
        [ -e $out/"$n"/killed ] || cut -f2 $out/"$n"/times | grep -qx "$check" || echo "$n" "$check"
    done
done | xargs -P "$jobs" -L1 $mutant check

report
rm -f $out/open
for n in $numbers; do
    [ ! -e $out/"$n"/killed ] || rm -rf $out/"$n"
done
