#!/bin/sh
# The pictures of docs/report.md: report-pictures.sh HEDDLE FOLDER. Needs chromium, node and the packages of
# web/package.json ((cd web && npm ci) installs them).
set -eu
[ $# -eq 2 ] && [ -x "$1" ] && [ -d "$2" ] || { echo "usage: report-pictures.sh HEDDLE FOLDER" >&2; exit 2; }
heddle=$(realpath "$1") to=$(realpath "$2")
cd "$(dirname "$0")/.."
unset HEDDLE_OPTS HEDDLE_STORE HEDDLE_SOURCE
BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
export BROWSER
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# each in the folder of the pages, so that the command on the page is one that a reader can repeat
make_page() # NAME.html COMMAND...
{
    page=$1
    shift
    "$heddle" "$@" --report "$page" >/dev/null 2>&1 || { echo "heddle $* failed" >&2; exit 1; }
    mv "$page" "$pages"
}
make_page compare.html compare bfs2 lps --size test --mech pdom,tbc,dwf-wb
make_page run.html run examples/trips.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --gpu fermi --mech tbc --quiet
make_page paper.html paper tbc --size test --claim T01,T02,T03
node tests/web/pictures.mjs "$pages" "$to"
