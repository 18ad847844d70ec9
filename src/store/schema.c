/* The tables of a store: see schema.h. Columns of `run` are the fields of tasks and results. */
#include "store/schema.h"

#include "store/result.h"
#include "store/task.h"

static void print_columns(const struct field *fields, int first, int count, struct text *out)
{
    static const char *const types[] = {[FIELD_TEXT] = "TEXT", [FIELD_WHOLE] = "INTEGER", [FIELD_REAL] = "REAL"};
    for (int i = first; i < count; i++)
        text_printf(out, ", %s %s", fields[i].name, types[fields[i].kind]);
}

void schema_print(struct text *out)
{
    text_printf(out, "CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE");
    print_columns(task_fields, 1, TASK_FIELDS, out); /* the first field of both is the key */
    print_columns(result_fields, 1, RESULT_FIELDS, out);
    text_printf(out,
                ");\n"
                "CREATE TABLE path (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);\n"
                "CREATE TABLE figure (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
                " path INTEGER NOT NULL REFERENCES path, sum REAL NOT NULL, max REAL NOT NULL,"
                " PRIMARY KEY (run, path)) WITHOUT ROWID;\n"
                "CREATE TABLE branch (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
                " number INTEGER NOT NULL, kernel TEXT NOT NULL, pc INTEGER NOT NULL, line TEXT,"
                " executed REAL, diverged REAL,"
                " threads REAL, taken REAL, lost_lanes REAL, lost_issues REAL,"
                " PRIMARY KEY (run, number)) WITHOUT ROWID;\n"
                "CREATE VIEW figures AS SELECT run, path.path AS path, sum, max"
                " FROM figure JOIN path ON path.id = figure.path;\n"
                "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                SCHEMA_APPLICATION, SCHEMA_VERSION);
}
