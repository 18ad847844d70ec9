# Writes docs/which-mechanism.md; see which-mechanism.sh. Needs csv.awk and which-tree.awk.

function refuse(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
    failed = 1
    exit 1
}

# The place of a name in a list of distinct names: 1 for the first that was added.
function place(list, name) {
    if (!((list, name) in place_of)) {
        place_of[list, name] = ++length_of[list]
        name_at[list, length_of[list]] = name
    }
    return place_of[list, name]
}

function is_ideal(mechanism) { return mechanism == "mimd" || mechanism == "bound" }

FNR == 1 {
    first_property = 6
    properties_read = csv_split($0, heading) - first_property + 1
    if ($0 !~ /^program,machine,mechanism,status,cycles,/)
        refuse("the heading is not that of scripts/which-table.sh")
    next
}

{
    if (csv_split($0, field) != properties_read + first_property - 1)
        refuse("the row has not as many fields as the heading")
    program = place("program", field[1])
    machine = place("machine", field[2])
    key = machine SUBSEP program SUBSEP field[3]
    if (key in status)
        refuse("a second row for " field[1] " on " field[2] " under " field[3])
    if (!is_ideal(field[3]))
        place("mechanism", field[3])
    status[key] = field[4]
    if (field[4] == "ok") {
        if (field[5] + 0 <= 0)
            refuse("a run that is ok has no cycles")
        cycles[key] = field[5]
    }
    if (field[3] == "pdom")
        for (i = 1; i <= properties_read; i++)
            property[machine, program, i] = field[first_property + i - 1]
}

# Mechanism K, with the two ideals last.
function mechanism_at(k,    last) {
    last = length_of["mechanism"]
    return k <= last ? name_at["mechanism", k] : k == last + 1 ? "mimd" : "bound"
}

# Speedup over pdom, or 0 if one of the two runs failed or is missing.
function speedup(m, p, mechanism) {
    if (!((m, p, mechanism) in cycles) || !((m, p, "pdom") in cycles))
        return 0
    return cycles[m, p, "pdom"] / cycles[m, p, mechanism]
}

# The mechanism with the fewest cycles, mimd and bound apart; pdom unless another is 0.5 % faster.
function best_of(m, p,    k, name, best, most) {
    best = "pdom"
    most = 1.005
    for (k = 1; k <= length_of["mechanism"]; k++) {
        name = name_at["mechanism", k]
        if (speedup(m, p, name) > most + 1e-9) {
            most = speedup(m, p, name)
            best = name
        }
    }
    return best
}

function cell(x, format) { return x > 0 ? sprintf(format, x) : "-" }
function percent(x) { return sprintf("%.0f %%", 100 * x) }

function summary(m,    k, p, name, s, b, n, logs, wins, near, losses, fails, shares, sharing, bests, most) {
    print "| mechanism | speedup | share of the bound | best | within 1 % of the best | over 2 % slower than pdom |" \
        " no result |"
    print "|---|---|---|---|---|---|---|"
    for (k = 1; k <= length_of["mechanism"] + 2; k++) {
        name = mechanism_at(k)
        n = logs = wins = near = losses = fails = shares = sharing = 0
        for (p = 1; p <= length_of["program"]; p++) {
            s = speedup(m, p, name)
            if (!s) {
                fails++
                continue
            }
            n++
            logs += log(s)
            bests = best_of(m, p)
            most = speedup(m, p, bests)
            wins += name == bests && name != "pdom"
            near += s >= 0.99 * most
            losses += s < 0.98
            if ((b = speedup(m, p, "bound"))) {
                sharing++
                shares += log(s / b)
            }
        }
        if (n)
            printf "| %s | %.3f | %s | %s | %s | %d | %d |\n", name, exp(logs / n),
                sharing ? sprintf("%.1f %%", 100 * exp(shares / sharing)) : "-", is_ideal(name) ? "" : wins,
                is_ideal(name) ? "" : near, losses, fails
    }
}

function program_table(m,    k, p, line, rule, best, s, b) {
    line = "| program | best | its speedup | its share of the bound"
    rule = "|---|---|---|---"
    for (k = 1; k <= length_of["mechanism"]; k++)
        if (name_at["mechanism", k] != "pdom") {
            line = line " | " name_at["mechanism", k]
            rule = rule "|---"
        }
    print line " | mimd | bound |"
    print rule "|---|---|"
    for (p = 1; p <= length_of["program"]; p++) {
        best = best_of(m, p)
        s = speedup(m, p, best)
        b = speedup(m, p, "bound")
        line = "| " name_at["program", p] " | " (best == "pdom" ? "-" : best) " | " cell(s, "%.2f") \
            " | " (b && s ? percent(s / b) : "-")
        for (k = 1; k <= length_of["mechanism"]; k++)
            if (name_at["mechanism", k] != "pdom")
                line = line " | " cell(speedup(m, p, name_at["mechanism", k]), "%.2f")
        print line " | " cell(speedup(m, p, "mimd"), "%.2f") " | " cell(b, "%.2f") " |"
    }
}

# Names what is faster than the bound.
function above_bound(m,    k, p, name, found) {
    found = ""
    for (k = 1; k <= length_of["mechanism"] + 1; k++) {
        name = mechanism_at(k)
        for (p = 1; p <= length_of["program"]; p++)
            if (speedup(m, p, "bound") && speedup(m, p, name) > speedup(m, p, "bound") * 1.005)
                found = found (found == "" ? "" : ", ") name " on " name_at["program", p]
    }
    print "Over 0.5 % faster than `bound`: " (found == "" ? "nothing" : found) "."
}

# Fills the tables of which-tree.awk for a machine, with all mechanisms but WITHOUT to choose from.
function prepare(m, without,    p, k, c, q, name, whole, at) {
    programs = candidates = properties = 0
    skipped = ""
    for (p = 1; p <= length_of["program"]; p++)
        if (speedup(m, p, "bound"))
            at[++programs] = p
        else
            skipped = skipped (skipped == "" ? "" : ", ") name_at["program", p]
    unfit = ""
    for (k = 1; k <= length_of["mechanism"]; k++) {
        name = name_at["mechanism", k]
        if (name == without)
            continue
        whole = 1
        for (p = 1; p <= programs; p++)
            whole = whole && speedup(m, at[p], name) > 0
        if (!whole) {
            unfit = unfit (unfit == "" ? "" : ", ") name
            continue
        }
        candidate[++candidates] = name
        for (p = 1; p <= programs; p++)
            gain[p, candidates] = log(speedup(m, at[p], name))
    }
    for (p = 1; p <= programs; p++) {
        best_gain[p] = gain[p, 1]
        for (c = 2; c <= candidates; c++)
            if (gain[p, c] > best_gain[p])
                best_gain[p] = gain[p, c]
    }
    for (q = 1; q <= properties_read; q++) {
        whole = 1
        for (p = 1; p <= programs; p++)
            whole = whole && property[m, at[p], q] != ""
        if (!whole)
            continue
        property_name[++properties] = heading[first_property + q - 1]
        gsub(/_/, " ", property_name[properties])
        for (p = 1; p <= programs; p++)
            value[properties, p] = property[m, at[p], q] + 0
    }
    order_programs()
}

# Prints what a way to choose got, beside one mechanism for all (single_gain), and leaves its mean speedup in got_mean.
function choice_row(label,    p, logs, lost, near, faster, slower) {
    logs = lost = near = faster = slower = 0
    for (p = 1; p <= programs; p++) {
        logs += choice_gain[p]
        lost += best_gain[p] - choice_gain[p]
        near += choice_gain[p] >= best_gain[p] + log(0.99)
        faster += choice_gain[p] > single_gain[p] + log(1.01)
        slower += choice_gain[p] < single_gain[p] - log(1.01)
    }
    got_mean = exp(logs / programs)
    printf "| %s | %.3f | %d of %d (%s) | %.1f %% | %d, %d |\n", label, got_mean, near, programs,
        percent(near / programs), 100 * (1 - exp(-lost / programs)), faster, slower
}

function take_choices(    p) {
    for (p = 1; p <= programs; p++)
        choice_gain[p] = gain[p, choice[p]]
}

# The tree that all programs together make, as nested lines.
function print_tree(n, indent) {
    if (!split_on[n]) {
        print indent "- " candidate[leaf[n]]
        return
    }
    printf "%s- %s at most %.4g:\n", indent, property_name[split_on[n]], threshold[n]
    print_tree(2 * n, indent "    ")
    printf "%s- %s above %.4g:\n", indent, property_name[split_on[n]], threshold[n]
    print_tree(2 * n + 1, indent "    ")
}

function whole_tree(levels,    p) {
    for (p = 1; p <= programs; p++)
        node[p] = 1
    learn(levels, 0)
}

function choices(m,    p, q, single, better, helpful, tree) {
    print "| choice | speedup | within 1 % of the best | speed lost against the best |" \
        " faster, slower than one for all |"
    print "|---|---|---|---|---|"
    leave_one_out(0, 0)
    for (p = 1; p <= programs; p++) {
        single_gain[p] = gain[p, choice[p]]
        choice_gain[p] = 0
    }
    choice_row("always pdom")
    take_choices()
    whole_tree(0)
    choice_row("one mechanism for all programs (" candidate[leaf[1]] ")")
    single = got_mean
    better = 0
    helpful = ""
    for (q = 1; q <= properties; q++) {
        leave_one_out(1, q)
        take_choices()
        choice_row("by " property_name[q] " alone")
        if (got_mean > single * 1.001) {
            better++
            helpful = helpful (helpful == "" ? "" : ", ") property_name[q]
        }
    }
    leave_one_out(1, 0)
    take_choices()
    choice_row("by the property that is best for the other programs")
    leave_one_out(2, 0)
    take_choices()
    choice_row("by a tree of two levels")
    tree = got_mean
    for (p = 1; p <= programs; p++)
        choice_gain[p] = best_gain[p]
    choice_row("always the best")
    print ""
    verdict(single, better, helpful, tree, got_mean)
    print ""
    print "The tree of two levels that all programs together make:"
    print ""
    whole_tree(2)
    print_tree(1, "")
}

# What the figures say, in words: a property helps if its choice is over 0.1 % faster in the mean than one mechanism.
function verdict(single, better, helpful, tree, best,    share) {
    if (better)
        print better " of the " properties " properties choose" (better == 1 ? "s" : "") \
            " better in the mean than one mechanism for all programs does, by over 0.1 %: " helpful "."
    else
        print "None of the " properties " properties chooses better in the mean than one mechanism for all programs" \
            " does, by over 0.1 %."
    share = best > single ? (tree - single) / (best - single) : 0
    if (share <= 0)
        print "The tree of two levels is no faster than one mechanism for all: what it learns does not carry over" \
            " to a program that it has not seen."
    else
        printf "%s %.0f %% %s\n", "The tree of two levels wins", 100 * share,
            "of what always taking the best would win over one mechanism for all" \
            (share < 0.25 ? ", which is little." : ".")
}

function correlations(    q) {
    print "| property | rank correlation with the speedup of the best mechanism |"
    print "|---|---|"
    for (q = 1; q <= properties; q++)
        printf "| %s | %+.2f |\n", property_name[q], rank_correlation(q)
}

# Replaces a line <!-- NAME ... --> of the page's text by what it names.
function expand(line,    word, m) {
    if (line !~ /^<!-- [a-z]+ [a-z0-9]+( [a-z]+)? -->$/) {
        print line
        return
    }
    split(line, word, " ")
    if (!(("machine", word[3]) in place_of)) {
        printf "%s: the table has no machine %s\n", text, word[3] >"/dev/stderr"
        failed = 1
        exit 1
    }
    m = place_of["machine", word[3]]
    if (word[2] == "summary")
        summary(m)
    else if (word[2] == "programs")
        program_table(m)
    else if (word[2] == "above")
        above_bound(m)
    else {
        prepare(m, word[4] == "-->" ? "" : word[4])
        if (word[2] == "choices")
            choices(m)
        else if (word[2] == "correlations")
            correlations()
        else if (word[2] == "unfit")
            print "- On " word[3] ", programs left out: " (skipped == "" ? "none" : skipped) \
                "; mechanisms that cannot be chosen: " (unfit == "" ? "none" : unfit) "."
        else {
            printf "%s: there is no part named %s\n", text, word[2] >"/dev/stderr"
            failed = 1
            exit 1
        }
    }
}

END {
    if (failed)
        exit 1
    LEAST = 5
    for (m = 1; m <= length_of["machine"]; m++)
        for (p = 1; p <= length_of["program"]; p++)
            if (!((m, p, "pdom") in cycles)) {
                printf "%s: no result of %s on %s under pdom\n", FILENAME, name_at["program", p],
                    name_at["machine", m] >"/dev/stderr"
                exit 1
            }
    while ((got = (getline line <text)) > 0)
        expand(line)
    if (got < 0) {
        printf "%s: cannot be read\n", text >"/dev/stderr"
        exit 1
    }
}
