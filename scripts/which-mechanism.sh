#!/bin/sh
# Prints docs/which-mechanism.md: which-mechanism.sh [TABLE [TEXT]]
#
# The page is the text studies/which-mechanism.md, whose links are those of the page in docs, with these lines replaced
# by what the table (studies/which-mechanism.csv, made by scripts/which-table.sh) says of a machine:
#
#   <!-- summary MACHINE -->             One row per mechanism: mean speedup, share of the bound, wins and losses.
#   <!-- programs MACHINE -->            One row per program: the best mechanism, and the speedup of each.
#   <!-- above MACHINE -->               What is faster than the bound.
#   <!-- choices MACHINE [WITHOUT] -->   How well properties of a program predict its best mechanism, with every program
#                                        left out in turn; mechanism WITHOUT cannot be chosen.
#   <!-- correlations MACHINE -->        How closely each property goes with what the best mechanism gains.
#   <!-- unfit MACHINE -->               Programs and mechanisms that the choices leave out.
#
# `make docs` puts the page in its place, and tests/docs.sh compares the two.
set -eu
folder=$(dirname "$0")
table=${1:-studies/which-mechanism.csv}
text=${2:-studies/which-mechanism.md}
echo "<!-- Written by scripts/which-mechanism.sh from $text and $table; change those. -->"
awk -v text="$text" -f "$folder/csv.awk" -f "$folder/which-tree.awk" -f "$folder/which-mechanism.awk" "$table"
