# The rows of a store, for tests that compare stores; read by scripts that have read check.sh.

select() { "$heddle" query "$1" --csv --sql "$2" | tr -d '\r' | sed 1d; } # FILE SQL

# dump FILE: all that is stored, but for times, the machine's name, and numbers of rows, which depend on the order
dump()
{
    columns=$(select "$1" "SELECT group_concat(name) FROM pragma_table_info('run')
        WHERE name NOT IN ('id', 'seconds', 'date', 'host')" | tr -d '"')
    select "$1" "SELECT $columns FROM run ORDER BY key"
    select "$1" "SELECT key, path, sum, max FROM run JOIN figures ON figures.run = run.id
        WHERE path <> 'host_seconds' ORDER BY key, path"
    select "$1" "SELECT key, branch.* FROM run JOIN branch ON branch.run = run.id ORDER BY key, number" |
        sed 's/^\([^,]*\),[0-9]*,/\1,/'
}
