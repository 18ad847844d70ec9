#!/bin/sh
# Workloads, comparisons and papers on the command line: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"

# workloads
check list-workloads 0 '^bfs2 .*BFS2' - list workloads
wide=yes check list-workloads-json 0 '"name":"nvrt"' - list workloads --json
check workload 0 '^aes test: right' 'SIMD efficiency +100.0' run aes --size test
check workload-by-label 0 '^aes test: right' '' run AES --size test
check workload-on-a-machine 0 '^lps test: right' '^  cycles +[0-9]+' run lps --size test --gpu fx5800 --mech tbc
check workload-quiet 0 '^aes test: right' - run aes --size test --quiet
wide=yes check workload-json 0 '"kernel":' - run aes --size test --json -
check workload-unwritable-json 1 - '^heddle: cannot open .*No such file' run aes --size test --json /no/such/folder/x.json
check workload-full-disk-json 1 - 'No space left' run aes --size test --json /dev/full
check workload-full-disk-csv 1 - 'No space left' run aes --size test --gpu tiny --csv /dev/full --quiet
"$heddle" run aes --size test --quiet >/dev/full 2>"$scratch/err"
expect "a verdict that cannot be written is no success" [ $? -eq 1 ]
check workload-wrong-option 2 - 'PTX files; the workload aes' run aes --grid 2
check workload-wrong-output 2 - '\-\-print is for PTX files' run aes --size test --print 0
check workload-wrong-write 2 - '\-\-write is for PTX files' run aes --size test --write 0=x
check workload-wrong-size 2 - 'test, small or paper' run aes --size big
check size-of-a-file 2 - "no workload 'nobody'" run nobody --size test
check workload-profile 2 - 'cannot read the profile nowhere' run aes --size test --gpu fermi --mech pdom-lcp --profile nowhere
check unknown-knob 2 - 'no_such' run aes --size test --gpu fermi --set sm.no_such=1
: >"$scratch/libcuda.so.1"
LD_LIBRARY_PATH=$scratch check workload-beside-another-libcuda 0 '^aes test: right' '' run aes --size test
HEDDLE_WORKLOADS=$scratch
export HEDDLE_WORKLOADS
check workload-not-built 1 - 'is not built' run aes --size test
unset HEDDLE_WORKLOADS

# a workload that is wrong says so: nvrt relies on warps that run in step, which dwf does not keep
check wrong-result 3 - 'nvrt: wrong' run nvrt --size test --gpu fx5800 --mech dwf --limit 20000000

# compare
check compare 0 '^  tbc +[0-9]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %' - compare lps --size test --mech pdom,tbc --gpu fx5800
check compare-mean 0 'all 2: harmonic mean' - compare lps aes --size test --mech pdom,tbc
wide=yes check compare-json 0 '"target":"aes","gpu":"fermi","mechanism":"pdom","scheduler":"gto","right":true' - compare aes --size test --mech pdom --json
wide=yes check compare-csv 0 '^aes,fermi,pdom,gto,yes,[0-9]+,1,' - compare aes --size test --mech pdom --csv
check compare-file 0 '^  dwf ' - compare ../../../examples/trips.ptx --grid 4 --block 128 --arg "buf:u32[512]" \
    --mech pdom,dwf
check compare-wrong-run 3 'nvrt: wrong' 'status 3' compare nvrt --size test --gpu fx5800 --mech pdom,dwf --limit 20000000
expect compare-right-despite-a-race grep -q 'the program has found its result right' "$scratch/out"
check compare-bad-option 2 - 'unknown option' compare aes --mech pdom --nonsense 3
check compare-nothing 2 - 'no workload' compare
check compare-one-form 2 - '\-\-json and --csv exclude' compare aes --json --csv
check compare-nobody 2 - "no workload 'nobody'" compare nobody
check compare-mechanism 2 - "did you mean tbc" compare aes --mech tbx
check compare-machine 2 - "no machine and no file 'nosuch'" compare aes --mech pdom --gpu fermi,nosuch
check compare-knob 2 - "no knob 'nosuch' in 'sm'" compare aes --mech pdom --set sm.nosuch=1
check compare-own-knob 0 '^  tbc +[0-9]+ +[0-9.]+ +[0-9.]+ % +[0-9.]+ %' - compare lps --size test --mech pdom,tbc --gpu fx5800 \
    --set tbc.compaction=no
check compare-no-own-knob 2 - "no knob 'nosuch' in 'tbc'" compare lps --size test --mech pdom,tbc --set tbc.nosuch=1
check compare-knob-of-nobody 2 - 'a knob of the mechanism dwf, and the run.s mechanism is pdom' \
    compare lps --size test --mech pdom,tbc --set dwf.home=lane
check compare-scheduler 2 - "'nosuch' for sm.scheduler" compare aes --mech pdom --set sm.scheduler=nosuch
check compare-size 2 - 'test, small or paper' compare aes --mech pdom --size big
check compare-wrong-option 2 - 'PTX files; the workload aes' compare aes --mech pdom --grid 2
check compare-kernel 2 'no kernel .nobody' 'no kernel .nobody' compare ../saxpy.ptx --kernel nobody --mech pdom
check compare-no-file 1 - 'cannot read nowhere.ptx: No such file' compare nowhere.ptx
check compare-jobs 2 - '1 to 1024' compare aes --jobs 0

# memory is compared with the functional result: what depends on the order of atomics and the like may differ, races and
# all else may not. A warp-synchronous program is right under pdom; only a workload, which looks at its result, can say so
order="order.ptx --grid 2 --block 64 --arg buf:u32[1] --arg buf:u32[128] --mech pdom,dwf"
# shellcheck disable=SC2086 -- words
{
    check compare-tickets 0 '^  memory may differ: the result depends on the order of atomics \(atom.global.add.u32, PTX line 25' - \
        compare $order --kernel tickets
    check compare-tickets-mark 0 '^~ dwf +[0-9]+ +[0-9.]+ ' - compare $order --kernel tickets
    check compare-tickets-word 0 '^  argument 1 \(out\), word 0 \(byte 0\): 0x[0-9a-f]{8}, functionally 0x00000000$' - \
        compare $order --kernel tickets
    # a line that is too long for the page, as those with names from nvcc are, goes on in the next
    sed 's/\bout\b/a_name_of_an_argument_as_nvcc_writes_it_0/' order.ptx >"$scratch/long.ptx"
    check compare-long-name 0 '^    0x00000000$' - compare "$scratch/long.ptx" ${order#order.ptx} --kernel tickets
    sed 's/\btickets\b/_Z7ticketsPjS_/' order.ptx >"$scratch/mangled.ptx"
    check compare-c++-name 0 '^~ pdom .* % tickets, PTX line 24$' - \
        compare "$scratch/mangled.ptx" ${order#order.ptx} --kernel _Z7ticketsPjS_
    check compare-counts 0 '^  dwf +[0-9]+ +[0-9.]+ ' - compare $order --kernel counts
    check compare-sums 0 'depends on the order of atomics \(red.global.add.f32' - compare $order --kernel sums
    check compare-clocks 0 'depends on where and when threads run \(%clock' - compare $order --kernel clocks
    check compare-races 3 '^! dwf +[0-9]+ .*DOUBTFUL RESULT: a race, see below' '^heddle: race in kernel races' \
        compare $order --kernel races
    check compare-races-named 3 'threads race: PTX line 102 with itself' '' compare $order --kernel races
    check compare-races-asked 3 'threads race: PTX line 102 with itself' '^heddle: race in kernel races' \
        compare $order --kernel races --check races
    wide=yes check compare-races-json 3 '"right":false,"status":3,"cycles":[0-9]+,.*"difference":\{"verdict":"race"' '' \
        compare $order --kernel races --json
    wide=yes check compare-races-csv 3 ',dwf,gto,no,[0-9]+,.*,race,"launch 1, kernel races, argument 0' '' \
        compare $order --kernel races --csv
    check compare-races-lockstep 3 '^! pdom +[0-9]+ .*DOUBTFUL RESULT: a race, see below' '' \
        compare ${order%,*} --kernel races --check lockstep
    check compare-unverified 0 '^  dwf +[0-9]+ ' - compare $order --kernel races --verify none
    check run-verify 3 - 'under dwf, launch 1, kernel races: memory differs' run ${order%,*} --kernel races --gpu fermi --mech dwf \
        --verify functional --quiet
    check run-unverified 0 - - run ${order% --mech*} --kernel races --gpu fermi --mech dwf --quiet
}
check verify-needs-a-machine 2 - '\-\-verify needs a machine' run ../saxpy.ptx --verify functional
check compare-warpsync 3 '^! mimd.*DOUBTFUL RESULT' '^heddle: race in kernel persistent' compare ../../warpsync/persistent.ptx \
    --kernel persistent --grid 2 --block 64 --arg 'buf:u32[1]' --arg 640 --arg 'buf:u32[640]' --arg 'buf:u32[640]' --mech pdom,mimd
check compare-synced 0 '^  mimd +[0-9]+ ' - compare ../../warpsync/persistent.ptx --kernel persistent_synced --grid 2 --block 64 \
    --arg 'buf:u32[1]' --arg 640 --arg 'buf:u32[640]' --arg 'buf:u32[640]' --mech pdom,dwf,mimd

# the baseline is the first: its speedup is 1, and the other's is the inverse of what it was
speedup() # MECHANISMS MECHANISM
{
    "$heddle" compare lps --size test --gpu fx5800 --mech "$1" --csv | awk -F, -v m="$2" '$3 == m { print $7 }'
}
a=$(speedup pdom,dwf dwf) b=$(speedup dwf,pdom pdom)
expect inverse-speedup awk -v a="$a" -v b="$b" 'BEGIN { exit !(a != 1 && a * b > 0.9999 && a * b < 1.0001) }'

# each mechanism with its paper's scheduler, and the machine's where its paper names none; the table says which
papers="compare lps --size test --mech pdom,tbc,dwf-wb --gpu fx5800 --paper-schedulers"
# shellcheck disable=SC2086 -- words
{
    check paper-schedulers 0 '^  dwf-wb +majority +[0-9]+ +[0-9.]+ ' - $papers
    expect paper-schedulers-age grep -q '^  tbc  *age  *[0-9]' "$scratch/out"
    expect paper-schedulers-machine grep -q '^  pdom  *lrr  *[0-9]' "$scratch/out"
    wide=yes check paper-schedulers-csv 0 '^lps,fx5800,tbc,age,yes,' - $papers --csv
    check paper-schedulers-set 2 - '\-\-paper-schedulers and --set sm.scheduler exclude' $papers --set sm.scheduler=gto
}
# the figures are those of the scheduler set by hand, and without the option those of the machine's
cycles() # OPTIONS...
{
    "$heddle" run lps --size test --gpu fermi --mech tbc --quiet --json - "$@" | sed 's/.*"gpu":"fermi","cycles":\([0-9]*\),.*/\1/'
}
expect paper-scheduler-is-applied [ "$(cycles --paper-schedulers)" = "$(cycles --set sm.scheduler=age)" ]
expect paper-scheduler-is-an-option [ "$(cycles)" != "$(cycles --set sm.scheduler=age)" ]
check compare-no-scheduler-column 0 '^  mechanism +cycles ' - compare aes --size test --mech pdom,tbc
check paper-schedulers-no-machine 2 - '\-\-paper-schedulers needs a machine' run ../saxpy.ptx --paper-schedulers
check paper-schedulers-value 2 - '\-\-paper-schedulers takes no value' run ../saxpy.ptx --gpu tiny --paper-schedulers=yes
wide=yes check paper-schedulers-listed 0 '"name":"lwm",.*"scheduler":"two-level"' - list mechanisms --json

# sweeps over knobs: a row per value, with cycles, and the speedup over the first mechanism at that value
trips="../../../examples/trips.ptx --grid 2 --block 64 --arg buf:u32[128] --gpu tiny --mech pdom,tbc"
# shellcheck disable=SC2086 -- words
{
    check vary 0 '^  9 +[0-9]+ +[0-9]+ +[0-9.]+$' - compare $trips --vary sm.class_latency=4,9
    check vary-two 0 '^  9 +no +[0-9]+ +[0-9]+ +[0-9.]+$' - compare $trips --vary sm.class_latency=4,9 --vary tbc.compaction=yes,no
    check vary-schedulers 0 '^  scheduler +lrr +age$' - compare $trips --vary sm.class_latency=4 --paper-schedulers
    check vary-short-knob 0 '^  scheduler {10}lrr {19}age$' - compare $trips --vary mem.tCL=9 --paper-schedulers
    wide=yes check vary-csv 0 '^target,.*,difference,sm.class_latency$' - compare $trips --vary sm.class_latency=4,9 --csv
    expect vary-csv-value grep -Eq ',tbc,lrr,yes,[0-9]+,.*,9$' "$scratch/out"
    wide=yes check vary-json 0 '"mechanism":"tbc".*"vary":\{"sm.class_latency":"9"\}' - compare $trips --vary sm.class_latency=4,9 --json
    check vary-form 2 - 'not of the form KNOB=VALUE,VALUE' compare $trips --vary sm.class_latency
    check vary-empty 2 - 'has an empty value' compare $trips --vary sm.class_latency=1,,2
    check vary-range 2 - "'0' for sm.int_latency: the value must be" compare $trips --vary sm.class_latency=4,0
    check vary-nobody 2 - "'dwf.home=warp' sets a knob of the mechanism dwf, and the run's mechanism is pdom" compare $trips --vary dwf.home=warp,lane
    check vary-picture 2 - '\-\-vary and --trace-svg exclude' compare $trips --vary sm.class_latency=4,9 --trace-svg "$scratch/x.svg"
    check vary-failed 3 '^  4 +failed +failed +-$' 'sm.class_latency=4, status 3' compare $trips --vary sm.class_latency=4 --limit 5
}
# each value counts what a run with that value counts, also of a knob that stands for several
vary=$("$heddle" compare ${trips} --vary sm.class_latency=4,9 --csv | awk -F, '$3 == "tbc" && $NF == 9 { print $6 }')
set=$("$heddle" compare ${trips} --set sm.class_latency=9 --csv | awk -F, '$3 == "tbc" { print $6 }')
expect vary-is-set [ "$vary" = "$set" ]
expect class-latency-is-all [ "$("$heddle" list knobs --gpu fermi --set sm.class_latency=77 | grep -Ec '_latency +77 ')" -eq 22 ]

# papers
check paper 0 '^T09 ' - paper tbc --size test --claim T09,T10
expect paper-count grep -q '^2 claims: ' "$scratch/out"
wide=yes check paper-json 0 '"id":"T10","kind":"order"' - paper tbc --size test --claim T10 --json
cp metrics.csv "$scratch/sweep.csv"
sed '$a [sweep latency]\nabout = Time to a dependent instruction\nlow = --set sm.class_latency=2\nhigh = --set sm.class_latency=999' \
    metrics.ini >"$scratch/sweep.ini"
sed -i 's/^M2,.*/M2,number,none,ALL,waits for memory,any,waiting-share,pdom,from 1/' "$scratch/sweep.csv"
check paper-sweep 0 '^M1 +0% +[HDF] [-+0-9.]+% +[HDF] [-+0-9.]+%$' - paper "$scratch/sweep.ini" --size test --sweep latency --claim M1,M2
expect paper-sweep-verdicts grep -Eq '^M2 +any +H [0-9.]+% +F [0-9.]+%$' "$scratch/out"
expect paper-sweep-changes grep -qx 'The verdicts of 1 of 2 claims change with the variant: M2.' "$scratch/out"
expect paper-sweep-counts grep -Eqx 'fails +0 +1' "$scratch/out"
check paper-sweep-same 0 '^No verdict of 1 claims changes' - paper "$scratch/sweep.ini" --size test --sweep latency --claim M1 --details
expect paper-sweep-details grep -Eqx ' +high: AES [-+0-9.]+%' "$scratch/out"
wide=yes check paper-sweep-json 0 '"verdict":".*","sweep":"latency","variant":"high","values":{"AES":\[[0-9.]+\]}}$' - paper "$scratch/sweep.ini" --size test \
    --sweep latency --claim M1 --json
wide=yes check paper-sweep-csv 0 '^M1,.*,latency,low$' - paper "$scratch/sweep.ini" --size test --sweep latency --claim M1 --csv
check paper-no-sweep 2 - "tbc has no sweep 'nosuch'; there is latency, " paper tbc --sweep nosuch
check paper-list-sweeps 0 '^  simd +--set dwf.home=simd' - paper tbc --list-sweeps
# what follows from the construction of SCC and TSTBC holds at every size
check paper-construction 0 '^5 claims: 5 hold, ' - paper tstbc --size test --claim S14,S20,S32x,S33x,S34x
check paper-list-ptx 0 '^ptx: Whose code' - paper metrics.ini --list-sweeps
check paper-ptx 0 '^claim +published +plain +nvcc$' - paper tbc --size test --claim T28 --sweep ptx
check paper-list-sweeps-json 2 - "neither --json nor --csv" paper tbc --list-sweeps --json
check paper-nobody 2 - "no paper and no file 'nobody'; there is .*tbc" paper nobody
check paper-claim 2 - "no claim 'T99'" paper tbc --claim T99
check paper-none 2 - 'no paper was given' paper
wide=yes
check paper-csv 0 '^T10,order,Fig. 5,COHE -NNC,SIMD efficiency under PDOM of every program,76% or more,' - \
    paper tbc --size test --claim T10 --csv
expect paper-csv-heading grep -q '^id,kind,source,programs,claim,published,measured,verdict,numbers,details,why$' "$scratch/out"
wide=no
check paper-one-form 2 - '\-\-json, --csv and --latex exclude' paper tbc --json --csv

# kernels of files among a paper's programs: microbenchmarks, which must do what the paper says of them
check paper-files 0 '^5 claims: 5 hold' - paper specrecon --size test --claim R09,R10,R09x,R10x,R10ax --details
expect paper-files-values grep -Eq 'point-rare [0-9.]+x, point-often -[0-9.]+%' "$scratch/out"

# a paper of one's own is two files; all that it names is checked before the first run, with file and line
cp ../../../papers/tbc.ini "$scratch/mine.ini"
cp ../../../papers/tbc.csv "$scratch/mine.csv"
wide=yes
check paper-metrics 0 '^M1,number,none,AES,"a field with a comma, and ""quotes""",0%,' - paper metrics.ini --size test --csv
expect "every metric has a value" [ "$(grep -c ',holds,' "$scratch/out")" -eq "$(grep -c ^M metrics.csv)" ]
wide=no
check paper-by-path 0 '^T10 ' - paper "$scratch/mine.ini" --size test --claim T10
check paper-no-file 2 - 'cannot read nowhere.ini: No such file' paper nowhere.ini
broken() # NAME MESSAGE FILE EXPRESSION: after this change (of sed) the paper is refused
{
    cp ../../../papers/tbc.ini "$scratch/broken.ini"
    cp ../../../papers/tbc.csv "$scratch/broken.csv"
    sed -i "$4" "$scratch/broken.$3"
    check "$1" 2 - "$2" paper "$scratch/broken.ini" --size test --claim T09
}
line() # PATTERN FILE: the number of its line
{
    grep -n "$1" "../../../papers/tbc.$2" | cut -d: -f1
}
broken paper-metric "broken.csv:$(line ^T01, csv): T01: there is no metric 'sped'; there are speedup, " csv 's/^\(T01,.*\),speedup,/\1,sped,/'
broken paper-rule "broken.csv:$(line ^T02, csv): T02: there is no rule 'gainz 0'; there are gain, " csv '/^T02,/s/gain/gainz/'
broken paper-program "broken.csv:$(line ^T12, csv): T12: there is no program and no set NVRTX in .*/broken.ini" csv '/^T12,/s/NVRT/NVRTX/'
broken paper-run 'broken.csv:2: T01: there is no run tcb/pdom in .*/broken.ini' csv '/^T01,/s/tbc.pdom/tcb\/pdom/'
broken paper-fields 'broken.csv:2: the record has fewer than 9 fields' csv '/^T01,/s/,gain 22,//'
broken paper-mechanism "broken.ini:$(line "^pdom-lcp =" ini): the run pdom-lcp of BFS2: there is no mechanism 'pdom-lpc'" ini 's/--mech pdom-lcp/--mech pdom-lpc/'
broken paper-knob "broken.ini:$(line "^MUM " ini): the run pdom of MUM: .*no knob 'register'" ini '/^MUM /s/registers/register/'
broken paper-machine "broken.ini:[0-9]+: .*no machine and no file 'fx5801'" ini 's/gpu = fx5800/gpu = fx5801/'
broken paper-workload "broken.ini:$(line ^BFS2 ini): there is no workload BFS3" ini 's/^BFS2/BFS3/'
rm "$scratch/mine.csv"
check paper-no-claims 2 - 'cannot read .*/mine.csv, the claims of .*/mine.ini: No such file' paper "$scratch/mine.ini"

# an installation: heddle finds its workloads and libcuda from where it stands, under any prefix
prefix=$scratch/any/prefix
mkdir -p "$prefix/bin" "$prefix/lib/heddle/workloads" "$prefix/share/heddle/examples"
cp "$heddle" "$prefix/bin"
# A heddle that is linked with the shared library (make mutants) looks for the library beside itself.
for library in "$(dirname "$heddle")"/libheddle.so*; do [ ! -e "$library" ] || cp "$library" "$prefix/bin"; done
cp "$(dirname "$heddle")"/lib/*.so* "$prefix/lib/heddle"
cp "$(dirname "$heddle")/workloads/aes" "$prefix/lib/heddle/workloads"
cp ../../../examples/trips.ptx "$prefix/share/heddle/examples"
built=$heddle
heddle=$prefix/bin/heddle
check installed-workload 0 '^aes test: right' - run aes --size test --quiet
check installed-compare 0 '^  tbc +[0-9]+' - compare aes --size test --mech pdom,tbc --gpu tiny
check installed-missing 1 - 'lps is not built: there is no workloads/lps beside heddle or in ../lib/heddle' run lps --size test
check installed-libcuda 0 '^libcuda +/.*/any/prefix/lib/heddle$' - list folders
check installed-examples 0 '^examples +/.*/any/prefix/share/heddle/examples$' - list folders
ln -s "$prefix/bin/heddle" "$scratch/link"
heddle=$scratch/link
check installed-link 0 '^aes test: right' - run aes --size test --quiet
heddle=$built

# signals end all that runs, at once; what was done before has its row
endless="../trace/waits.ptx --kernel counting --gpu tiny --jobs 2"
# shellcheck disable=SC2086 -- words
{
    stops compare-term TERM 143 3 0 '^  tbc +stopped' 'stopped: 4 of 4 runs are missing' compare $endless --mech pdom,tbc,dwf
    stops compare-interrupt INT 130 3 0 '^  tbc +stopped' '4 of 4' compare $endless --mech pdom,tbc,dwf
    stops compare-hangup HUP 129 3 0 '^  tbc +stopped' '4 of 4' compare $endless --mech pdom,tbc,dwf
    stops compare-kill KILL 137 3 1 - - compare $endless --mech pdom,tbc,dwf
}
stops compare-workloads TERM 143 5 0 '"status":-1,.*"message":"stopped"' 'runs are missing' compare mcml --size paper \
    --mech pdom,tbc --jobs 2 --json
stops paper-term TERM 143 5 0 - 'stopped, without verdicts' paper tbc --claim T01 --jobs 2
stops paper-sweep-term TERM 143 5 0 - 'stopped, without verdicts' paper tbc --claim T01 --jobs 2 --sweep latency
stops workload-term TERM 143 2 0 '' 'mcml: stopped before its end' run mcml --size paper --gpu fermi
stops workload-interrupt INT 130 2 0 '' 'mcml: stopped before its end' run mcml --size paper --gpu fermi
stops workload-hangup HUP 129 2 0 '' 'mcml: stopped before its end' run mcml --size paper --gpu fermi
stops workload-kill KILL 137 2 1 '' '' run mcml --size paper --gpu fermi
head -3 ../saxpy.ptx >"$scratch/quick.ptx"
echo '.visible .entry counting() { ret; }' >>"$scratch/quick.ptx"
awaited=2.out # of the third run, the first that has no end
stops compare-some TERM 143 2 0 '^  pdom +[0-9]+ +1\.000 ' 'stopped: 2 of 4 runs are missing' compare "$scratch/quick.ptx" \
    ../trace/waits.ptx --kernel counting --gpu tiny --mech pdom --jobs 1
awaited=

# files of the runs have no place
TMPDIR=$scratch/nowhere
export TMPDIR
check compare-no-tmpdir 1 - "^heddle: cannot make a temporary folder in $scratch/nowhere: No such file" compare aes --size test
check paper-no-tmpdir 1 - 'cannot make a temporary folder' paper tbc --size test --claim T09
check workload-no-tmpdir 1 - 'cannot make a temporary file' run aes --size test
check workload-needs-none 0 '^aes test: right' - run aes --size test --quiet
mkdir "$scratch/it's \"here\""
TMPDIR="$scratch/it's \"here\""
check workload-odd-tmpdir 0 '^aes test: right' 'SIMD efficiency +100.0' run aes --size test
expect odd-tmpdir-is-left-empty rmdir "$TMPDIR"
unset TMPDIR

echo "$count checks of studies, $failed failed"
[ $failed -eq 0 ]
