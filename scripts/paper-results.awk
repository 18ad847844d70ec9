# Merges a table of verdicts into the kept results of a paper; see paper-results.sh. Variables: size, ptx, commit, date,
# and the names of two of the three files that are read: claims, kept.

function complain(why) {
    print "paper-results.sh: " why >"/dev/stderr"
    failed = 1
    exit 1
}

# The line as a field of each column, by the names of the heading.
function take(    i) {
    value["sweep"] = ""
    csv_split($0, field)
    for (i = 1; i <= columns; i++)
        value[heading[i]] = field[i]
}

function keep(size, ptx, id, rest) {
    if (!(id in is_claim))
        return
    row[size, ptx, id] = rest
}

FNR == 1 {
    columns = csv_split($0, heading)
    if (FILENAME != claims && FILENAME != kept && $0 !~ /^id,.*measured,verdict,/)
        complain(FILENAME " is not what heddle paper --csv prints")
    next
}
FILENAME == claims { take(); ids[++count] = value["id"]; is_claim[value["id"]] = 1; next }
FILENAME == kept {
    take()
    keep(value["size"], value["ptx"], value["id"], csv_field(value["date"]) "," csv_field(value["commit"]) "," \
        csv_field(value["id"]) "," csv_field(value["measured"]) "," value["verdict"] "," csv_field(value["details"]))
    next
}
{
    take()
    if (!(value["id"] in is_claim))
        complain(claims " has no claim " value["id"])
    if (ptx == "both" ? value["sweep"] != "ptx" : value["sweep"] != "")
        complain(FILENAME (ptx == "both" ? " is not of the sweep ptx" : " is of a sweep; the PTX may be both"))
    keep(size, ptx == "both" ? value["variant"] : ptx, value["id"], \
        csv_field(date) "," csv_field(commit) "," csv_field(value["id"]) "," \
        csv_field(value["measured"]) "," value["verdict"] "," csv_field(value["details"]))
}
END {
    if (failed)
        exit 1
    print "size,ptx,date,commit,id,measured,verdict,details"
    sizes = split("paper small test", size_names, " ")
    split("plain nvcc", ptx_names, " ")
    for (s = 1; s <= sizes; s++)
        for (p = 1; p <= 2; p++)
            for (i = 1; i <= count; i++)
                if ((size_names[s], ptx_names[p], ids[i]) in row)
                    print size_names[s] "," ptx_names[p] "," row[size_names[s], ptx_names[p], ids[i]]
}
