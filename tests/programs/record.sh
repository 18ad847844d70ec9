#!/bin/sh
# Records on a machine with a GPU what the programs print and how they end: record.sh BINARIES EXPECTED.
#
# BINARIES is what build.sh wrote. EXPECTED/NAME.out becomes what NAME prints there (NAME-ARGUMENT.out for a run with an
# argument). Each run has 60 seconds. Every variant that the GPU takes is run twice; all runs of a program must print the
# same. Left out are variants for newer GPUs (compute_100 and above) and those with heddle's static runtime, which must
# print what the recorded ones do. CUDA_LIBRARIES is a folder with libcudart.so.13, if the loader does not find it.
set -eu
[ $# = 2 ] || { echo "usage: record.sh BINARIES EXPECTED" >&2; exit 1; }
mkdir -p "$2"
binaries=$(cd "$1" && pwd) expected=$(cd "$2" && pwd)
cd "$(dirname "$0")"
[ -z "${CUDA_LIBRARIES:-}" ] || export LD_LIBRARY_PATH="$CUDA_LIBRARIES${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
grep -v '^#' programs.txt >"$scratch/rows"

runs=0 differ='' ended='' missing='' recorded=' '
while IFS='|' read -r head flags; do
    # shellcheck disable=SC2086
    set -- $head
    [ $# -ge 4 ] || { echo "programs.txt: not four words: $head" >&2; exit 1; }
    name=$1 variant=$2 status=$3 argument=$4
    case $flags in
    *-cudart*) continue ;;
    *_75* | *_80* | *_86* | *_89* | *_90*) ;;
    *) continue ;;
    esac
    program=$binaries/$name@$variant
    [ -x "$program" ] || { missing="$missing $name@$variant"; continue; }
    if [ "$argument" = - ]; then
        argument='' file=$name.out
    else
        file=$name-$argument.out
    fi
    for time in 1 2; do
        # shellcheck disable=SC2086
        timeout 60 "$program" $argument >"$scratch/out" 2>"$scratch/errors" </dev/null && got=0 || got=$?
        runs=$((runs + 1))
        if [ "$got" != "$status" ]; then
            ended="$ended $name@$variant:$argument($got)"
            sed 's/^/  /' "$scratch/out" "$scratch/errors" | tail -n 8
        fi
        case $recorded in
        *" $file "*)
            cmp -s "$scratch/out" "$expected/$file" || {
                differ="$differ $name@$variant:$argument(run $time)"
                diff "$expected/$file" "$scratch/out" | head -n 8 || true
            }
            ;;
        *)
            cp "$scratch/out" "$expected/$file"
            recorded="$recorded$file "
            ;;
        esac
    done
done <"$scratch/rows"
echo "$runs runs"
[ -z "$missing" ] || echo "not built:$missing"
[ -z "$differ" ] || echo "print something else than the first run:$differ"
[ -z "$ended" ] || echo "end with another status than programs.txt says:$ended"
[ -z "$missing$differ$ended" ]
