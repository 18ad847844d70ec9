#!/bin/sh
# Prints docs/papers/NAME.md, the page of a paper's claims: paper-page.sh NAME
#
# The page is the text papers/NAME.md, whose links are those of the page in docs/papers, with these lines replaced:
#
#   <!-- claims -->        The table of all claims of papers/NAME.csv, with what papers/results/NAME.csv has of them:
#                          measured value and verdict with the PTX that papers/NAME.ini lets decide, at the largest
#                          size that was run, then the other sizes and the other PTX. The reason (why) stands where
#                          the claim does not hold in one of these.
#   <!-- counts -->        The table of verdicts: how many claims hold, by size and PTX, with date and version.
#   <!-- programs ID -->   The values of a claim program by program, one column per size and PTX.
#
# scripts/paper-results.sh fills papers/results/NAME.csv. `make docs` puts the page in its place, and tests/docs.sh
# compares the two.
set -eu
name=${1:?usage: paper-page.sh NAME}
folder=$(dirname "$0")
results=papers/results/$name.csv
# A paper that names no PTX is judged with nvcc's, as heddle runs it.
ptx=$(sed -n 's/^ptx *= *\([a-z]*\).*/\1/p' "papers/$name.ini")
echo "<!-- Written by scripts/paper-page.sh from papers/$name.md, papers/$name.csv and $results; change those. -->"
[ -e "$results" ] || results=/dev/null
awk -v ptx="${ptx:-nvcc}" -v claims="papers/$name.csv" -v results="$results" \
    -f "$folder/csv.awk" -f "$folder/paper-page.awk" "papers/$name.csv" "$results" "papers/$name.md"
