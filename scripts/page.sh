#!/bin/sh
# Prints a page with those parts made anew that come from heddle: page.sh HEDDLE PAGE.md
#
# `make docs` puts the result in the page's place, and tests/docs.sh compares the two. Parts that are made anew:
#
#   $ build/heddle ...         The first line of a fenced block: what the command prints becomes the rest of the block,
#                              without lines about the time that it took on the host.
#   <!-- knobs NAME ... -->    A table of the knobs of these mechanisms, up to the next <!-- end -->.
#   <!-- gains NAME ... -->    The rows of these mechanisms, up to the next <!-- end -->. They are taken from the tables of
#                              this page that begin with "| MACHINE | hammock |", which scripts/mechanisms.sh prints.
set -eu
heddle=${1:?usage: page.sh HEDDLE PAGE.md}
page=${2:?usage: page.sh HEDDLE PAGE.md}
unset COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$heddle" list knobs --json >"$work/knobs"

# knobs NAME...: prints the table; equal knobs of several mechanisms share a row
knobs() {
    echo "| knob | default | meaning | values |"
    echo "|---|---|---|---|"
    for name in "$@"; do
        sed -n "s/^{\"name\":\"$name\.\([^\"]*\)\",/$name \1 /p" "$work/knobs"
    done | sed 's/"//g' | awk '
        {
            name = $1; knob = $2; rest = $0
            sub(/^[^ ]* [^ ]* /, "", rest)
            if (!(rest SUBSEP knob in names)) {
                order[++count] = rest SUBSEP knob
                names[rest, knob] = "`" name "." knob "`"
            } else {
                names[rest, knob] = names[rest, knob] ", `" name "." knob "`"
            }
        }
        function part(text, from, to) {
            if (!match(text, from))
                return ""
            text = substr(text, RSTART + RLENGTH)
            if (to != "" && match(text, to))
                text = substr(text, 1, RSTART - 1)
            return text
        }
        END {
            for (i = 1; i <= count; i++) {
                split(order[i], key, SUBSEP)
                text = key[1]
                unit = part(text, ",unit:", ",meaning:")
                sub(/}$/, "", text)
                values = text ~ /kind:bool/ ? "yes, no" : text ~ /kind:choice/ ? part(text, "choices:\\[", "]") : \
                    part(text, "low:", ",high") " to " part(text, "high:", ",unit") (unit == "" ? "" : " " unit)
                gsub(/,/, ", ", values)
                gsub(/,  /, ", ", values)
                gsub(/\|/, "\\|", text)
                print "| " names[order[i]] " | " part(text, "default:", ",") " | " part(text, "meaning:", "") \
                    " | " values " |"
            }
        }'
}

# gains NAME...: prints the table, with one row per machine and mechanism
gains() {
    awk -v wanted=" $* " '
        /^\| [a-z0-9]+ \| hammock \|/ {
            if (!count++) {
                head = $0
                sub(/^\| [a-z0-9]+ /, "| machine, mechanism ", head)
                print head
                gsub(/[^|]+/, "---", head)
                print head
            }
            machine = $2
            next
        }
        machine && /^\|---/ { next }
        machine && /^\| / {
            if (index(wanted, " " $2 " "))
                print "| " machine ", " substr($0, 3)
            next
        }
        { machine = "" }' "$page"
}

while IFS= read -r line; do
    case $line in
    '$ build/heddle '*)
        printf '%s\n' "$line"
        command="\"$heddle\"${line#'$ build/heddle'}"
        eval "$command" >"$work/output" 2>&1 </dev/null || {
            echo "page.sh: $page: this command fails: ${line#'$ '}" >&2
            cat "$work/output" >&2
            exit 1
        }
        output=$(sed '/host seconds/d' "$work/output") # without blank lines at the end
        printf '%s\n' "$output"
        while IFS= read -r line && [ "$line" != '```' ]; do :; done
        printf '%s\n' "$line"
        ;;
    '<!-- knobs '* | '<!-- gains '*)
        words=${line#'<!-- '}
        printf '%s\n\n' "$line"
        # shellcheck disable=SC2086
        ${words%' -->'}
        while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
        printf '\n%s\n' "$line"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$page"
