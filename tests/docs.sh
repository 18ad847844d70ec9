#!/bin/sh
# Checks the pages: docs.sh HEDDLE
#
# Links between pages lead to files and headings that exist, paths named in code exist, commands of README.md,
# docs/using.md and the pages for newcomers run, and the parts of pages that heddle prints (scripts/page.sh, pictures) are
# what heddle prints now; `make docs` remakes these parts.
set -eu
heddle=${1:?usage: docs.sh HEDDLE}
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset HEDDLE_OPTS
passed=0 failed=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED $*"; failed=$((failed + 1)); }

# anchors FILE: what GitHub calls the headings of a page
anchors() {
    sed -n '/^```/,/^```/!s/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

# links FILE: targets of links and pictures; code is left out
links() {
    sed -n '/^```/,/^```/!p' "$1" | grep -v '^    ' | tr '\n' ' ' | sed 's/`[^`]*`//g' | grep -o '](\([^)]*\))' |
        sed 's/^](//; s/)$//' | sort -u
}

folders='docs examples workloads tests include bench scripts'
# shellcheck disable=SC2086
for page in *.md $(find $folders -path tests/docs -prune -o -name '*.md' -print | sort); do
    for target in $(links "$page"); do
        case $target in *://*) continue ;; esac
        file=${target%%#*} anchor=
        case $target in *'#'*) anchor=${target#*#} ;; esac
        [ -n "$file" ] && path=$(dirname "$page")/$file || path=$page
        if [ ! -e "$path" ]; then
            fail "$page: there is no $target"
        elif [ -n "$anchor" ] && ! anchors "$path" | grep -qx -e "$anchor"; then
            fail "$page: $file has no heading #$anchor"
        else
            pass
        fi
    done
done

# Paths of the repository that pages name in code: `src/...`, `tests/...`. adding-a-mechanism.md names files to be made.
for page in README.md CONTRIBUTING.md docs/*.md docs/notes/*.md docs/papers/*.md docs/sources/*.md; do
    case $page in docs/instructions.md | docs/statistics.md | docs/adding-a-mechanism.md) continue ;; esac
    for path in $(grep -oE \
        '`(src|tests|examples|scripts|docs|papers|studies|gpus|include|workloads|bench)/[A-Za-z0-9_./-]*`' "$page" |
        tr -d '`' | sort -u); do
        [ -e "$path" ] && pass || fail "$page: there is no $path"
    done
done

# Commands of these pages: indented lines that begin with build/heddle, each with the line behind it if it ends with \.
# They run in a folder of their own, so that the files they write are gone afterwards.
mkdir "$work/run"
for name in build bench examples tests docs gpus include workloads papers; do ln -s "$PWD/$name" "$work/run/$name"; done
for page in README.md docs/using.md docs/tutorial.md docs/for-architects.md; do
    sed -n '/^    [^ ].*\\$/{N;s/\\\n *//};s/^    \(build\/heddle .*\)/\1/p' "$page" | sed 's/  *# .*//' >"$work/commands"
    while IFS= read -r line; do
        case $line in *WORKLOAD* | *FILE* | *"heddle paper"* | *"| dot "*) continue ;; esac
        words=${line#build/heddle}
        status=0
        (cd "$work/run" && eval "\"$heddle\"$words") >"$work/out" 2>&1 </dev/null || status=$?
        expected=0
        case $line in *spin_lock*) expected=3 ;; esac
        [ $status -eq $expected ] && pass || { fail "$page: status $status: $line"; cat "$work/out"; }
    done <"$work/commands"
done

"$heddle" compare examples/fork.ptx --block 16 --mech pdom,tbc --gpu tiny --set sm.scheduler=gto --trace-window 0:79 \
    --trace-svg "$work/lanes.svg" >/dev/null
cmp -s "$work/lanes.svg" docs/lanes.svg && pass || fail "docs/lanes.svg is not what heddle draws; make docs"
"$heddle" paper vws --size test --figure 18 --svg "$work/figure.svg" >/dev/null 2>&1
cmp -s "$work/figure.svg" docs/figure-vws-18.svg && pass || fail "docs/figure-vws-18.svg is not what heddle draws; make docs"
scripts/tutorial-pictures.sh "$heddle" "$work"
for name in photons merged; do
    cmp -s "$work/tutorial-$name.svg" docs/tutorial-$name.svg && pass ||
        fail "docs/tutorial-$name.svg is not what heddle draws; make docs"
done
for page in docs/mechanisms.md docs/pictures.md docs/step.md docs/explain.md docs/tutorial.md docs/for-students.md; do
    scripts/page.sh "$heddle" $page >"$work/page" || { fail "$page: a command fails"; continue; }
    cmp -s "$work/page" $page && pass ||
        { fail "$page is not what heddle prints; make docs"; diff "$work/page" $page | head; }
done
scripts/workloads-page.sh "$heddle" >"$work/page"
cmp -s "$work/page" docs/workloads.md && pass ||
    { fail "docs/workloads.md is not what heddle prints; make docs"; diff "$work/page" docs/workloads.md | head; }
# The tutorial's program, where there is nvcc: what it prints is in the page, and both versions print the same. The kernels
# that the page quotes are those of the sources.
awk '/^```cuda/ { quote = 1; next } /^```/ { quote = 0 } quote && NF' docs/tutorial.md >"$work/quoted"
cat examples/tutorial/*.cu | grep -vxFf - "$work/quoted" >"$work/strange" &&
    { fail "docs/tutorial.md quotes what is not in examples/tutorial:"; cat "$work/strange"; } || pass
if PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null; then
    for name in photons merged; do
        "$heddle" cc "examples/tutorial/$name.cu" -o "$work/$name" &&
            (cd "$work" && "$heddle" exec "./$name") >"$work/$name.out" 2>"$work/$name.table" && pass ||
            fail "examples/tutorial/$name.cu does not compile or run"
    done
    cmp -s "$work/photons.out" "$work/merged.out" && pass || fail "examples/tutorial: two versions, two results"
    cat "$work/photons.out" "$work/photons.table" | sed '/host seconds/d' | grep -vxFf docs/tutorial.md >"$work/strange" &&
        { fail "docs/tutorial.md has not what the program prints:"; cat "$work/strange"; } || pass
fi
# Pages of papers: what the texts, claims and results in papers/ make, with the published claims of tests/docs/claims.txt.
for name in $(cut -d' ' -f1 tests/docs/claims.txt | sort -u); do
    sed -n "s/^$name //p" tests/docs/claims.txt >"$work/wanted"
    sed '1d; s/,.*//; /x$/d' "papers/$name.csv" | sort >"$work/ids"
    sort "$work/wanted" | cmp -s - "$work/ids" && pass ||
        { fail "papers/$name.csv has not each published claim once:"; sort "$work/wanted" | diff - "$work/ids"; }
    [ -e "papers/$name.md" ] || { fail "there is no papers/$name.md, the text of the paper's page"; continue; }
    scripts/paper-page.sh "$name" >"$work/page"
    cmp -s "$work/page" "docs/papers/$name.md" && pass ||
        { fail "docs/papers/$name.md is not up to date; make docs"; diff "$work/page" "docs/papers/$name.md" | head; }
    awk -v paper="$name" -f tests/docs/claims.awk tests/docs/claims.txt "$work/page" >"$work/claims" && pass ||
        { fail "docs/papers/$name.md:"; cat "$work/claims"; }
done

# The page of which mechanism suits which program: its study runs every workload, and the page is what the kept table
# makes.
sed -n '/^\[programs\]/,/^$/s/ =.*//p' studies/which-mechanism.ini | sort >"$work/studied"
"$heddle" list workloads --names | sort | cmp -s - "$work/studied" && pass ||
    fail "studies/which-mechanism.ini has not every workload"
"$heddle" sweep studies/which-mechanism.ini --dry-run --store "$work/which.db" >/dev/null && pass ||
    fail "studies/which-mechanism.ini is no study"
"$heddle" sweep --programs lps --mech pdom,bound --size test --store "$work/which.db" >/dev/null 2>&1
scripts/which-table.sh "$heddle" "$work/which.db" test >"$work/table"
# Cycles, SIMD efficiency and depth as the store has them, beside the columns of the table.
"$heddle" query "$work/which.db" --csv --sql "SELECT CAST(sum(CASE path WHEN 'cycles' THEN sum END) AS INTEGER) AS c,
    printf('%.4f', sum(CASE path WHEN 'sm.thread_instructions' THEN sum END) /
    sum(CASE path WHEN 'sm.warp_instructions' THEN sum END) / 32) AS e,
    CAST(sum(CASE path WHEN 'pdom.max_depth' THEN max END) AS INTEGER) AS d
    FROM run JOIN figures ON run = run.id WHERE mechanism = 'pdom'" | tr -d '\r' | tail -1 >"$work/wanted"
sed -n 's/^lps,fermi,pdom,ok,\([0-9]*,[0-9.]*\)\(,[0-9.]\{1,\}\)\{5\}\(,[0-9]*\)$/\1\3/p' "$work/table" |
    cmp -s - "$work/wanted" && [ "$(wc -l <"$work/table")" -eq 3 ] &&
    grep -q '^lps,fermi,bound,ok,[0-9]*,,,,,,,$' "$work/table" && pass ||
    { fail "scripts/which-table.sh: a table of two runs"; cat "$work/table" "$work/wanted"; }
if [ -e studies/which-mechanism.csv ]; then
    scripts/which-mechanism.sh >"$work/page"
    page=docs/which-mechanism.md
    cmp -s "$work/page" $page && pass || { fail "$page is not up to date; make docs"; diff "$work/page" $page | head; }
fi

echo "docs: $passed passed, $failed failed"
[ $failed -eq 0 ]
