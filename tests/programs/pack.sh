#!/bin/sh
# Packs compiled programs for hosts without nvcc into bin.tar.zst: pack.sh BINARIES, which build.sh wrote.
#
# Left out are programs with heddle's static runtime (they would hold an old runtime), without a recording, with debug
# information (it tells where they were compiled), and the larger variants of Thrust and CUB.
set -eu
binaries=${1:?usage: pack.sh BINARIES}
here=$(cd "$(dirname "$0")" && pwd)
cd "$binaries"
names=$(grep -v '^#' "$here/programs.txt" | grep -v -e -cudart -e -lineinfo -e ' -G' | awk '{ print $1 "@" $2 }' |
    grep -v -e '^static_library@rdc' -e '^thrust_[^@]*@sm' -e '^cub_[^@]*@sm' | LC_ALL=C sort -u)
recorded() { # NAME
    for file in "$here/expected/$1.out" "$here/expected/$1"-*.out; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}
files=$(for name in $names; do
    recorded "${name%@*}" || { echo "not recorded: $name" >&2; continue; }
    ls "$name" "$name.so" 2>/dev/null || true
done)
# They must run with the C and C++ libraries of Debian 12.
newest() { # PROGRAM LIBRARY: the newest version of its symbols that the program needs
    objdump -T "$1" | grep -o "$2_[0-9.]*" | sort -uV | tail -n 1
}
for file in $files; do
    for limit in GLIBC_2.36 GLIBCXX_3.4.30; do
        needed=$(newest "$file" "${limit%_*}")
        [ "$(printf '%s\n' "$limit" "$needed" | sort -V | tail -n 1)" = "$limit" ] ||
            { echo "$file needs $needed, newer than $limit of Debian 12: compile it there" >&2; exit 1; }
    done
done
# shellcheck disable=SC2086
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=755 -cf - $files |
    zstd -q --ultra -22 --long=27 -f -o "$here/bin.tar.zst"
ls -l "$here/bin.tar.zst"
