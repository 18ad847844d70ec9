# Checks the table of claims of a page: awk -v paper=NAME -f claims.awk claims.txt docs/papers/NAME.md
#
# claims.txt has the ids that the page must have, each once. Further ids end in x. Every row has all columns of the
# heading; a claim has a measured value and a verdict, and one that does not hold has a reason, also where it does not
# hold at another size or with the other PTX only.

function complain(why) {
    print why
    failed = 1
}

FNR == NR {
    if ($1 == paper)
        wanted[$2] = 1
    next
}
/^\| id \|/ {
    columns = split($0, cells, / \| /)
    in_table = 1
    next
}
!/^\|/ { in_table = 0 }
in_table && !/^\|---/ {
    count = split($0, cells, / \| /)
    id = substr(cells[1], 3)
    if (count != columns)
        complain(id " has " count " columns, not " columns)
    if (id in seen)
        complain(id " is there twice")
    if (!(id in wanted) && id !~ /x$/)
        complain(id " is no id of the list, and does not end in x")
    seen[id] = 1
    if (cells[6] !~ /^(holds|direction|fails|unknown)$/)
        complain(id " has no verdict: " cells[6])
    if (cells[5] == "–" && cells[6] != "unknown")
        complain(id " has no measured value")
    sub(/ \|$/, "", cells[7])
    if (cells[6] != "holds" && cells[7] == "–")
        complain(id " does not hold, and no reason is given")
    for (i = 8; i <= count; i++) {
        sub(/ \|$/, "", cells[i])
        if (cells[i] ~ /, (direction|fails|unknown)$/ && cells[7] == "–")
            complain(id " does not hold in column " i ", and no reason is given")
    }
}
END {
    for (id in wanted)
        if (!(id in seen))
            complain(id " is missing")
    exit failed
}
