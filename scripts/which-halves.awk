# Prints the table of halves of docs/notes/reed.md from a table of scripts/which-table.sh:
#   awk -f scripts/csv.awk -f scripts/which-halves.awk studies/which-mechanism.csv
#
# One row per mechanism but the ideals, one column per machine and half of the programs in the order of the alphabet
# (odd places, even places): the geometric mean of the speedup over pdom; the share of the bound, geometric mean over
# programs for which bound is right; and on how many programs the mechanism is at most 1 % slower than the best of the
# others, reed apart. Runs without a right result are in no mean and no count; - stands where there is none.
{ csv_split($0, field) }
NR == 1 { for (i = 1; i <= 5; i++) column[field[i]] = i; next }
field[column["status"]] == "ok" {
    program = field[column["program"]]; machine = field[column["machine"]]; mechanism = field[column["mechanism"]]
    if (!(program in place)) { place[program] = ++programs; name[programs] = program }
    if (!(machine in seen)) { seen[machine] = 1; machines[++machine_count] = machine }
    if (!(mechanism in known)) { known[mechanism] = 1; list[++mechanisms] = mechanism }
    cycles[program, machine, mechanism] = field[column["cycles"]] + 0
}
function is_ideal(mechanism) { return mechanism == "bound" || mechanism == "mimd" }
# The fewest cycles of all mechanisms but this one, reed and the ideals.
function best_other(program, machine, mechanism,    i, c, best) {
    best = 0
    for (i = 1; i <= mechanisms; i++) {
        if (list[i] == mechanism || list[i] == "reed" || is_ideal(list[i])) continue
        c = cycles[program, machine, list[i]]
        if (c && (!best || c < best)) best = c
    }
    return best
}
function cell(machine, half, mechanism,    i, c, speed, share, n, bounded, near) {
    for (i = half; i <= programs; i += 2) {
        c = cycles[name[i], machine, mechanism]
        if (!c) continue
        n++
        speed += log(cycles[name[i], machine, "pdom"] / c)
        if (cycles[name[i], machine, "bound"]) { bounded++; share += log(cycles[name[i], machine, "bound"] / c) }
        if (best_other(name[i], machine, mechanism) >= c / 1.01) near++
    }
    if (!n) return "-"
    return sprintf("%.3f, %s, %d of %d", exp(speed / n), bounded ? sprintf("%.1f %%", 100 * exp(share / bounded)) : "-", near, n)
}
END {
    printf "| mechanism |"
    for (m = 1; m <= machine_count; m++) printf " %s, odd places | %s, even places |", machines[m], machines[m]
    printf "\n|---|"
    for (m = 1; m <= machine_count; m++) printf "---|---|"
    print ""
    for (i = 1; i <= mechanisms; i++) {
        if (is_ideal(list[i])) continue
        printf "| %s |", list[i]
        for (m = 1; m <= machine_count; m++)
            for (half = 1; half <= 2; half++) printf " %s |", cell(machines[m], half, list[i])
        print ""
    }
}
