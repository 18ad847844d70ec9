# Functions that learn from a table which mechanism suits a program: small decision trees over properties of programs.
#
# The caller fills, for one machine:
#   programs, candidates, properties    numbers of each
#   gain[P, C]                          logarithm of the speedup of program P under candidate C over pdom
#   value[Q, P]                         property Q of program P
#   node[P]                             1 if the tree may learn from program P, 0 if not
# and calls order_programs() once for these values, then learn() and choose().
#
# A tree's nodes are numbered as in a heap: 1 is the root, 2 N and 2 N + 1 are the children of N. A leaf chooses the
# candidate with the best mean over the programs that came to it. A split is the threshold of a property after which the
# two leaves' means are best; each side keeps at least LEAST programs, so that no leaf learns one program by heart.
# Of equally good ones the first is taken: the first candidate, the first property, the lowest threshold.

# Sorts the programs by each property: rank_order[Q, I] is the program in place I.
function order_programs(    q, i, j, p) {
    for (q = 1; q <= properties; q++)
        for (i = 1; i <= programs; i++) {
            p = i
            for (j = i - 1; j >= 1 && value[q, rank_order[q, j]] > value[q, p]; j--)
                rank_order[q, j + 1] = rank_order[q, j]
            rank_order[q, j + 1] = p
        }
}

# The best candidate for the programs at node N becomes leaf[N], the sum of its gains leaf_sum[N]; the sums of all
# candidates are total[].
function make_leaf(n,    c, p) {
    members = 0
    for (c = 1; c <= candidates; c++)
        total[c] = 0
    for (p = 1; p <= programs; p++)
        if (node[p] == n) {
            members++
            for (c = 1; c <= candidates; c++)
                total[c] += gain[p, c]
        }
    leaf[n] = 1
    for (c = 2; c <= candidates; c++)
        if (total[c] > total[leaf[n]] + 1e-9)
            leaf[n] = c
    leaf_sum[n] = total[leaf[n]]
    split_on[n] = 0
}

# Splits node N, if that gains anything, by property ONLY or, if that is 0, by the best one.
function split_node(n, only,    q, i, p, next_p, c, left, best, left_best, right_best, seen) {
    best = leaf_sum[n] + 1e-9
    for (q = only ? only : 1; q <= (only ? only : properties); q++) {
        for (c = 1; c <= candidates; c++)
            left[c] = 0
        seen = p = 0
        for (i = 1; i <= programs; i++) {
            next_p = rank_order[q, i]
            if (node[next_p] != n)
                continue
            if (seen >= LEAST && members - seen >= LEAST && value[q, next_p] > value[q, p]) {
                left_best = left[1]
                right_best = total[1] - left[1]
                for (c = 2; c <= candidates; c++) {
                    if (left[c] > left_best)
                        left_best = left[c]
                    if (total[c] - left[c] > right_best)
                        right_best = total[c] - left[c]
                }
                if (left_best + right_best > best + 1e-9) {
                    best = left_best + right_best
                    split_on[n] = q
                    threshold[n] = (value[q, p] + value[q, next_p]) / 2
                }
            }
            seen++
            p = next_p
            for (c = 1; c <= candidates; c++)
                left[c] += gain[p, c]
        }
    }
    if (split_on[n])
        for (p = 1; p <= programs; p++)
            if (node[p] == n)
                node[p] = 2 * n + (value[split_on[n], p] > threshold[n])
}

# Learns a tree of so many levels of splits from the programs whose node is 1.
function learn(levels, only,    n) {
    split_on[0] = 0
    for (n = 1; n < 2 ^ (levels + 1); n++) {
        if (n > 1 && !split_on[int(n / 2)]) {
            split_on[n] = 0
            continue
        }
        make_leaf(n)
        if (n < 2 ^ levels)
            split_node(n, only)
    }
}

# The candidate that the tree chooses for program P.
function choose(p,    n) {
    n = 1
    while (split_on[n])
        n = 2 * n + (value[split_on[n], p] > threshold[n])
    return leaf[n]
}

# Chooses for every program with a tree learnt from all others: choice[P].
function leave_one_out(levels, only,    out, p) {
    for (out = 1; out <= programs; out++) {
        for (p = 1; p <= programs; p++)
            node[p] = p != out
        learn(levels, only)
        choice[out] = choose(out)
    }
}

# Rank correlation (Spearman) of property Q with best_gain[P]; equal values share the mean of their places.
function rank_correlation(q,    p, r, a, b, mean, aa, bb, ab) {
    mean = (programs + 1) / 2
    for (p = 1; p <= programs; p++) {
        a = b = 0.5
        for (r = 1; r <= programs; r++) {
            a += value[q, r] < value[q, p] ? 1 : value[q, r] == value[q, p] ? 0.5 : 0
            b += best_gain[r] < best_gain[p] ? 1 : best_gain[r] == best_gain[p] ? 0.5 : 0
        }
        aa += (a - mean) ^ 2
        bb += (b - mean) ^ 2
        ab += (a - mean) * (b - mean)
    }
    return aa * bb > 0 ? ab / sqrt(aa * bb) : 0
}
