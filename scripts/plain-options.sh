#!/bin/sh
# Compares sets of options for clang by the criterion of docs/plain-ptx.md, with which the options of plain.ptx
# (scripts/workload-ptx.sh) were chosen. Prints one row per set, as a table of Markdown.
#
# usage: scripts/plain-options.sh [SET ...]     (from the root of the sources, after make; all sets, if none is named)
#
# Needs nvcc 13.0 and clang, opt and llc of LLVM 14; NVCC, CLANG, OPT, LLC and CUDA_HOME may name others.
set -eu
[ -d workloads/common ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang-14} opt=${OPT:-opt-14} llc=${LLC:-llc-14} cuda=${CUDA_HOME:-/usr/local/cuda}
build=${BUILD:-build}
programs="aes bfs2 hotsp lps mum mumpp nvrt ray"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

m() # OPTION ...: the options for the passes of LLVM
{
    for option; do printf ' -mllvm -%s' "$option"; done
}

no_selects=$(m phi-node-folding-threshold=0 two-entry-phi-node-folding-threshold=0)
no_speculation=$(m speculate-one-expensive-inst=false spec-exec-max-speculation-cost=0)
no_merging=$(m simplifycfg-hoist-common=false simplifycfg-sink-common=false simplifycfg-merge-cond-stores=false)
no_threading=$(m jump-threading-threshold=0 simplifycfg-max-small-block-size=0)
no_copies=$(m disable-tail-duplicate disable-early-taildup tail-dup-placement=false)
keep="$no_selects$no_speculation$no_merging$no_threading"
unroll_constant="-funroll-loops$(m unroll-runtime=false unroll-allow-partial=false)"
wide=$(m bonus-inst-threshold=4)

options_of() # SET
{
    case $1 in
    O1 | O2 | O3 | Os) echo "-$1" ;;
    O?-keep) echo "-${1%-keep} -fno-unroll-loops $keep" ;;
    O?-unroll) echo "-${1%-unroll} $unroll_constant $keep" ;;
    selects) echo "-O1 $unroll_constant $no_speculation $no_merging $no_threading" ;;
    speculation) echo "-O1 $unroll_constant $no_selects $no_merging $no_threading" ;;
    merging) echo "-O1 $unroll_constant $no_selects $no_speculation $no_threading" ;;
    threading) echo "-O1 $unroll_constant $no_selects $no_speculation $no_merging" ;;
    every-condition) echo "-O1 $unroll_constant $keep$(m simplifycfg-branch-fold-threshold=0)" ;;
    O?-conditions) echo "-${1%-conditions} $unroll_constant $keep $wide" ;;
    no-rotation) echo "-O1 $unroll_constant $keep $wide$(m rotation-max-header-size=0)" ;;
    no-copies) echo "-O1 $unroll_constant $keep $wide $no_copies" ;;
    no-tail-merge) echo "-O1 $unroll_constant $keep $wide$(m enable-tail-merge=false)" ;;
    no-lsr) echo "-O1 $unroll_constant $keep $wide$(m disable-lsr)" ;;
    no-hoisting) echo "-O1 $unroll_constant $keep $wide$(m disable-lsr disable-machine-licm disable-cgp)" ;;
    few-registers) echo "-O1 $unroll_constant $keep $wide$(m nvptx-sched4reg)" ;;
    no-pre) echo "-O2 $unroll_constant $keep $wide$(m enable-pre=false enable-load-pre=false)" ;;
    *) echo "no set is called $1" >&2; exit 2 ;;
    esac
}
# Sets called passes-* name the passes of LLVM themselves. While variables are in memory, as clang's front end leaves
# them, an if has stores and ?:, && and || have none; simplifycfg makes only the latter straight code.
as_written="-two-entry-phi-node-folding-threshold=16 -simplifycfg-branch-fold-threshold=16 -phi-node-folding-threshold=0
    -simplifycfg-hoist-common=false -simplifycfg-sink-common=false -simplifycfg-merge-cond-stores=false
    -simplifycfg-hoist-cond-stores=false"
conditions="nvvm-reflect,simplifycfg<bonus-inst-threshold=16>,"
values="sroa,early-cse,instcombine,infer-address-spaces,"
rotate="loop-simplify,lcssa,loop(loop-rotate),instcombine,loop-simplify,lcssa,"
hoist="loop-mssa(licm),"
unroll="loop(loop-unroll-full),"
tidy="sroa,instcombine,early-cse,adce"

passes_of() # SET
{
    case $1 in
    passes-memory) passes="nvvm-reflect,sroa,early-cse,infer-address-spaces,dce" ;;
    passes-late) passes="nvvm-reflect,${values}${rotate}${hoist}${unroll}simplifycfg<bonus-inst-threshold=16>,$tidy" ;;
    passes-no-rotation) passes="${conditions}${values}loop-simplify,lcssa,${hoist}${unroll}$tidy" ;;
    passes-no-hoisting) passes="${conditions}${values}${rotate}${unroll}$tidy" ;;
    passes-plain | passes-in-order | passes-few-registers) passes="${conditions}${values}${rotate}${unroll}$tidy" ;;
    passes-no-unrolling) passes="${conditions}${values}${rotate}${hoist}$tidy" ;;
    passes-gvn) passes="${conditions}${values}${rotate}${hoist}${unroll}sroa,instcombine,gvn,adce" ;;
    passes-*) passes="${conditions}${values}${rotate}${hoist}${unroll}$tidy" ;;
    esac
    echo "cgscc(inline),globaldce,function($passes)"
}

codegen_of() # SET
{
    case $1 in
    passes-no-lsr | passes-plain) echo "-disable-lsr" ;;
    passes-in-order) echo "-disable-block-placement" ;;
    passes-few-registers) echo "-disable-lsr -nvptx-sched4reg" ;;
    esac
}

all_sets="nvcc O1 O2 O3 Os O1-keep O2-keep Os-keep O1-unroll selects speculation merging threading every-condition
    O1-conditions O2-conditions Os-conditions no-rotation no-copies no-tail-merge no-lsr no-hoisting few-registers
    no-pre passes-memory passes-late passes-conditions passes-no-rotation passes-no-hoisting passes-no-unrolling
    passes-gvn passes-no-lsr passes-plain passes-in-order passes-few-registers"

front="-x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib
    -Wno-unknown-cuda-version -Iworkloads/common -Iinclude
    -Xclang -mlink-builtin-bitcode -Xclang $cuda/nvvm/libdevice/libdevice.10.bc"
no_passes="-S -emit-llvm -O2 -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers"

compile() # SET PROGRAM TO [-gline-tables-only]: the PTX
{
    # shellcheck disable=SC2046,SC2086 # the options are several words
    case $1 in
    nvcc) "$nvcc" -ptx -arch=sm_75 -Iworkloads/common -Iinclude ${4:+-lineinfo} "workloads/$2/kernels.cu" -o "$3" ;;
    passes-*) "$clang" $front $no_passes ${4-} "workloads/$2/kernels.cu" -o - |
        "$opt" -S -inline-threshold=1000000 -passes="$(passes_of "$1")" $as_written |
        "$llc" -O1 -mcpu=sm_75 -mattr=+ptx63 $(codegen_of "$1") -o "$3" ;;
    *) "$clang" $front -S $(options_of "$1") ${4-} "workloads/$2/kernels.cu" -o "$3" ;;
    esac
}

# The places where the source branches, as scripts/branch-sites.awk says: SCRATCH/PROGRAM.sites.
find_sites() # PROGRAM
{
    # shellcheck disable=SC2086
    "$clang" $front $no_passes -fno-discard-value-names -gline-tables-only "workloads/$1/kernels.cu" -o - |
        "$opt" -S -passes='cgscc(inline),function(sroa)' -inline-threshold=1000000 |
        awk -f scripts/branch-sites.awk >"$scratch/$1.sites"
}

# Conditional branches in the PTX with line numbers: those of the source that are missing, those at places where the
# source has none, and all. A line of the source is compared as a whole, since a branch on a && b may have either's
# column. A guarded loop has two branches, one before its first round and one after each round; other loops may.
count_branches() # PTX SITES
{
    awk -v sites="$2" '
        BEGIN {
            while ((getline place <sites) > 0) {
                split(place, part, ":")
                want[part[1]]++
                may[part[1]] += 1 + (place ~ /loop|guarded/)
                guards[part[1]] += place ~ /guarded/
            }
        }
        $1 == ".loc" { file = $2; line = $3; column = $4; sub(/,$/, "", column) }
        $1 == ".file" && /kernels\.cu"/ { kernels[$2] = 1 }
        /^[ \t]*@!?%p[0-9]+ bra/ {
            branches++
            all[line]++
            at[branches] = line; col[branches] = column; of[branches] = file
        }
        END {
            for (i = 1; i <= branches; i++)
                if (of[i] in kernels && !((at[i], col[i]) in seen)) {
                    seen[at[i], col[i]] = 1
                    got[at[i]]++
                    places++
                } else if (!(of[i] in kernels))
                    more++
            for (l in guards) missing += guards[l] && all[l] < want[l] + guards[l] && got[l] >= want[l]
            for (l in want) missing += want[l] > got[l] ? want[l] - got[l] : 0
            for (l in got) more += got[l] > may[l] ? got[l] - may[l] : 0
            print missing + 0, more + 0, branches + 0
        }' "$1"
}

# A program whose kernels are the PTX.
link() # PROGRAM PTX TO
{
    mkdir -p "$scratch/ptx"
    cp "$2" "$scratch/ptx/nvcc.ptx"
    cp "$2" "$scratch/ptx/plain.ptx"
    cc -std=gnu17 -O2 -ffp-contract=off -Iinclude -Iworkloads/common -Wa,-I"$scratch/ptx" -o "$3" \
        "workloads/$1/host.c" workloads/common/*.c workloads/common/ptx.S -L"$build/lib" \
        -Wl,--disable-new-dtags,-rpath,"$(realpath "$build")/lib" -lcuda -lm
}

# Of the lines of JSON: the sum of a figure over launches (sum), or its greatest value (most).
figure() # sum|most NAME
{
    grep -oE "\"$2\":[0-9]+" | awk -F: -v how="$1" '
        { sum += $2; most = $2 > most ? $2 : most } END { print how == "sum" ? sum : most + 0 }'
}

# Published: thread instructions in millions, least and most of the papers, where the input is known; stack depth (TBC
# Table 3); blocks per core (TBC Table 1).
published="aes 27 30 - 2
bfs2 26 28 3 2
hotsp - - 2 2
lps 67 81 5 6
mum 69 83 13 4
mumpp - - 14 3
nvrt - - 5 3
ray 62 65 9 3"

measure() # SET
{
    missing=0 more=0 branches=0 local_memory='' wrong='' depths='' blocks='' counts=''
    : >"$scratch/ratios"
    for p in $programs; do
        compile "$1" "$p" "$scratch/lines.ptx" -gline-tables-only
        compile "$1" "$p" "$scratch/run.ptx"
        # shellcheck disable=SC2046
        set -- "$1" $(count_branches "$scratch/lines.ptx" "$scratch/$p.sites")
        missing=$((missing + $2)) more=$((more + $3)) branches=$((branches + $4))
        grep -q -e __local_depot -e 'call' "$scratch/run.ptx" && ! grep -q __local_depot "workloads/$p/nvcc.ptx" &&
            local_memory="$local_memory $p"
        link "$p" "$scratch/run.ptx" "$scratch/program"
        HEDDLE_OPTS="--gpu fx5800 --mech tbc-lcp --json $scratch/timed" \
            "$scratch/program" --size test >/dev/null 2>&1 || wrong="$wrong $p"
        depths="$depths $p:$(figure most max_depth <"$scratch/timed")"
        blocks="$blocks $p:$(grep -oE '"blocks_per_sm":[0-9]+' "$scratch/timed" | head -1 | cut -d: -f2)"
        case $p in aes | bfs2 | lps | mum | ray)
            HEDDLE_OPTS="--json $scratch/counted" "$scratch/program" --size paper >/dev/null 2>&1 || wrong="$wrong $p"
            counts="$counts $p:$(figure sum thread_instructions <"$scratch/counted")" ;;
        esac
        rm -f "$scratch/timed" "$scratch/counted"
    done
    echo "$published" | awk -v set="$1" -v missing="$missing" -v more="$more" -v branches="$branches" \
        -v depths="$depths" -v blocks="$blocks" -v counts="$counts" -v bad="$local_memory" -v wrong="$wrong" '
        function value(list, name,    i, n, word) {
            n = split(list, word, " ")
            for (i = 1; i <= n; i++)
                if (index(word[i], name ":") == 1)
                    return substr(word[i], length(name) + 2)
        }
        {
            if ($4 != "-") {
                d = value(depths, $1); off = d - $4; depth_off += off < 0 ? -off : off
                depth_list = depth_list (depth_list ? " " : "") d
            }
            fit += value(blocks, $1) == $5
            block_list = block_list (block_list ? " " : "") value(blocks, $1)
            if ($2 == "-") next
            c = value(counts, $1) / 1e6; measured++
            ratio = c < $2 ? log($2 / c) : c > $3 ? log(c / $3) : 0
            count_off += ratio / log(2)
            count_list = count_list (count_list ? " " : "") sprintf("%.0f", c)
        }
        END {
            printf "| %s | %d | %d | %d | %d (%s) | %.2f (%s) | %d (%s) | %s%s |\n", set, missing, more, branches,
                depth_off, depth_list, count_off / measured, count_list, fit, block_list,
                bad == "" ? "" : "local memory or calls:" bad, wrong == "" ? "" : " wrong:" wrong
        }'
}

# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all_sets
for p in $programs; do find_sites "$p"; done
echo "Branches of the source: $(cat "$scratch"/*.sites | wc -l)"
echo
echo "| options | missing | more | branches | depths off (bfs2 hotsp lps mum mumpp nvrt ray) |" \
    "counts off (aes bfs2 lps mum ray) | blocks right (aes bfs2 hotsp lps mum mumpp nvrt ray) | |"
echo "|---|---|---|---|---|---|---|---|"
for one; do measure "$one"; done
