# The table and the figures of compare_cycles.sh: reads the recorded rows, and heddle's JSON from the folder `keep`.
# member.awk is read before this file.
function note(group, ours, theirs, instructions,    x, y, z) {
    x = log(ours); y = log(theirs); z = log(instructions)
    n[group]++
    error[group] += ours > theirs ? (ours - theirs) / theirs : (theirs - ours) / theirs
    ratio[group] += x - y
    sx[group] += x; sy[group] += y; sz[group] += z
    sxx[group] += x * x; syy[group] += y * y; szz[group] += z * z
    sxy[group] += x * y; szy[group] += z * y
}
function correlation(count, sum_x, sum_y, sum_xx, sum_yy, sum_xy,    below) {
    below = (count * sum_xx - sum_x * sum_x) * (count * sum_yy - sum_y * sum_y)
    return below > 0 ? (count * sum_xy - sum_x * sum_y) / sqrt(below) : 0
}
function print_group(group, text) {
    if (n[group])
        printf "| %s | %d | %.1f %% | %.2f | %.3f | %.3f |\n", text, n[group], 100 * error[group] / n[group],
               exp(ratio[group] / n[group]),
               correlation(n[group], sx[group], sy[group], sxx[group], syy[group], sxy[group]),
               correlation(n[group], sz[group], sy[group], szz[group], syy[group], szy[group])
}
BEGIN {
    count = split(sets, part, " ")
    for (i = 1; i <= count; i++)
        wanted[part[i]] = 1
    print "| set | program | launch | kernel | grid | block | us | H200 cycles | heddle | ratio | H200 instructions | heddle |"
    print "|---|---|---:|---|---|---|---:|---:|---:|---:|---:|---:|"
}
/^#/ || $1 == "set" || !($1 in wanted) { next }
$11 > most { left_out++; next }
{
    file = keep "/" $1 "-" $2 ".json"
    if ((getline line < file) <= 0)
        fail(file ": no line for launch " $3)
    if (member(line, "kernel") != $4)
        fail(file ": launch " $3 " is of " member(line, "kernel") ", not of " $4)
    ours = member(line, "cycles") + before
    instructions = member(line, "warp_instructions")
    seconds += member(line, "host_seconds")
    printf "| %s | %s | %d | %s | %s | %s | %.1f | %d | %d | %.2f | %d | %d |\n", $1, $2, $3, $4, $5, $6, $10 / 1000, $7,
           ours, ours / $7, $11, instructions
    note("all", ours, $7, instructions)
    note($1, ours, $7, instructions)
    if ($10 >= 10000)
        note("long", ours, $7, instructions)
    if ($1 == "small" || $1 == "paper")
        note("workloads", ours, $7, instructions)
    if ($10 >= 10000 || $1 == "small" || $1 == "paper")
        note("both", ours, $7, instructions)
}
END {
    if (failed)
        exit 1
    print "\n| launches | number | mean absolute error | geometric mean of the ratios | correlation of log cycles | of log instructions alone |"
    print "|---|---:|---:|---:|---:|---:|"
    print_group("all", "all")
    print_group("long", "of 10 us or longer")
    print_group("workloads", "workloads")
    print_group("both", "workloads, and all of 10 us or longer")
    for (i = 1; i <= count; i++)
        print_group(part[i], "set " part[i])
    printf "\n%d launches of more than %d warp instructions were left out. Simulating took %.0f seconds.\n", left_out, most, seconds
}
