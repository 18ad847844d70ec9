#!/bin/sh
# Programs on the CUDA runtime as processes: run.sh BUILD. They are C programs that register PTX text, so no CUDA compiler
# is needed; the compiler is $CC with $CFLAGS. With the shared library and with the archive.
set -eu
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset HEDDLE_OPTS LD_LIBRARY_PATH
failed=0 passed=0
CC=${CC:-cc}

check() { # NAME WANTED GOT: what a program should have said and ended with
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        printf 'FAILED %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
        failed=$((failed + 1))
    fi
}

compile() { # PROGRAM OUTPUT WORDS...
    source=tests/runtime/programs/$1.c output=$scratch/$2
    shift 2
    # shellcheck disable=SC2086 -- words
    $CC -std=gnu17 ${CFLAGS:-} -Iinclude -I. -o "$output" "$source" "$@" -ldl -lpthread
}
shared="$build/lib/libcudart.so.13"
static="$build/lib/libcudart_static.a"
helper=tests/runtime/registered.c

run() { # PROGRAM WORDS...: stdout, then the status
    program=$scratch/$1
    shift
    status=0
    said=$(LD_LIBRARY_PATH=$build/lib timeout 60 "$program" "$@" 2>"$scratch/stderr") || status=$?
    echo "$said ($status)"
}

for kind in shared static; do
    eval "library=\$$kind"
    compile hello hello-$kind $helper "$library"
    check "hello, $kind" "sum 496, 41 (0)" "$(run hello-$kind)"
    compile late late-$kind "$library"
    check "calls at exit, $kind" "end of main (3)" "$(run late-$kind)"
    for round in 1 2 3 4 5; do
        check "a thread at work at exit, $kind, round $round" "end of main (3)" "$(run late-$kind thread)"
    done
    compile threads threads-$kind $helper "$library"
    check "threads, $kind" "all threads agree (0)" "$(run threads-$kind)"
done

# Shared objects with kernels come and go.
compile plugin plugin.so -shared -fPIC $helper "$shared"
compile loader loader
check "plugin" "11 12
11 12
11 12 (0)" "$(run loader "$scratch/plugin.so")"

# Without a driver the program is told so, and so is its user.
cp "$scratch/hello-static" "$scratch/alone"
status=0
said=$(cd "$scratch" && ./alone 2>"$scratch/stderr") || status=$?
check "no driver" "cudaErrorInsufficientDriver, cudaSuccess, version 0, 0 devices (1)" "$said ($status)"
check "no driver, on stderr" 1 "$(grep -c 'no driver: .*run the program with heddle exec' "$scratch/stderr")"

# The archive keeps its own names to itself, and what has the runtime inside is marked.
check "names of the archive" "" "$(nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^((__)?cuda|__odr_asan)/ { print $3 }')"
for file in "$shared" "$scratch/hello-static"; do
    check "the mark in $(basename "$file")" 1 "$(readelf -n "$file" 2>/dev/null | grep -c '^ *heddle ')"
done

[ $failed = 0 ] || exit 1
echo "$passed checks passed"
