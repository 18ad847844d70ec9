#!/bin/sh
# Figures of papers on the command line: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"
wide=no

check list 0 '^12    Performance of TBC and DWF$' - paper tbc --list-figures
check list-none 0 '^metrics has no figures.$' - paper ../study/metrics.ini --list-figures
check list-json 2 - 'list-figures prints text' paper tbc --list-figures --json
check unknown 2 - "study has no figure '3'; there is 1, 2a, 2b" paper study.ini --figure 3
check unknown-of-two 2 - "study has no figure '9'" paper study.ini --figure 1,9
check with-claims 2 - 'it takes neither --claim nor --sweep' paper study.ini --figure 1 --claim F1
check svg-of-nothing 2 - '\-\-svg draws a figure: it needs --figure N' paper study.ini --svg "$scratch/x.svg"
check latex-of-nothing 2 - '\-\-latex draws a figure: it needs --figure N' paper study.ini --latex
check two-forms 2 - 'exclude each other' paper study.ini --figure 1 --csv --latex
check no-folder 1 - '^heddle: cannot write .*No such file' paper study.ini --size test --figure 1 --svg /no/such/folder/x.svg
check full-disk 1 - 'No space left' paper study.ini --size test --figure 2b --svg /dev/full
sed 's/^series TBC = tbc.pdom/series TBC = nobody/' study.ini >"$scratch/study.ini"
cp study.csv "$scratch/study.csv"
check mistake 2 - 'study.ini:19: figure 1: there is no run nobody' paper "$scratch/study.ini" --size test

# tables on the terminal; a number without its letter is all parts of a figure
check text 0 '^ALL mean +[0-9.]+$' - paper study.ini --size test --figure 1
expect text-published grep -Eq '^  published +1.220$' "$scratch/out"
check text-stacked 0 '^AES, TBC +[0-9.]+% +[0-9.]+% +[0-9.]+%$' - paper study.ini --size test --figure 2
expect text-both-parts grep -q '^Fig. 2b: Stalls$' "$scratch/out"

# the picture is well-formed, and has a bar per value and the published value; CSV may stand beside it
check svg 0 '^1,LPS,TBC,,,[0-9.]+,$' - paper study.ini --size test --figure 1 --svg "$scratch/1.svg" --csv
cp "$scratch/out" "$scratch/1.csv"
expect svg-bars [ "$(grep -c '<rect class="bar"' "$scratch/1.svg")" -eq 4 ]
expect svg-published grep -q '<title>published: ALL mean, TBC: 1.220</title>' "$scratch/1.svg"
expect svg-escaped grep -q 'Bars &#38; means' "$scratch/1.svg"
if command -v xmllint >/dev/null; then
    expect svg-well-formed xmllint --noout "$scratch/1.svg"
else
    echo "skipped: xmllint is not installed; unit tests check that pictures are well-formed"
fi

# the numbers of a figure are those of the claims: the mean in percent, and those of each program
wide=yes check json 0 '"group":"ALL mean","series":"TBC","part":null,"mean":true' - paper study.ini --size test --figure 1 --json
wide=yes check claims 0 '"id":"F1"' - paper study.ini --size test --claim F1 --json
mean=$(sed 's/.*"numbers":\[\([-0-9.e]*\).*/\1/' "$scratch/out")
drawn=$(awk -F, '$2 == "ALL mean" { print 100 * ($6 - 1) }' "$scratch/1.csv")
expect mean-is-the-claim-s awk -v a="$mean" -v b="$drawn" 'BEGIN { exit !(a != "" && (a - b) ^ 2 < 1e-6) }'
lps=$(awk -F, '$2 == "LPS" { printf "%.1f", 100 * ($6 - 1) }' "$scratch/1.csv")
expect program-is-the-claim-s grep -Eq "LPS [+]?${lps}%" "$scratch/out"

# LaTeX that compiles by itself
wide=yes check latex 0 'documentclass' - paper study.ini --size test --figure all --latex
expect latex-parts [ "$(grep -c 'begin{tikzpicture}' "$scratch/out")" -eq 3 ]
if command -v pdflatex >/dev/null && kpsewhich standalone.cls pgfplots.sty >/dev/null; then
    cp "$scratch/out" "$scratch/figures.tex"
    (cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error figures.tex >figures.log 2>&1)
    expect latex-compiles [ -s "$scratch/figures.pdf" ]
else
    echo "skipped: no pdflatex with standalone and pgfplots; LaTeX was not compiled"
fi

echo "cli figure: $count checks, $failed failed"
[ $failed -eq 0 ]
