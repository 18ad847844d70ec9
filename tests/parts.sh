#!/bin/sh
# The parts of `make check`, for run_parts.sh: one line per part, with its name, a tab and its command. From the root of
# the sources. The longest come first, so that all cores are busy until the end.
#
# Environment: BUILD, CC, CFLAGS; CLI_ENV, a command before those that run heddle from a shell; RANDOM_COUNT,
# MANUAL_COUNT and TIMED_COUNT, how many random programs the executors and the mechanisms are compared on; FIGURES,
# which of the recorded figures are compared: some, all or none.
set -eu
: "${BUILD:=build}" "${CC:=cc}" "${CFLAGS:=}" "${CLI_ENV:=}" "${FIGURES:=some}"
: "${RANDOM_COUNT:=4000}" "${MANUAL_COUNT:=1000}" "${TIMED_COUNT:=6}"
heddle=$BUILD/heddle timed=$BUILD/tests/timed agree=$BUILD/tests/agree
golden=tests/silicon/golden
compiler="CC='$CC' CFLAGS='$CFLAGS'"
names() { $CLI_ENV "$heddle" list "$1" --json | sed 's/{"name":"\([^"]*\)".*/\1/'; }
mechanisms=$(names mechanisms)
machines=$(names machines)
[ -n "$mechanisms" ] && [ -n "$machines" ] || { echo "$heddle does not list mechanisms and machines" >&2; exit 1; }

part() { # NAME COMMAND...
    printf '%s\t' "$1"
    shift
    printf '%s\n' "$*"
}

# several NAME PREFIX WORDS SUFFIX: one part that runs a command for each word
several() { part "$1" "set -e; for word in $3; do $2 \$word $4; done"; }

part clang "tests/clang.sh $BUILD"
part lint "tests/lint.sh $BUILD"
part cli-study "$CLI_ENV tests/cli/study/run.sh $heddle"
part agree-random "$agree random 1 $RANDOM_COUNT"
part kept-timed "FIGURES=$FIGURES tests/kept/run.sh $timed"
several timed-corpus "$timed fermi" "pdom tbc tbc-dpe lwm dwf capri dws dpe multipath frontiers sbi temporal reed" "corpus tests/corpus"
case $FIGURES in
none) ;;
all)
    for machine in $machines; do
        part "figures-$machine" "HEDDLE_OPTS='--threads 2' JOBS=1 tests/figures/run.sh $heddle --only '^$machine '"
    done
    ;;
*)
    # Three quick workloads, on every machine under every mechanism, on two host threads.
    part figures "HEDDLE_OPTS='--threads 2' JOBS=1 tests/figures/run.sh $heddle --only ' (bfs2|lps|mum) '"
    ;;
esac
part format "tests/format.sh"
part opencl "tests/opencl/run.sh $heddle"
part replay-manual-oracle "HEDDLE_OPTS='--executor oracle' $BUILD/tests/replay manual --check $golden/manual.golden"
part cli-trace "$CLI_ENV tests/cli/trace/run.sh $heddle"
part cli-exec "$CLI_ENV $compiler tests/cli/exec/run.sh $heddle"
part cli-large "$CLI_ENV tests/cli/large/run.sh $heddle"
part replay-manual "$BUILD/tests/replay manual --check $golden/manual.golden"
for machine in $machines; do
    part "matrix-$machine" "MACHINES=$machine tests/agree/matrix.sh $timed $TIMED_COUNT"
done
for test in test_div test_mem_stress; do
    part $test "tests/quiet.sh $BUILD/tests/$test"
done
part replay-random-oracle "HEDDLE_OPTS='--executor oracle' $BUILD/tests/replay random --check $golden/random.golden"
part timed-corpus-volta "$timed volta volta corpus tests/corpus"
part web "$CLI_ENV tests/web/run.sh $heddle"
part structure "$compiler tests/structure.sh"
part sizes "$compiler tests/sizes.sh $BUILD"
part install "$CLI_ENV $compiler tests/install.sh $BUILD"
part rewritten "set -e; $BUILD/tests/rewritten tasks 1 30; $BUILD/tests/rewritten --may-be-idle random 1 60; \
$BUILD/tests/rewritten --may-be-idle manual 1 30"
part agree-manual "$agree manual 1 $MANUAL_COUNT"
part timed-corpus-vws "$timed vws vws corpus tests/corpus"
part replay-random "$BUILD/tests/replay random --check $golden/random.golden"
several timed-every-cycle "$timed --every-cycle --twice --any-knobs fermi" "pdom tbc tbc-dpe lwm dwf dwf-wb capri \
tstbc dws dpe multipath frontiers sbi swi temporal robust ws vws volta reed mimd probe-regroup probe-gangs probe-barriers" "random 1 $TIMED_COUNT"
# Stacks that spill entries to memory.
several timed-spill "$timed --every-cycle fermi" "pdom scc tbc tbc-lcp tbc-dpe" \
"random 1 $TIMED_COUNT \$word.stack_entries=1 \$word.spill_traffic=yes"
# No mechanism is faster than the bound on any program. mimd holds no units, so that it may be with other intervals.
for machine in $machines; do
    several "timed-bound-$machine" "$timed --bound --any-knobs $machine" \
"$(echo $mechanisms | sed 's/ mimd//; s/ bound//')" "random 1 $TIMED_COUNT"
done
several timed-replay "$timed --replay --any-knobs tiny" "$(echo $mechanisms)" "random 1 2"
# Under mimd a run that is recorded simulates each thread by itself, and one that is not simulates bundles (sm/bundles/bundles.h).
part timed-bundles "set -e; $timed --replay --any-knobs fermi mimd random 1 60; $timed --replay fermi mimd random 300 20 sm.schedulers=1; \
$timed --replay fermi mimd random 400 10 sm.memory_stage=inline; \
$timed --replay --any-knobs volta mimd manual 1 20; $timed fermi mimd corpus tests/corpus"
part timed-replay-vws "$timed --replay vws vws manual 1 $TIMED_COUNT"
first=1
for machine in fermi tiny volta; do
    commands="set -e"
    for mechanism in $mechanisms; do
        commands="$commands; $timed $machine $mechanism manual $first $TIMED_COUNT"
        first=$((first + TIMED_COUNT))
    done
    part "timed-manual-$machine" "$commands"
done
part docs "$CLI_ENV tests/docs.sh $heddle"
part docs-papers "tests/docs/run.sh"
part docs-which "tests/docs/which/run.sh"
part agree-ops "$agree ops"
part agree-origins "set -e; for cases in 'random 1 500' 'manual 1 200' 'pointers 1 1500' ops 'corpus tests/corpus'; do \
$BUILD/tests/origins \$cases; done"
part agree-origins-workloads "tests/origins/workloads.sh $BUILD"
part replay-ops-oracle "HEDDLE_OPTS='--executor oracle' $BUILD/tests/replay ops --check $golden/ops.golden"
part driver "$compiler tests/driver/run.sh $BUILD"
part audit "$compiler tests/audit/run.sh $BUILD"
part runtime "$CLI_ENV $compiler tests/runtime/run.sh $BUILD"
part programs "$CLI_ENV $compiler tests/programs/run.sh $BUILD"
case $FIGURES in
all)
    for workload in $("$heddle" list workloads --names) apps; do
        part "workloads-$workload" "FIGURES=all $CLI_ENV tests/workloads/run.sh $heddle test $workload"
    done
    ;;
*)
    part workloads "FIGURES=$FIGURES $CLI_ENV tests/workloads/run.sh $heddle"
    ;;
esac
part measured "$CLI_ENV tests/workloads/measured.sh $heddle"
part agree-corpus "$agree corpus tests/corpus"
for script in tests/cli/*/run.sh; do
    name=$(basename "$(dirname "$script")")
    case $name in
    study | trace | large | exec) ;;
    bound)
        case $FIGURES in
        all) part cli-bound "$CLI_ENV $script $heddle --all" ;;
        none) ;; # simulation is slow with a sanitizer
        *) part cli-bound "$CLI_ENV $script $heddle" ;;
        esac
        ;;
    coverage)
        case $FIGURES in
        none) ;; # as for bound
        *) part cli-coverage "$CLI_ENV $script $heddle" ;;
        esac
        ;;
    slurm)
        case $FIGURES in
        all) part cli-slurm "$CLI_ENV $script $heddle" ;;
        *) ;; # starts the daemons of Slurm
        esac
        ;;
    killed)
        case $FIGURES in
        all) part cli-killed "$CLI_ENV $script $heddle 1000 100" ;;
        *) part cli-killed "$CLI_ENV $script $heddle" ;;
        esac
        ;;
    *) part "cli-$name" "$CLI_ENV $script $heddle" ;;
    esac
done
part cli "$CLI_ENV tests/cli/run.sh $heddle"
part replay-corpus-oracle "HEDDLE_OPTS='--executor oracle' $BUILD/tests/replay corpus --corpus tests/corpus \
--check $golden/corpus.golden"
part replay-corpus-lowered "HEDDLE_OPTS='--lower ptxas --gpu volta --mech volta' $BUILD/tests/replay corpus --corpus tests/corpus \
--check $golden/corpus.golden"
part replay-random-lowered "HEDDLE_OPTS='--lower ptxas' $BUILD/tests/replay random --check $golden/random.golden"
part lowered "$compiler tests/validate/lowered.sh $BUILD"
part lowered-probes "tests/validate/ptxas/check.sh $heddle"
part vote "$compiler tests/validate/vote/run.sh $BUILD"
for source in tests/unit/test_*.c; do
    test=$(basename "$source" .c)
    case $test in
    test_div | test_mem_stress) ;;
    *) part "$test" "tests/quiet.sh $BUILD/tests/$test" ;;
    esac
done
part replay-ops "$BUILD/tests/replay ops --check $golden/ops.golden"
part replay-corpus "$BUILD/tests/replay corpus --corpus tests/corpus --check $golden/corpus.golden"
part replay-kept "$BUILD/tests/replay corpus --corpus tests/kept --check $golden/kept.golden"
part timed-vws "$timed vws vws manual 1 $TIMED_COUNT"
part timed-gangs "$timed vws probe-gangs random 1 $TIMED_COUNT sm.slice_lanes=4"
part timed-example "$timed tiny example-split random 1 $TIMED_COUNT"
part predict "$timed --predict tiny volta random 1 $TIMED_COUNT"
part predict-every-cycle "$timed --predict --every-cycle --any-knobs volta volta random 1 $TIMED_COUNT"
# The threads of a scalar instruction read the same values, with and without predictions.
part timed-scalar "set -e; for m in pdom scc dpe; do $timed fermi \$m random 1 $TIMED_COUNT sm.scalar=check; done; \
$timed volta volta random 282 1 sm.scalar=check; $timed --predict volta volta random 1 $TIMED_COUNT sm.scalar=check; \
$timed --bound fx5800 pdom random 1 $TIMED_COUNT sm.scalar=check"
part timed-every-cycle-vws "$timed --every-cycle --any-knobs vws vws random 1 $TIMED_COUNT"
part timed-every-cycle-icache "$timed --every-cycle volta ws random 1 $TIMED_COUNT sm.fetch=icache"
# narrow warps that wait for each other at two votes
part timed-two-votes "$timed --any-knobs fx5800 ws manual 5019837 1"
part agree-kept "$agree corpus tests/kept"
part fuzz-replay "$BUILD/tests/fuzz-replay tests/fuzz/corpus/*"
part mutate "$BUILD/tests/mutate 3000"
