#!/bin/sh
# Makes a folder that tests/validate/launch reads as it reads tests/corpus, with the large launches of corpus kernels.
#
# usage: tests/validate/large/stage.sh FOLDER     (from the root of the sources)
#
# Only one variant of the PTX is put there: every case is held in memory once per variant.
set -eu
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p "$1/ptx"
for file in tests/validate/large/*.case; do
    cp "$file" "$1"
    name=$(basename "$file" .case)
    cp "tests/corpus/ptx/$name.nvcc-90.ptx" "$1/ptx"
done
