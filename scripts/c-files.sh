#!/bin/sh
# The C files whose format `make fmt` sets and tests/format.sh holds, one per line, from the root of the sources.
# Left out: sources that were recorded on a GPU as they stand (tests/corpus, tests/kept, tests/validate/vote).
set -eu
cd "$(dirname "$0")/.."
files() {
    git ls-files -co --exclude-standard -- '*.c' '*.h' 2>/dev/null || find src include tests bench workloads -name '*.[ch]'
}
files |
    grep -v -e '^tests/corpus/' -e '^tests/kept/' -e '^tests/validate/vote/' | LC_ALL=C sort -u |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done
