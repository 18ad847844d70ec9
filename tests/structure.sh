#!/bin/sh
# Holds the plan of the house (docs/architecture.md): which room may include which, and that every header compiles
# alone.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-cc}
failed=0
passed=0
fail() { echo "$*"; failed=$((failed + 1)); }

# Rooms, each with the rooms that it may include beside itself. A room comes after all that it may include, so there is
# no circle.
rooms='base
api
audit
binary: base
tape: base
stat: base
trace: base stat
ptx: base binary
lower: base ptx
flow: base stat ptx
recon: base stat ptx flow
rewrite: base stat ptx lower flow recon
device: base ptx flow
lanes: base ptx flow
oracle: base ptx flow device
image: base ptx device lanes
exec: base stat trace tape ptx flow device lanes image
div/contract: base stat ptx flow device lanes exec
div/parts: base stat ptx flow recon device lanes exec div/contract
div: base stat ptx flow recon device lanes exec div/contract div/parts
sched: base stat ptx flow device lanes exec
sched/parts: base stat ptx flow device lanes exec sched
sched/policies: base stat ptx flow device lanes exec sched sched/parts
mem: base stat ptx
sm: base stat trace ptx flow device lanes exec div/contract sched sched/parts mem
gpu: base stat trace ptx flow recon device lanes exec div/contract sched mem sm
sample: base stat trace ptx flow device lanes exec div/contract sched mem sm gpu
report: base stat trace ptx flow device lanes exec div/contract div sched mem sm gpu sample
explain: base stat ptx flow recon rewrite device lanes exec report
step: base stat trace ptx flow device lanes exec div/contract sched mem sm gpu report
run: base stat trace tape ptx lower flow recon rewrite device lanes oracle exec div/contract div sched mem sm gpu sample report explain step
store: base
study: base store stat trace ptx flow device exec div/contract div sched mem sm gpu report run
farm: base store study
page: base store report study
cuda: base binary api stat trace ptx flow rewrite device lanes exec div/contract div sched mem sm gpu report run
cli: base stat trace ptx lower flow recon rewrite device lanes exec oracle div/contract div sched mem sm gpu report explain step run study store farm page cuda
runtime: base api'

# room FILE: div/contract and div/parts are rooms of their own; the folder of one mechanism belongs to div. Of sched, all may
# include the contract sched.h and the list table.h alone.
room() {
    case "$1" in
    div/contract/*) echo div/contract ;;
    div/parts/*) echo div/parts ;;
    sched/parts/*) echo sched/parts ;;
    sched/sched.h | sched/table.h) echo sched ;;
    sched/*) echo sched/policies ;;
    *) echo "${1%%/*}" ;;
    esac
}

known=" "
while read -r line; do
    name=${line%%:*}
    for may in ${line#"$name"}; do
        [ "$may" = : ] && continue
        case "$known" in *" $may "*) ;; *) fail "the plan lets $name include $may, which comes after it" ;; esac
    done
    known="$known$name "
done <<LIST
$rooms
LIST

for file in $(find src -name '*.c' -o -name '*.h' | sort); do
    name=$(room "${file#src/}")
    may=$(echo "$rooms" | sed -n "s|^$name: ||p")
    case "$known" in *" $name "*) ;; *) fail "$file: room '$name' is not in the plan"; continue ;; esac
    for included in $(sed -n 's|^#include "\([^"]*\)".*|\1|p' "$file"); do
        case "$included" in
        */*) ;;
        *) [ -f "include/$included" ] || fail "$file: includes \"$included\" without its folder"; continue ;;
        esac
        case " $may $name " in
        *" $(room "$included") "*) passed=$((passed + 1)) ;;
        *) case "$included" in gpus/* | papers/*) ;; *) fail "$file: may not include $included (an arrow that runs up)" ;; esac ;;
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

# Messages go through diag_stream(), which writes stdout's buffer first. The exceptions: diag.c has it; the child of a fork
# must not write its parent's buffer; runtime and audit know no diag.h; the stepper's line is on a terminal of its own.
for file in $(find src -name '*.c' | grep -vE '^src/(base/(diag|child)|runtime/.*|audit/.*|step/session)\.c$' | sort); do
    if sed 's|"[^"]*"||g; s|/\*.*||; s|^ \*.*||; s|fflush(stderr)||' "$file" | grep -w stderr; then
        fail "$file: writes to stderr; write to diag_stream() (base/diag.h)"
    else
        passed=$((passed + 1))
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
