#!/bin/sh
# Compiles the probe kernels with ptxas and prints what became of their branches, as tests/validate/ptxas/ptxas13.csv holds.
#
# usage: tests/validate/ptxas/record.sh PTXAS NVDISASM     (from the root of the sources)
#
# ptxas13.csv was recorded with ptxas 13.0.88 and nvdisasm 12.4. No GPU is needed. Columns: branches under a predicate,
# EXIT under a predicate, BSSY, BREAK.
set -eu
if [ $# -ne 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/validate/ptxas/probes.sh >"$work/probes.ptx"
"$1" -arch=sm_90 "$work/probes.ptx" -o "$work/probes.cubin"
"$2" -c "$work/probes.cubin" >"$work/sass"
echo "probe,size,branches,exits,bssy,break"
awk '
    /^\.text\.[a-z_]*__[0-9]+:/ { sub(/^\.text\./, ""); sub(/:.*/, ""); name = $0; seen[name] = 1; next }
    /^\t\.section/ { name = "" }
    name == "" { next }
    /@!?U?P[0-9T]+ BRA/ { branches[name]++ }
    /@!?U?P[0-9T]+ EXIT/ { exits[name]++ }
    / BSSY / { joins[name]++ }
    / BREAK / { breaks[name]++ }
    END {
        for (name in seen) {
            probe = size = name
            sub(/__.*/, "", probe)
            sub(/.*__/, "", size)
            print probe "," size "," branches[name] + 0 "," exits[name] + 0 "," joins[name] + 0 "," breaks[name] + 0
        }
    }' "$work/sass" | LC_ALL=C sort -t, -k1,1 -k2,2n
