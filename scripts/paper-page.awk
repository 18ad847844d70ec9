# The page of a paper's claims; see paper-page.sh. Variables: ptx, the PTX that decides, and the names of two of the
# three files that are read: claims, results.

# The line as a field of each column, by the names of the heading.
function take(    i) {
    csv_split($0, field)
    for (i = 1; i <= columns; i++)
        value[heading[i]] = field[i]
}

function or_dash(text) { return text == "" ? "–" : text }

# A text in a cell of a table.
function cell(text) {
    gsub(/\|/, "\\|", text)
    return or_dash(text)
}

# Names the results of one size and PTX by a number; those that decide are the first.
function order_results(    sizes, names, kinds, s, p) {
    sizes = split("paper small test", names, " ")
    kinds[1] = ptx
    kinds[2] = ptx == "plain" ? "nvcc" : "plain"
    for (p = 1; p <= 2; p++)
        for (s = 1; s <= sizes; s++)
            if ((names[s], kinds[p]) in counted) {
                set_count++
                set_size[set_count] = names[s]
                set_ptx[set_count] = kinds[p]
            }
}

function set_name(k) { return "size " set_size[k] ", " set_ptx[k] " PTX" }

# The reason why a claim does not hold; none if it holds in every column.
function reason(id,    k, key) {
    for (k = 1; k <= set_count; k++) {
        key = set_size[k] SUBSEP set_ptx[k] SUBSEP id
        if (!(key in verdict) || verdict[key] != "holds")
            return why[id]
    }
    return set_count ? "" : why[id]
}

function print_claims(    k, i, id, line, key) {
    if (set_count)
        print "Columns *measured* and *verdict*: " set_name(1) ".\n"
    line = "| id | where | claim | published | measured | verdict | why |"
    for (k = 2; k <= set_count; k++)
        line = line " " set_name(k) " |"
    print line
    gsub(/[^|]+/, "---", line)
    print line
    for (i = 1; i <= claim_count; i++) {
        id = ids[i]
        key = set_size[1] SUBSEP set_ptx[1] SUBSEP id
        line = "| " id " | " cell(source[id]) " | " cell(text[id]) " | " cell(published[id]) " | " \
            cell(measured[key]) " | " (key in verdict ? verdict[key] : "not run") " | " cell(reason(id)) " |"
        for (k = 2; k <= set_count; k++) {
            key = set_size[k] SUBSEP set_ptx[k] SUBSEP id
            line = line " " (key in verdict ? cell(measured[key]) ", " verdict[key] : "–") " |"
        }
        print line
    }
}

function print_counts(    k, key) {
    print "| size | PTX | claims | hold | in direction only | fail | unknown | measured |"
    print "|---|---|---:|---:|---:|---:|---:|---|"
    for (k = 1; k <= set_count; k++) {
        key = set_size[k] SUBSEP set_ptx[k]
        print "| " set_size[k] " | " set_ptx[k] " | " counted[key] " | " verdicts[key, "holds"] + 0 " | " \
            verdicts[key, "direction"] + 0 " | " verdicts[key, "fails"] + 0 " | " verdicts[key, "unknown"] + 0 " | " \
            made[key] " |"
    }
}

# From "BFS2 +1.5% +2.0%, LPS -0.1% -0.2%": one row per program.
function print_programs(id,    k, key, i, parts, part, count, label, line, labels, rest) {
    line = "| " id " |"
    for (k = 1; k <= set_count; k++) {
        line = line " " set_name(k) " |"
        key = set_size[k] SUBSEP set_ptx[k] SUBSEP id
        parts = split(details[key], part, ", ")
        for (i = 1; i <= parts; i++) {
            label = part[i]
            sub(/ .*/, "", label)
            rest = substr(part[i], length(label) + 2)
            if (!((id, label) in seen)) {
                seen[id, label] = 1
                labels[++count] = label
            }
            of_program[k, label] = rest
        }
    }
    print line
    gsub(/[^|]+/, "---", line)
    print line
    for (i = 1; i <= count; i++) {
        line = "| " labels[i] " |"
        for (k = 1; k <= set_count; k++)
            line = line " " cell(of_program[k, labels[i]]) " |"
        print line
    }
    for (k in of_program)
        delete of_program[k]
}

FNR == 1 && (FILENAME == claims || FILENAME == results) { columns = csv_split($0, heading); next }
FILENAME == claims {
    take()
    ids[++claim_count] = value["id"]
    source[value["id"]] = value["source"]
    text[value["id"]] = (value["programs"] == "-" ? "" : value["programs"] ": ") value["claim"]
    published[value["id"]] = value["published"]
    why[value["id"]] = value["why"]
    next
}
FILENAME == results {
    take()
    key = value["size"] SUBSEP value["ptx"]
    counted[key]++
    verdicts[key, value["verdict"]]++
    version = value["date"] ", " value["commit"]
    if (!((key, version) in made_by)) {
        made_by[key, version] = 1
        made[key] = made[key] (made[key] == "" ? "" : "; ") version
    }
    measured[key, value["id"]] = value["measured"]
    verdict[key, value["id"]] = value["verdict"]
    details[key, value["id"]] = value["details"]
    next
}
FNR == 1 { order_results() }
/^<!-- claims -->$/ { print_claims(); next }
/^<!-- counts -->$/ { print_counts(); next }
/^<!-- programs [^ ]+ -->$/ { print_programs($3); next }
{ print }
