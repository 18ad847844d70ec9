#!/bin/sh
# Holds the direction of includes: base <- ptx <- flow <- exec <- {div, sched, mem} <- sm <- gpu
# <- {study, report, cuda} <- cli; stat and trace are leaves that all may use. Also: every header compiles alone.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-cc}
failed=0
passed=0

# folder: the folders it may include
allowed() {
    case "$1" in
    base) echo "base" ;;
    stat | trace) echo "base stat trace" ;;
    ptx) echo "base stat trace ptx" ;;
    flow) echo "base stat trace ptx flow" ;;
    exec) echo "base stat trace ptx flow exec" ;;
    div | sched | mem) echo "base stat trace ptx flow exec $1" ;;
    sm) echo "base stat trace ptx flow exec div sched mem sm" ;;
    gpu) echo "base stat trace ptx flow exec div sched mem sm gpu" ;;
    study | report | cuda) echo "base stat trace ptx flow exec div sched mem sm gpu $1" ;;
    cli) echo "base stat trace ptx flow exec div sched mem sm gpu study report cuda cli" ;;
    *) echo "" ;;
    esac
}

for file in $(find src -name '*.c' -o -name '*.h' | sort); do
    folder=$(echo "$file" | cut -d/ -f2)
    may=" $(allowed "$folder") "
    [ "$may" != "  " ] || { echo "$file: folder '$folder' is not in the plan"; failed=$((failed + 1)); continue; }
    for included in $(sed -n 's|^#include "\([^"]*\)".*|\1|p' "$file"); do
        case "$included" in
        */*) from=${included%%/*} ;;
        *) [ -f "include/$included" ] && continue; echo "$file: includes \"$included\" without its folder"; failed=$((failed + 1)); continue ;;
        esac
        case "$may" in
        *" $from "*) passed=$((passed + 1)) ;;
        *) echo "$file: may not include $included (an arrow that runs up)"; failed=$((failed + 1)) ;;
        esac
    done
done

for header in $(find src include -name '*.h' | sort); do
    if $CC -std=gnu17 -Wall -Wextra -Werror -Wno-unused-function -Isrc -Iinclude -fsyntax-only -x c "$header" 2>/dev/null; then
        passed=$((passed + 1))
    else
        echo "$header: does not compile alone"
        failed=$((failed + 1))
    fi
done

# The mechanism of the documentation, which comes first, is the one that is compiled and tested.
if sed -n '/^```c$/,/^```$/{p;/^```$/q}' docs/adding-a-mechanism.md | sed '1d;$d' | cmp -s - tests/probes/split.c; then
    passed=$((passed + 1))
else
    echo "docs/adding-a-mechanism.md: its example is not tests/probes/split.c"
    failed=$((failed + 1))
fi

echo "structure: $passed passed, $failed failed"
[ "$failed" = 0 ]
