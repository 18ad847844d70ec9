#!/bin/sh
# Runs CUDA programs unchanged under `heddle exec`, and compares what they print and how they end with what a GPU
# recorded in expected/: run.sh BUILD [--all] [PATTERN].
#
# Without --all, the programs are those of bin.tar.zst, which nvcc compiled for x86-64; other hosts skip them. With --all
# they are compiled first, all that programs.txt lists, into BUILD/programs. PATTERN (of grep -E) chooses among the names
# NAME@VARIANT. Some programs run on a machine with a divergence mechanism, too. Each run has TIMEOUT seconds, 60 unless
# given. CC is the compiler of heddle.
set -eu
build=${1:?usage: run.sh BUILD [--all] [PATTERN]}
shift
all='' pattern=.
for word; do
    case $word in
    --all) all=1 ;;
    *) pattern=$word ;;
    esac
done
here=$(cd "$(dirname "$0")" && pwd)
case $build in /*) ;; *) build=$PWD/$build ;; esac
if [ "$(uname -m)" != x86_64 ]; then
    echo "the CUDA programs are compiled for x86-64, this is $(uname -m): they are not run"
    exit 0
fi
# Libraries with a sanitizer want its runtime first in a process.
preload=''
! grep -q libasan "$build/lib/libcuda.so.1" || preload="LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 runs=0

if [ "$all" ]; then
    binaries=$build/programs
    "$here/build.sh" "$binaries" "$build/lib" "$pattern" || failed=1
else
    binaries=$scratch/binaries
    mkdir "$binaries"
    zstd -qdc "$here/bin.tar.zst" | tar -x -C "$binaries" -f -
fi

say() { # WHAT: the run of check() went wrong
    echo "FAILED $name@$variant $argument $options: $1"
    head -n 5 "$scratch/errors"
    failed=1
}

# check NAME VARIANT STATUS ARGUMENT LACKS [OPTIONS OF HEDDLE]; LACKS is - if heddle has all that the program needs
check() {
    name=$1 variant=$2 status=$3 argument=$4 lacks=$5 options=${6:-}
    program=$binaries/$name@$variant
    [ -x "$program" ] || return 0
    echo "$name@$variant" | grep -Eq -- "$pattern" || return 0
    expected=$here/expected/$name-$argument.out
    [ "$argument" != - ] || argument='' expected=$here/expected/$name.out
    # shellcheck disable=SC2086
    timeout "${TIMEOUT:-60}" env $preload "$build/heddle" exec --quiet $options -- "$program" $argument >"$scratch/out" \
        2>"$scratch/errors" </dev/null && got=0 || got=$?
    runs=$((runs + 1))
    if [ "$lacks" != - ]; then
        grep -q "not supported.*$lacks" "$scratch/errors" ||
            say "it is not refused for $lacks; if heddle has that now, take the word from programs.txt"
    elif ! cmp -s "$scratch/out" "$expected"; then
        say "it prints something else"
        diff "$expected" "$scratch/out" | head -n 10 || true
    elif [ "$got" != "$status" ]; then
        say "its exit status is $got, not $status"
    fi
}

grep -v '^#' "$here/programs.txt" >"$scratch/rows"
while read -r name variant status argument rest; do
    lacks=$(echo "${rest%%|*}" | tr -d " ")
    check "$name" "$variant" "$status" "$argument" "${lacks:--}"
done <"$scratch/rows"

# The same output under every way of divergence: a machine and a mechanism for each program.
while read -r name machine mechanism; do
    check "$name" shared 0 - - "--gpu $machine --mech $mechanism"
done <<end
vector_add fermi pdom
bfs fermi tbc
merge_sort fermi dwf
virtual_classes fermi multipath
mandelbrot fermi dws
warp_intrinsics volta volta
cg_tiles volta volta
cg_grid fermi pdom
graph_capture fermi capri
events fermi pdom
wgmma_gemm h200 pdom
end

[ $runs -gt 0 ] || { echo "no program ran"; exit 1; }
[ $failed = 0 ] || exit 1
echo "$runs runs of CUDA programs print what a GPU recorded"
