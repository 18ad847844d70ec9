#!/bin/sh
# Packs compiled programs for hosts without nvcc into bin.tar.zst: pack.sh BINARIES, which build.sh wrote.
#
# In the pack are the programs whose variant is named here. Left out are those with heddle's static runtime (they would
# hold an old runtime), those with debug information (it tells where they were compiled), and large or slow ones.
set -eu
binaries=${1:?usage: pack.sh BINARIES}
here=$(cd "$(dirname "$0")" && pwd)
cd "$binaries"
names=$(grep -v '^#' "$here/programs.txt" | grep -v -e -cudart -e -lineinfo -e ' -G' | awk '{ print $1 "@" $2 }' |
    grep -v -e '^static_library@rdc' -e '^thrust_[^@]*@sm' -e '^cub_[^@]*@sm' | LC_ALL=C sort -u)
files=$(for name in $names; do
    ls "$name" "$name.so" 2>/dev/null || true
done)
# shellcheck disable=SC2086
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=755 -cf - $files |
    zstd -q --ultra -22 --long=27 -f -o "$here/bin.tar.zst"
ls -l "$here/bin.tar.zst"
