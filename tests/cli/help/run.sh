#!/bin/sh
# The glossary, manual pages and completion: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"

# the glossary
check words 0 '^strand +A set of threads' - help words
check words-ours 0 "A word of heddle's own" - help cohort
check words-elsewhere 0 'AMD says wavefront' - help warp
check words-of-two-parts 0 '^active mask +The set of threads' - help active mask
check words-any-case 0 '^IPDOM ' - help ipdom
check words-unknown 2 - 'did you mean strand\?' help stand
wide=yes
check words-markdown 0 '^\| \*strand\* \| ' - list words --markdown
expect "docs/glossary.md is what the table prints" cmp -s "$scratch/out" ../../../docs/glossary.md
wide=no
check words-names 0 '^warp split$' - list words --names
cp "$scratch/out" "$scratch/words"
LC_ALL=C sort -f "$scratch/words" >"$scratch/sorted"
expect "words stand in the order of the alphabet" cmp -s "$scratch/words" "$scratch/sorted"

# manual pages: of heddle and of every command, without a warning of the formatter
formatted() # FILE: prints what is wrong with it
{
    command -v groff >/dev/null || return 0
    groff -man -Tascii -ww -z "$1" 2>&1
}
command -v groff >/dev/null || echo "groff is not installed: manual pages are not formatted"
wide=yes
for page in heddle $("$heddle" list commands --names); do
    check "manual page of $page" 0 '^\.SH EXIT STATUS$' - help --man "$page"
    cp "$scratch/out" "$scratch/page.1"
    expect "manual page of $page has its name" grep -q '^heddle.* \\- ' "$scratch/page.1"
    expect "manual page of $page is clean" [ -z "$(formatted "$scratch/page.1")" ]
done
check man-of-heddle 0 '^\.TH HEDDLE 1 ' - help --man
check man-options 0 '^\\fB\\-\\-trace\\-perfetto\\fR' - help --man run
wide=no
check man-unknown 2 - "takes heddle or a command, not 'nobody'" help --man nobody

# completion: the functions of the script, called as the shell calls them
wide=yes
check completion-bash 0 '^complete ' - help --completion bash
cp "$scratch/out" "$scratch/heddle.bash"
check completion-zsh 0 '^#compdef heddle$' - help --completion zsh
cp "$scratch/out" "$scratch/heddle.zsh"
wide=no
check completion-unknown 2 - "takes bash or zsh, not 'fish'" help --completion fish
check completion-nothing 2 - '\-\-completion needs a value' help --completion
completes() # WANTED WORDS...: what bash offers for the last word
{
    wanted=$1
    shift
    # shellcheck disable=SC2016 -- for bash
    got=$(bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heddle; echo "${COMPREPLY[*]}"' "$scratch/heddle.bash" \
        "$heddle" "$@")
    expect "completion of '$*' is '$wanted', not '$got'" [ "$got" = "$wanted" ]
}
if command -v bash >/dev/null; then
    expect "the script for bash is one" bash -n "$scratch/heddle.bash"
    completes compare com
    completes "backp bfs bfs2 binomial blackscholes" run b
    completes "--grid" run x.ptx --gr
    completes "--trace-window" run --trace-w
    completes "tstbc tstbc-auto" run x.ptx --mech ts
    completes "pdom,tstbc pdom,tstbc-auto" compare bfs2 --mech pdom,ts
    completes "fermi" run --gpu = fe
    completes "fermi" run --gpu fe
    completes "--grid" compare bfs2 --gr
    completes "sm.warp_width=" run --set sm.warp_w
    completes "gto" run --set sm.scheduler = gt
    completes "small" paper tbc --size sm
    completes "tbc" paper tb
    completes "knobs kernels" list k
    completes "flow" help fl
    completes "" run --json ""
    completes "--json" compare --js
    completes "aes" compare --json ae
    completes "branches" run x.ptx --stats br
    completes "cycles,branches" run x.ptx --stats cycles,br
    completes "zsh" help --completion z
else
    echo "bash is not installed: completion is not tried"
fi
! command -v zsh >/dev/null || expect "the script for zsh is one" zsh -n "$scratch/heddle.zsh"

# On a terminal of 80 columns help has the same words in narrower lines; command lines of examples stay whole.
for command in $("$heddle" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$heddle" $command --help </dev/null >"$scratch/wide"
    COLUMNS=80 "$heddle" $command --help </dev/null >"$scratch/narrow"
    tr -s ' \n' '\n\n' <"$scratch/wide" >"$scratch/wide-words"
    tr -s ' \n' '\n\n' <"$scratch/narrow" >"$scratch/narrow-words"
    expect "help of $command has the same words on a narrow terminal" cmp -s "$scratch/wide-words" "$scratch/narrow-words"
    expect "help of $command fits 80 columns" \
        [ "$(sed '/^Examples:/,/^$/d' "$scratch/narrow" | awk 'length > 80' | wc -l)" -eq 0 ]
done

echo "$count checks of help, $failed failed"
[ $failed -eq 0 ]
