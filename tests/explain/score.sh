#!/bin/sh
# Holds what heddle explain says of CUDA programs against what their author expects: score.sh HEDDLE FOLDER
#
# The head of each program of the folder names the kind of divergence that costs most, or none. A program whose kernels
# have nothing to gain is right if its author expects none. Prints a line per program and the sums. Needs nvcc.
set -eu
heddle=$(realpath "${1:?usage: score.sh HEDDLE FOLDER}") folder=$(realpath "${2:?usage: score.sh HEDDLE FOLDER}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for source in "$folder"/*.cu; do
    name=$(basename "$source" .cu)
    expected=$(sed -n '1s|// kind: ||p' "$source")
    if ! "$heddle" cc -O2 "$source" -o "$name" >log 2>&1 || ! "$heddle" explain -- ./"$name" >said 2>log; then
        echo "$name failed: $(head -1 log)"
        continue
    fi
    awk -v name="$name" -v expected="$expected" '
        /^1\. / { where = $2 }
        $1 == "kind" && kind == "" { kind = substr($0, 15); sub(/\..*/, "", kind) }
        { words = words " " $0 }
        END {
            gsub(/ +/, " ", words)
            while (match(words, /GAIN: [0-9.]*[0-9]/)) {
                gain = substr(words, RSTART + 6, RLENGTH - 6)
                best = gain + 0 > best + 0 ? gain : best
                words = substr(words, RSTART + RLENGTH)
            }
            is_none = words ~ /nothing to gain: / && best == ""
            found = is_none && (kind == "" || expected == "none") ? "none" : kind
            printf "%-5s %-16s expected %-20s found %-20s %-24s %s\n", found == expected ? "right" : "wrong", name, expected,
                   found, where, best != "" ? "GAIN " best : is_none ? "nothing to gain" : ""
        }' said
done | awk '
    { print }
    $1 == "right" { right++ }
    / GAIN / { promised++ }
    / nothing to gain$/ { none++ }
    END { printf "%d of %d right, a gain promised for %d, nothing to gain said of %d\n", right, NR, promised, none }'
