#!/bin/sh
# Builds heddle with a profile of its own runs: pgo.sh FOLDER JOBS
# Runs whose small warps issue in gangs (vws) are 15 to 25 % faster so; docs/speed.md has figures.
#
# gcc first builds an instrumented heddle in the folder. It runs workloads of different kinds at size test, on several
# machines under several mechanisms; then everything is compiled again with what the runs counted, and the
# rooms that simulate are compiled as one at the link. `make pgo` calls it.
set -eu
usage='usage: pgo.sh FOLDER JOBS'
folder=${1:?$usage} jobs=${2:?$usage}
${CC:-cc} --version | grep -q 'Free Software Foundation' || { echo "pgo.sh: profiles need gcc as CC" >&2; exit 2; }
runs='
    bfs2    --gpu fermi
    bfs2    --gpu fermi --mech tbc-lcp
    lps     --gpu fermi --mech dpe
    mum     --gpu fx5800
    comd    --gpu vws --mech vws --set sm.scheduler=bgto
    comd    --gpu vws --mech ws --set ws.width=4
    objclassifier --gpu vws --mech vws --set sm.scheduler=bgto --set vws.split=impatient
    lighting --gpu vws --mech dws
    fcdt    --gpu fx5800 --ptx plain --mech vws
    sha256  --gpu vws --mech vws
    nbody   --gpu h200 --mech volta
    xsbench --gpu volta --mech volta --recon auto
    matmul  --gpu vws --mech multipath
    stream  --gpu fermi
    hotsp   '
build() # CFLAGS TARGET-OR-VARIABLE...
{
    flags=$1
    shift
    make -s -j "$jobs" BUILD="$folder" CFLAGS="-O3 -g $flags" "$@"
}

mkdir -p "$folder"
find "$folder" -name "*.gcda" -delete # of an older build
echo "Building an instrumented heddle in $folder ..."
# Workloads are separate words on purpose.
# shellcheck disable=SC2046
build '-fprofile-generate -fprofile-update=prefer-atomic -DHEDDLE_COUNTS' "$folder/heddle" \
    $(echo "$runs" | awk -v folder="$folder" 'NF && !seen[$1]++ { print folder "/workloads/" $1 }')
echo "$runs" | while read -r words; do
    [ -n "$words" ] || continue
    echo "heddle run $words --size test"
    # The words are separate on purpose.
    # shellcheck disable=SC2086
    "$folder/heddle" run $words --size test --quiet >/dev/null </dev/null
done
echo "Building heddle with the profile ..."
find "$folder" \( -type f -o -type l \) ! -name '*.gcda' -delete
# Functions that no run came to have no profile, and neither have those that call a function of two versions (SIMD_CLONES), of
# which the build that counts has one; gcc's guesses about uninitialised variables are wrong in code it moved.
# Objects hold ordinary code as well, so that any compiler can link programs with libheddle.a.
lto='-flto=auto -ffat-lto-objects'
build '-fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch -Wno-maybe-uninitialized' \
    LTO="$lto" LDFLAGS="${LDFLAGS:-} $lto" all
