#!/bin/sh
# The pages of heddle report, in a real browser: run.sh HEDDLE. Pages and screenshots stay in the folder web/ of the build.
# Skipped, with a word about it, where Debian's chromium, node or the packages of web/package.json are missing.
heddle=$1
[ -x "$heddle" ] || { echo "usage: run.sh HEDDLE"; exit 2; }
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
cd "$(dirname "$0")/../.." || exit 2
unset HEDDLE_OPTS HEDDLE_STORE HEDDLE_SOURCE
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 0; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "skipped: chromium is not installed"; exit 0; }
[ -d web/node_modules/playwright-core ] ||
    { echo "skipped: the packages of web/package.json are not installed; (cd web && npm ci) installs them"; exit 0; }
out=$(dirname "$heddle")/web
rm -rf "$out" && mkdir -p "$out" || exit 2
failed=0
fail() { echo "FAILED $*"; failed=1; }

node web/build.mjs --check || fail "the committed bundle"
[ "$(grep -c '"resolved"' web/package-lock.json)" = 0 ] || fail "web/package-lock.json names where packages came from"
for file in web/src/*.js tests/web/*.mjs; do
    [ "$(wc -l <"$file")" -le 400 ] || fail "$file has more than 400 lines"
done

# pages that the tests look at
"$heddle" compare bfs2 lps --size test --mech pdom,tbc,dwf-wb --report "$out/compare.html" >"$out/log" 2>&1 ||
    { fail "compare --report"; cat "$out/log"; }
"$heddle" sweep --programs bfs2,lps --size test --mech pdom,tbc --set sm.scheduler=lrr,gto --store "$out/store.db" \
    >"$out/log" 2>&1 || { fail "sweep"; cat "$out/log"; }
"$heddle" report "$out/store.db" --out "$out/store.html" --title 'Two schedulers' >"$out/log" 2>&1 ||
    { fail "report"; cat "$out/log"; }
"$heddle" run examples/trips.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --gpu fermi --mech tbc --quiet \
    --report "$out/run.html" >"$out/log" 2>&1 || { fail "run --report"; cat "$out/log"; }
"$heddle" exec --quiet --gpu fermi --report "$out/exec.html" "$(dirname "$heddle")/workloads/lps" --size test >"$out/log" 2>&1 ||
    { fail "exec --report"; cat "$out/log"; }
"$heddle" paper tbc --size test --claim T01,T02,T03 --report "$out/paper.html" >"$out/log" 2>&1 ||
    { fail "paper --report"; cat "$out/log"; }
"$heddle" compare mum nw --size test --gpu fx5800,fermi --mech pdom,pdom-lcp --report "$out/published.html" >"$out/log" 2>&1 ||
    { fail "compare --report of two machines"; cat "$out/log"; }
"$heddle" sweep --programs bfs2,lps --size test --mech pdom,tbc --set sm.scheduler=lrr,gto --store "$out/store.db" \
    --report "$out/sweep.html" >"$out/log" 2>&1 || { fail "sweep --report"; cat "$out/log"; }
"$heddle" run examples/trips.ptx --grid 4 --block 128 --arg 'buf:u32[512]' --report "$out/none.html" >"$out/log" 2>&1 &&
    fail "run --report without a machine"
grep -q 'needs --gpu' "$out/log" || { fail "what run --report without a machine says"; cat "$out/log"; }
# more than a million issues of one multiprocessor, which must not take minutes to trace
timeout 120 "$heddle" run examples/trips.ptx --grid 112 --block 256 --arg 'buf:u32[28672]' --gpu fermi --set gpu.sm_count=1 \
    --mech tbc --trace-window 0:10000000 --quiet --report "$out/million.html" >"$out/log" 2>&1 ||
    { fail "a trace of a million issues"; cat "$out/log"; }

for test in tests/web/test_*.mjs; do
    BROWSER=$browser node "$test" "$out" || failed=1
done
# the pictures of docs/report.md can be made anew, and are pictures
mkdir "$out/pictures" && BROWSER=$browser node tests/web/pictures.mjs "$out" "$out/pictures" || fail "pictures of docs/report.md"
for picture in docs/report-*.svg docs/report-*.png; do
    [ -s "$out/pictures/${picture#docs/}" ] || fail "tests/web/pictures.mjs does not make $picture"
done
exit $failed
