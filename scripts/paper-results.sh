#!/bin/sh
# Keeps what a study of a paper measured: paper-results.sh NAME SIZE PTX COMMIT TABLE.csv
#
# TABLE.csv is what `heddle paper NAME --size SIZE --ptx PTX --csv` printed, of all claims or of some (--claim), and
# COMMIT the version of heddle that printed it. Its rows go into papers/results/NAME.csv, from which
# scripts/paper-page.sh makes the page of the paper. Rows of the same size, PTX and claim are replaced; rows of claims
# that papers/NAME.csv no longer has are dropped. With PTX `both`, TABLE.csv is what `--sweep ptx --csv` printed. The
# date is today's, or that of the environment variable DATE.
set -eu
usage='usage: paper-results.sh NAME SIZE PTX COMMIT TABLE.csv'
name=${1:?$usage} size=${2:?$usage} ptx=${3:?$usage} commit=${4:?$usage} table=${5:?$usage}
refuse() { echo "paper-results.sh: $1" >&2; exit 2; }
case $size in test | small | paper) ;; *) refuse "the size is test, small or paper, not $size" ;; esac
case $ptx in nvcc | plain | both) ;; *) refuse "the PTX is nvcc, plain or both, not $ptx" ;; esac
folder=$(dirname "$0")
kept=papers/results/$name.csv
mkdir -p papers/results
[ -e "$kept" ] || : >"$kept"
awk -v size="$size" -v ptx="$ptx" -v commit="$commit" -v date="${DATE:-$(date -u +%Y-%m-%d)}" \
    -v claims="papers/$name.csv" -v kept="$kept" -f "$folder/csv.awk" -f "$folder/paper-results.awk" \
    "papers/$name.csv" "$kept" "$table" >"$kept.new" || { rm -f "$kept.new"; exit 1; }
mv "$kept.new" "$kept"
