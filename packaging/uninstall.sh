#!/bin/sh
# Removes exactly what install.sh has recorded: the files, then those folders that it made and that are empty now.
# Environment: PREFIX and DESTDIR, as they were given to install.sh.
set -eu
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
record=$root$prefix/share/heddle/installed.txt
[ -f "$record" ] || { echo "there is no $record: heddle was not installed in $root$prefix" >&2; exit 1; }
list=$(mktemp)
trap 'rm -f "$list"' EXIT
cp "$record" "$list"
sed -n 's/^file //p' "$list" | while read -r path; do
    rm -f "$root$path"
done
sed -n 's/^folder //p' "$list" | tac | while read -r path; do
    rmdir "$root$path" 2>/dev/null || true
done
echo "heddle is removed from $root$prefix"
