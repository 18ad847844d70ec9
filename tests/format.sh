#!/bin/sh
# Every C file of scripts/c-files.sh stands as clang-format 14 (Debian 12's) writes it; `make fmt` makes it so.
# Another major version formats a little differently, so without version 14 nothing is tested, and that is said.
set -eu
cd "$(dirname "$0")/.."
for tool in clang-format-14 clang-format none; do
    ! command -v $tool >/dev/null || break
done
[ $tool != none ] || { echo "clang-format is not installed: the format is not tested"; exit 0; }
version=$($tool --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
[ "$version" = 14 ] || { echo "clang-format is version $version, not 14: the format is not tested"; exit 0; }
if ! scripts/c-files.sh | xargs -P "${HEDDLE_TEST_JOBS:-1}" -n 40 $tool --dry-run -Werror; then
    echo "some files are not formatted; run: make fmt"
    exit 1
fi
echo "$(scripts/c-files.sh | wc -l) files are formatted"
