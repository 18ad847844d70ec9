# What the comparisons share: member() finds the value of a member in a line of heddle's JSON. Callers whose END prints test
# `failed`, since awk goes there after fail(), too.
function fail(text) { print text >"/dev/stderr"; failed = 1; exit 1 }
function member(line, name,    at) {
    at = index(line, "\"" name "\":")
    if (!at)
        fail("no " name " in the results")
    line = substr(line, at + length(name) + 3)
    sub(/^"/, "", line)
    sub(/[",}].*/, "", line)
    return line
}
