# Checks a picture of heddle flow --svg against heddle flow --json: awk -f picture.awk GRAPH.json PICTURE.svg
# Every block has a box, no two boxes overlap, every edge is drawn once, begins below its first block's box and ends above
# its last one's, and everything lies within the picture.
FNR == NR {
    if (/^"blocks"/) block = 0
    if (/^  {"name": .*"successors"/) {
        list = $0
        sub(/.*"successors": \[/, "", list)
        sub(/\].*/, "", list)
        n = split(list, to, ", ")
        for (i = 1; i <= n; i++)
            wanted[block " " to[i]]++
        block++
        boxes++
    }
    next
}
function value(name, text) {
    text = $0
    if (!sub(".* " name "=\"", "", text))
        return ""
    sub(/".*/, "", text)
    return text
}
function number(name) { return value(name) + 0 }
function wrong(what) {
    print "wrong: " what
    failed = 1
}
/^<svg/ { wide = number("width"); high = number("height") }
/^<rect class="box/ {
    n = ++count
    left[n] = number("x"); top[n] = number("y")
    right[n] = left[n] + number("width"); low[n] = top[n] + number("height")
    if (left[n] < 0 || top[n] < 0 || right[n] > wide || low[n] > high)
        wrong("a box outside the picture: " $0)
    for (i = 1; i < n; i++)
        if (left[i] < right[n] && left[n] < right[i] && top[i] < low[n] && top[n] < low[i])
            wrong("boxes overlap: " $0)
    # Functions and kernels follow each other, so the newest box of a block's number is the one that edges drawn before
    # it belong to.
    own = value("data-block")
    for (e = 1; e <= pending; e++) {
        if (from[e] == own && !starts[e] && start_x[e] >= left[n] && start_x[e] <= right[n] && start_y[e] == low[n])
            starts[e] = 1
        if (into[e] == own && !ends[e] && end_x[e] >= left[n] && end_x[e] <= right[n] && end_y[e] == top[n] - 1)
            ends[e] = 1
    }
}
/^<path class="edge[^>]* data-edge=/ {
    split(value("data-edge"), pair, " ")
    wanted[pair[1] " " pair[2]]--
    e = ++pending
    from[e] = pair[1]; into[e] = pair[2]
    path = value("d")
    gsub(/[MLC]/, " ", path)
    m = split(path, place, " ")
    start_x[e] = place[1] + 0; start_y[e] = place[2] + 0; end_x[e] = place[m - 1] + 0; end_y[e] = place[m] + 0
    for (i = 1; i < m; i += 2)
        if (place[i] < 0 || place[i] + 0 > wide || place[i + 1] < 0 || place[i + 1] + 0 > high)
            wrong("an edge outside the picture: " $0)
}
END {
    if (count != boxes)
        wrong(count " boxes for " boxes " blocks")
    for (edge in wanted)
        if (wanted[edge])
            wrong("edge " edge " is drawn " -wanted[edge] " times more than it should be")
    for (e = 1; e <= pending; e++)
        if (!starts[e] || !ends[e])
            wrong("edge " from[e] " " into[e] " does not lead from box to box")
    exit failed
}
