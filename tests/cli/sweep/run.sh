#!/bin/sh
# Sweeps and queries on the command line: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"
here=$PWD
trips="$PWD/../../../examples/trips.ptx --grid 2 --block 64 --arg buf:u32[128]"
workloads=$("$heddle" list folders | awk '$1 == "workloads" { print $2 }')
cd "$scratch" || exit 2
query() { "$heddle" query "$@" --csv | tr -d '\r'; }
number() { query "$1" --sql "SELECT count(*) AS n FROM run WHERE $2" | tail -1; }

# the product of a command line: two machines, pdom with two schedulers, tbc with two schedulers and two values of its own
words="--mech pdom,tbc --gpu tiny,fermi --set sm.scheduler=lrr,gto --set tbc.compaction=yes,no --store a.db"
wide=yes check dry-run 0 '^12 runs, 12 of them to run$' - sweep --program "$trips" $words --dry-run
expect "a dry run makes no store" [ ! -e a.db ]
check sweep 0 '^12 runs: 0 stored before, 12 run now, 0 failed$' - sweep --program "$trips" $words
check again 0 '^12 runs: 12 stored before, 0 run now, 0 failed$' - sweep --program "$trips" $words
wide=yes check dry-run-again 0 '^12 runs, 0 of them to run$' - sweep --program "$trips" $words --dry-run
expect "pdom has no runs for the knob of tbc" [ "$(number a.db "mechanism = 'pdom'")" -eq 4 ]
expect "tbc has" [ "$(number a.db "mechanism = 'tbc' AND settings LIKE '%tbc.compaction=no%'")" -eq 4 ]
check more 0 '^18 runs: 12 stored before, 6 run now' - sweep --program "$trips" $words --mech pdom,tbc --gpu tiny,fermi,fx5800
check options-of-run 0 '^1 runs: 0 stored before, 1 run now' - sweep --program "$trips" --limit 5M --store a.db
wide=yes check option-without-value 0 '^1 runs, 1 of them to run' - sweep --program "$trips" --hash --gpu tiny --dry-run --store a.db
workload_words="--programs lps,BFS2 --gpu fermi --size test --ptx nvcc,plain --store w.db"
check workloads 0 '^4 runs: 0 stored' - sweep $workload_words
check hints 0 '^2 runs: 0 stored before, 2 run now, 0 failed' - sweep --programs gpu-mcml --gpu fermi --size test --hints no,yes --store h.db
expect "sizes and kernels are columns" [ "$(number w.db "size = 'test' AND ptx = 'plain' AND hints = 0")" -eq 2 ]
expect "so are hints" [ "$(number h.db "hints = 1")" -eq 1 ]
"$heddle" compare lps --size test --mech pdom --store w.db >"$scratch/out"
expect "compare takes what a sweep stored" [ "$(number w.db "name = 'lps' AND mechanism = 'pdom'")" -eq 2 ]

# a study file, from another folder: paths are those from its own folder
mkdir -p study/in
cp "$here/../../../examples/trips.ptx" study/in/t.ptx
printf '#!/bin/sh\necho "$1 $(ls)"\nexec "%s/lps" --size test\n' "$workloads" >study/app
chmod +x study/app
cat >study/all.ini <<INI
; a comment
[programs]
lps =                                ; a workload
t = @in/t.ptx --grid 2 --block 64 --arg 'buf:u32[128]'
app = -- ./app 'one word'
[sweep]
gpu = tiny ,fermi
mech = pdom, pdom+merge-loops
size = test
options = --limit 50M
time-limit = 5m
[knobs]
sm.scheduler = lrr,gto
INI
check study 0 '^24 runs: 0 stored before, 24 run now, 0 failed$' - sweep study/all.ini
expect "its store is beside it" [ -s study/all.db ]
check study-again 0 '^24 runs: 24 stored before' - sweep study/all.ini --jobs 3
check study-less 0 '^6 runs: 6 stored before' - sweep study/all.ini --gpu tiny --mech pdom
expect "the program's words stay together" \
    [ "$(number study/all.db "name = './app one word' AND output LIKE 'one word all.db%'")" -eq 8 ]
expect "limits are stored" [ "$(number study/all.db "time_limit = 300 AND settings LIKE '%lrr%'")" -eq 12 ]


# another program, and another build of heddle: its results are its own
echo "// changed" >>study/in/t.ptx
check program-changed 0 '^24 runs: 16 stored before, 8 run now' - sweep study/all.ini
mkdir other
cp "$heddle" other/heddle
printf x >>other/heddle
this=$heddle heddle=$scratch/other/heddle
check other-build 0 '^1 runs: 0 stored before, 1 run now' - sweep --program "$trips" --limit 5M --store a.db
heddle=$this
expect "there are two builds" [ "$(query a.db builds | wc -l)" -eq 3 ]
wide=yes check other-build-shown 0 'settings +build ' - query a.db --mech pdom --gpu fermi
expect "a filter chooses this one" [ "$(query a.db --mech pdom --gpu fermi --build this | grep -c .)" -eq 4 ]

# mistakes, each with its file and line, before the first run
refuse() # NAME LINE PATTERN TEXT...
{
    what=$1 line=$2 pattern=$3
    shift 3
    printf '%s\n' "$@" >wrong.ini
    check "$what" 2 - "wrong.ini:$line: .*$pattern" sweep wrong.ini
    expect "$what makes no store" [ ! -e wrong.db ]
}
refuse no-section 1 'before the first section' 'bfs2 ='
refuse wrong-section 1 'no section \[programmes\]' '[programmes]'
refuse torn-section 1 'a section is' '[programs'
refuse no-workload 2 'no workload nobody' '[programs]' 'nobody ='
refuse no-file 2 'cannot read no.ptx' '[programs]' 'a = @no.ptx'
refuse twice 3 'there twice' '[programs]' 'bfs2 =' 'BFS2 ='
refuse no-equals 2 'NAME = VALUE' '[programs]' 'bfs2'
refuse open-quote 2 'quote is not closed' '[programs]' "bfs2 = --kernel 'a"
refuse wrong-entry 4 "no entry 'gpus'" '[programs]' 'lps =' '[sweep]' 'gpus = fermi'
refuse no-gpu 4 'nowhere' '[programs]' 'lps =' '[sweep]' 'gpu = fermi, nowhere'
refuse gpu-none 4 'needs machines' '[programs]' 'lps =' '[sweep]' 'gpu = none'
refuse no-mech 5 'no mechanism .tbd' '[programs]' 'lps =' '[sweep]' 'gpu = fermi' 'mech = pdom, tbd'
refuse no-pass 4 'mergers' '[programs]' 'lps =' '[sweep]' 'mech = pdom+mergers'
refuse wrong-size 4 'size takes test, small, paper' '[programs]' 'lps =' '[sweep]' 'size = big'
refuse wrong-hints 4 'hints takes no, yes' '[programs]' 'lps =' '[sweep]' 'hints = maybe'
refuse empty-value 4 'mech has an empty value' '[programs]' 'lps =' '[sweep]' 'mech = pdom,,tbc'
refuse same-value 4 'value pdom twice' '[programs]' 'lps =' '[sweep]' 'mech = pdom,pdom'
refuse wrong-limit 4 'time limit is a number' '[programs]' 'lps =' '[sweep]' 'time-limit = soon'
refuse wrong-memory 4 'memory limit is a number' '[programs]' 'lps =' '[sweep]' 'memory-limit = 4T'
refuse wrong-option 4 'limit must be' '[programs]' 'lps =' '[sweep]' 'options = --limit much'
refuse no-knob 4 "no knob 'schedular'" '[programs]' 'lps =' '[knobs]' 'sm.schedular = gto'
refuse wrong-value 4 'best' '[programs]' 'lps =' '[knobs]' 'sm.scheduler = gto, best'
refuse knob-of-nobody 4 'tbc, which is not swept' '[programs]' 'lps =' '[knobs]' 'tbc.compaction = yes, no'
refuse wrong-pair 5 'on fermi under pdom, mem.l2_bytes=1M mem.l2_ways=7: .*whole number of sets' '[programs]' 'lps =' '[knobs]' 'mem.l2_bytes = 1M' 'mem.l2_ways = 8,7'
printf '%s\n' '[programs]' 'lps =' '[sweep]' 'size = test' '[knobs]' 'mem.l2_ways = 7' 'mem.l2_bytes = 10752' >pair.ini
check right-pair 0 '^1 runs' - sweep pair.ini --dry-run
refuse wrong-program-option 2 'set must be|no knob' '[programs]' 'lps = --set sm.nothing=1'
printf '[programs]\nlps = --grid 4\n' >wrong.ini
check option-of-files 2 - 'wrong.ini:2' sweep wrong.ini
printf '[programs]\na = -- ./nothing\n' >wrong.ini
check no-program 1 - 'wrong.ini:2' sweep wrong.ini
printf '[sweep]\ngpu = fermi\n' >wrong.ini
check no-programs 2 - 'there is no program in it' sweep wrong.ini
: >source.cu
check source 1 - 'CUDA source' sweep --program source.cu
check no-study 1 - 'cannot read no.ini' sweep no.ini
check nothing 2 - 'no study file and no program' sweep
check no-such-program 2 - "no file and no workload 'nobody'" sweep --programs lps,nobody
check wrong-set 2 - 'KNOB=VALUE' sweep --programs lps --set sm.scheduler

# failures are stored, stop nobody, and are run again with --retry alone
printf '#!/bin/sh\n[ -e go ] || exit 7\nexec "%s/lps" --size test\n' "$workloads" >fails
printf '#!/bin/sh\nexec tail /dev/zero\n' >eats
chmod +x fails eats
cat >bad.ini <<INI
[programs]
lps =
spin = @$here/spin.ptx --arg buf:u32[1] --verify none
eats = -- ./eats
fails = -- ./fails
nothing = -- /bin/true
[sweep]
size = test
gpu = tiny
time-limit = 6
memory-limit = 150M
INI
check failures 3 '^5 runs: 0 stored before, 5 run now, 4 failed$' - sweep bad.ini
expect "a run that hangs is recorded" [ "$(number bad.db "name LIKE '%spin.ptx' AND failure = 'time'")" -eq 1 ]
expect "a run that eats memory is recorded" [ "$(number bad.db "name = './eats' AND failure = 'memory'")" -eq 1 ]
expect "an exit status is recorded" [ "$(number bad.db "name = './fails' AND failure = 'error' AND own_status = 7")" -eq 1 ]
expect "a program without launches is recorded" [ "$(number bad.db "name = '/bin/true' AND failure = 'error'")" -eq 1 ]
expect "the others ran" [ "$(number bad.db "failure IS NULL")" -eq 1 ]
check failures-again 3 '^5 runs: 5 stored before, 0 run now, 4 failed$' - sweep bad.ini
wide=yes check failures-listed 0 '^\./eats .* memory ' - query bad.db failures
touch go
check retry 3 '^5 runs: 1 stored before, 4 run now, 3 failed$' - sweep bad.ini --retry
expect "no run is there twice" [ "$(number bad.db 1)" -eq 5 ]

# two sweeps that make and use one store at the same time
for run in 1 2 3; do
    "$heddle" sweep --program "$trips" --mech pdom,tbc --gpu tiny --set mem.l1d_latency=1,2,3,4 --store both.db \
        >both-$run 2>&1 &
done
wait
expect "sweeps share a store" [ "$(cat both-1 both-2 both-3 | grep -c '^8 runs: .* 0 failed')" -eq 3 ]
expect "without doubles" [ "$(number both.db 1)" -eq 8 ]

# views
wide=yes check view-runs 0 '^program +gpu +mech +settings +cycles' - query a.db --build this
expect "csv has a heading and a row per run" [ "$(query a.db runs | wc -l)" -eq 21 ]
wide=yes check view-json 0 '^\{"program":"bfs2","gpu":"fermi","mech":"pdom","size":"test"' - query w.db runs --json --program BFS2
check view-latex 0 '^bfs2 & fermi & pdom & test & nvcc & [0-9]+' - query w.db runs --latex --ptx nvcc
wide=yes check view-best 0 '^lps +fermi ' - query w.db best
wide=yes check view-branches 0 'jacobi +kernels.cu:' - query w.db branches --top 1 --program lps
wide=yes check view-values 0 'cycles +max:sm.cycles' - query w.db values cycles max:sm.cycles
wide=yes check view-builds 0 '^[0-9a-f]{64} ' - query w.db builds
narrow() # PATTERN ARGUMENTS...: of a query that fits 80 columns
{
    pattern=$1
    shift
    COLUMNS=80
    export COLUMNS
    check "80 columns: $*" 0 "$pattern" - query "$@"
    unset COLUMNS
    expect "80 columns: $*: no line is wider" [ "$(awk 'length > m { m = length } END { print m + 0 }' "$scratch/out")" -le 80 ]
}
narrow ' mech +settings .* cycles +SIMD %$' a.db --build this
expect "dates are left out first" [ "$(grep -c date "$scratch/out")" -eq 0 ]
narrow 'jacobi +kernels.cu:[0-9]+ .*[0-9.]+$' w.db branches
narrow '^[0-9a-f]+\.\.\.[0-9a-f]+ ' w.db builds
narrow '^lps +2.*-.*Z  \["run.*\.\.\..*\]$' w.db --sql "SELECT name, date, words FROM run WHERE name = 'lps'"
wide=yes check date-is-asked-for 0 ' date$' - query a.db --build this
check view-paths 0 '^l1d.misses$' - query w.db paths
expect "a filter by a knob takes defaults" [ "$(query a.db --set sm.scheduler=gto --gpu fermi --build this | wc -l)" -eq 5 ]
expect "and by the knob of a mechanism" [ "$(query a.db --set tbc.compaction=no --set mem.l2_bytes=64K | wc -l)" -eq 3 ]
expect "and by patterns" [ "$(query a.db --gpu 'f*' --mech pdom --build this | wc -l)" -eq 6 ]
expect "and by this build" [ "$(query a.db --build this | wc -l)" -eq 20 ]
expect "and by another" [ "$(query a.db --build abc | wc -l)" -eq 1 ]
query a.db speedup --gpu fermi --set sm.scheduler=gto --build this >speedup.csv
"$heddle" compare ${trips%% *} ${trips#* } --mech pdom,tbc --gpu fermi --set sm.scheduler=gto --csv | tr -d '\r' >compare.csv
expect "speedups are those of heddle compare" awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) column[FILENAME, $i] = i; next }
    FILENAME == "compare.csv" { want[$column[FILENAME, "mechanism"]] = $column[FILENAME, "speedup"]; next }
    $0 !~ /compaction=no/ { n++; d = $column[FILENAME, "speedup"] - want[$column[FILENAME, "mech"]]
                            if (d > 0.0001 || d < -0.0001) bad = 1 }
    END { exit bad || n != 3 }' compare.csv speedup.csv
check sql 0 '^tbc +12$' - query a.db --sql "SELECT mechanism, count(*) FROM run GROUP BY mechanism"
check sql-changes 2 - 'must be a SELECT' query a.db --sql "DELETE FROM run"
check sql-twice 2 - 'one statement' query a.db --sql "SELECT 1; SELECT 2"
check sql-wrong 2 - 'syntax error' query a.db --sql "SELEKT"
check no-view 2 - 'did you mean best' query a.db bets
check no-path 2 - "no figure|has a figure 'l3.misses'" query a.db values l3.misses
check no-paths 2 - 'needs paths' query a.db values
check no-knob 2 - 'no stored run has a knob' query a.db --set sm.schedular=gto
check two-formats 2 - 'exclude each other' query a.db --csv --json
check no-store 1 - 'No such file' query no.db
check study-as-store 1 - 'no store of heddle' query bad.ini

# a signal: what had ended is stored, and the rest follows
cat >slow.ini <<INI
[programs]
lps =
spin = @$here/spin.ptx --arg buf:u32[1] --verify none
[sweep]
size = test
gpu = tiny
INI
cd "$here" || exit 2
awaited=1.out
stops interrupted INT 130 2 0 '^2 runs: 0 stored before, 1 run now, 0 failed$' 'stopped: 1 of 2 runs are missing' \
    sweep "$scratch/slow.ini" --jobs 1
cd "$scratch" || exit 2
awaited=
expect "what had ended is stored" [ "$(number slow.db 1)" -eq 1 ]
check goes-on 3 '^2 runs: 1 stored before, 1 run now, 1 failed$' - sweep slow.ini --time-limit 1

echo "$count checks of sweeps, $failed failed"
[ $failed -eq 0 ]
