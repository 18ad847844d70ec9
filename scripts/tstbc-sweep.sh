#!/bin/sh
# Sweeps tstbc's parameters on the kernels of examples/: tstbc-sweep.sh HEDDLE [MACHINE]
#
# Prints one table for each reading of the threshold, n down and T_WCT across, each from 1 to 8, the warps of a block. A
# cell says how many times as fast as under pdom the kernels are, as the geometric mean. A last table has, kernel by
# kernel, the setting that the paper tuned, the single setting with the best mean, the best setting for the kernel, and
# tstbc-auto.
set -eu
heddle=${1:?usage: tstbc-sweep.sh HEDDLE [MACHINE]}
machine=${2:-fermi}
most=8
. "$(dirname "$0")/examples.sh"

# Prints lines "KERNEL SETTING CYCLES EFFICIENCY"; a setting is pdom, tstbc-auto or SENSE,N,T.
sweep() {
    for kernel in $kernel_names; do
        expect "$kernel"
        for mechanism in pdom tstbc-auto; do
            echo "$kernel $mechanism $(measure "$kernel" "$machine" $mechanism)"
        done
        for sense in lanemax saved; do
            for n in $(seq "$most"); do
                for t in $(seq "$most"); do
                    cycles=$(measure "$kernel" "$machine" tstbc --set tstbc.sense=$sense --set tstbc.n="$n" \
                        --set tstbc.threshold="$t") || exit 1
                    echo "$kernel $sense,$n,$t $cycles"
                done
            done
        done
    done
}

lines=$(sweep) || exit 1
echo "$lines" | awk -v most="$most" '
    $2 == "pdom" { base[$1] = $3; kernel[count++] = $1 }
    { speed[$2, $1] = base[$1] / $3 }
    $2 ~ /,/ && speed[$2, $1] > speed["best for the kernel", $1] { speed["best for the kernel", $1] = speed[$2, $1] }

    function mean(setting,    i, sum) {
        for (i = 0; i < count; i++)
            sum += log(speed[setting, kernel[i]])
        return exp(sum / count)
    }
    function table(sense,    n, t, line) {
        line = "| " sense ": n, T"
        for (t = 1; t <= most; t++)
            line = line " | " t
        print line " |"
        line = "|---"
        for (t = 1; t <= most; t++)
            line = line "|---"
        print line "|"
        for (n = 1; n <= most; n++) {
            line = "| " n
            for (t = 1; t <= most; t++) {
                line = line sprintf(" | %.3f", mean(sense "," n "," t))
                if (!best || mean(sense "," n "," t) > mean(best))
                    best = sense "," n "," t
            }
            print line " |"
        }
        print ""
    }
    function row(name, setting,    i, line) {
        line = "| " name
        for (i = 0; i < count; i++)
            line = line sprintf(" | %.2f", speed[setting, kernel[i]])
        print line sprintf(" | %.3f |", mean(setting))
    }
    END {
        table("lanemax")
        table("saved")
        head = "| setting"
        rule = "|---"
        for (i = 0; i < count; i++) {
            head = head " | " kernel[i]
            rule = rule "|---"
        }
        print head " | mean |"
        print rule "|---|"
        row("the paper: lanemax,3,2", "lanemax,3,2")
        row("best single: " best, best)
        row("best for the kernel", "best for the kernel")
        row("tstbc-auto", "tstbc-auto")
    }'
