# Functions for awk programs that read tables of comma-separated values (RFC 4180, one record per line):
# awk -f scripts/csv.awk -f PROGRAM.awk ...

# Splits a record into field[1], field[2], ... and returns how many there are.
function csv_split(record, field,    count, end) {
    count = 0
    for (;;) {
        count++
        if (substr(record, 1, 1) == "\"") {
            field[count] = ""
            record = substr(record, 2)
            while ((end = index(record, "\"")) && substr(record, end + 1, 1) == "\"") {
                field[count] = field[count] substr(record, 1, end)
                record = substr(record, end + 2)
            }
            field[count] = field[count] substr(record, 1, end - 1)
            record = substr(record, end + 1)
            if (record == "")
                return count
            record = substr(record, 2)
        } else {
            end = index(record, ",")
            if (!end) {
                field[count] = record
                return count
            }
            field[count] = substr(record, 1, end - 1)
            record = substr(record, end + 1)
        }
    }
}

# A value as a field: in quotes if it has a comma or a quote.
function csv_field(value) {
    if (value !~ /[",]/)
        return value
    gsub(/"/, "\"\"", value)
    return "\"" value "\""
}
