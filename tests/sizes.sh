#!/bin/sh
# Holds the limits of size in src/ and include/: 600 lines per file, 80 per function and per macro, 120 columns per
# line, 40 fields per structure: sizes.sh BUILD. tests/sizes/sizes.c counts functions and structures, and says which
# structures are excepted. BUILD has the files that the build generates; the compiler is $CC.
set -eu
build=${1:?usage: sizes.sh BUILD}
cd "$(dirname "$0")/.."
CC=${CC:-cc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
$CC -std=gnu17 -O1 -Wall -Wextra -Werror -o "$scratch/sizes" tests/sizes/sizes.c

# What is too large must be found, however it is written.
fields=$(seq -f ' f%.0f' -s, 2 20)
lines=$(yes '    x++;' | head -n 78)
large() { # NAME EXPECTED: what sizes.c says of the text on stdin; nothing, if nothing is too large
    { echo '# 1 "src/sample.h"'; cat; } | "$scratch/sizes" >"$scratch/said" && status=0 || status=1
    if [ -n "$2" ]; then expected=1; else expected=0; fi
    [ "$(cat "$scratch/said")" = "$2" ] && [ $status = $expected ] && return
    echo "tests/sizes/sizes.c says of a sample with $1: '$(cat "$scratch/said")'"
    exit 1
}
is_41="src/sample.h:1: struct s has 41 fields; at most 40"
echo "struct s { int f1,$fields; union { struct { int (*g1)(int, int), $fields; }; int h[3][5]; }; };" |
    large "anonymous members" "$is_41"
echo "struct s { int f1,$fields; struct { int x, y; } g1, $fields; struct t { int a; } *u; };" |
    large "named members" "$is_41"
echo "struct s { int f1,$fields; struct t g1, *h, $fields; } __attribute__((aligned(8)));" | large "attributes" "$is_41"
echo "struct s { int f1,$fields; struct t g1, $fields; }; static struct s s = {1, {2}};" | large "40 fields" ""
echo "struct s_knobs { int f1,$fields; int g1, *h, $fields; };" | large "knobs" ""
printf 'static int __attribute__((cold)) f(int (*x)(int))\n{\n%s\n}\n' "$lines" | large "81 lines" \
    "src/sample.h:1: f() has 81 lines; at most 80"
printf 'int f(int x) {\n%s\n}\n' "$lines" | large "80 lines" ""
printf 'int x[] = {\n%s\n};\n' "$lines$lines" | large "a table" ""

failed=0
# Plug-ins include headers that a host may not have; their lines alone are counted.
find src -name '*.c' -not -path 'src/farm/plug/*' | LC_ALL=C sort | xargs $CC -E -std=gnu17 -Isrc -Iinclude -I"$build/generated" \
    -DHEDDLE_VERSION='""' >"$scratch/expanded"
"$scratch/sizes" <"$scratch/expanded" || failed=1
find src include -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | xargs awk '
    FNR == 1 { split(FILENAME, part, "/"); is_vendor = FILENAME == "include/cuda.h"; macro = 0 }
    { lines[FILENAME] = FNR; macro = /\\$/ ? macro + 1 : 0 }
    macro == 80 { print FILENAME ":" FNR ": a macro of over 80 lines"; bad = 1 }
    length > 120 && !is_vendor && FILENAME !~ /\.def$/ { print FILENAME ":" FNR ": " length " columns; at most 120"; bad = 1 }
    END {
        for (f in lines)
            if (lines[f] > 600 && f ~ /^src\/.*\.[ch]$/) { print f ": " lines[f] " lines; at most 600"; bad = 1 }
        exit bad
    }' || failed=1
[ $failed = 0 ] && echo "no file, function, structure or line is too large"
exit $failed
