#!/bin/sh
# Says where the host's time goes: the share of each room (folder of src) in samples of perf, for the kernels of `make bench`
# and for three programs on fermi. Usage: profile.sh BUILD
set -eu
build=${1:?usage: profile.sh BUILD}
command -v perf >/dev/null || { echo "profile: needs perf" >&2; exit 1; }
data=$(mktemp)
trap 'rm -f "$data"' EXIT

# Samples are named by source file; files of one name in several rooms do not occur among the hot ones.
shares() {
    perf report -i "$data" --sort srcfile --stdio 2>/dev/null | sed -n 's/^ *\([0-9.]*\)% *\([a-z_]*\.[ch]\).*/\1 \2/p' |
        while read -r share file; do
            found=$(find src -name "$file" | head -1 | cut -d/ -f2)
            echo "$share ${found:-other}"
        done | awk '{ s[$2] += $1 } END { for (r in s) printf "%.1f %s\n", s[r], r }' | sort -rn | head -7 |
        awk '{ printf "%s%s %.0f %%", (NR > 1 ? ", " : ""), $2, $1 } END { print "" }'
}

for kernel in alu gather divergent 'alu on fermi' 'divergent on fermi' 'gather on fermi' 'stream on fermi' 'latency on fermi'; do
    perf record -q -o "$data" -F 2000 "$build/bench/bench" bench "$kernel" >/dev/null 2>&1
    printf '%-20s %s\n' "$kernel" "$(shares)"
done
for program in bfs2 mum lud; do
    perf record -q -o "$data" -F 500 "$build/heddle" run "$program" --size small --gpu fermi --threads 1 >/dev/null 2>&1
    printf '%-20s %s\n' "$program" "$(shares)"
done
