/* The store: results in and out of its tables. See store.h. */
#define _GNU_SOURCE
#include "store/internal.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields and columns ---- */

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, column);
}

/* Binds the fields from an index on to the parameters of a statement, and returns the number of the next parameter. */
static int bind_fields(sqlite3_stmt *statement, int at, const struct field *fields, int first, int count,
                       const void *structure)
{
    for (int i = first; i < count; i++, at++) {
        const char *member = (const char *)structure + fields[i].offset;
        if (fields[i].kind == FIELD_TEXT)
            bind_text(statement, at, *(char *const *)member);
        else if (fields[i].kind == FIELD_WHOLE)
            sqlite3_bind_int(statement, at, *(const int *)member);
        else
            sqlite3_bind_double(statement, at, *(const double *)member);
    }
    return at;
}

static char *column_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? strdup((const char *)text) : NULL;
}

/* Takes the fields from an index on from the columns of a row, from this column on. */
static void take_fields(sqlite3_stmt *statement, int column, const struct field *fields, int first, int count,
                        void *structure)
{
    for (int i = first; i < count; i++, column++) {
        char *member = (char *)structure + fields[i].offset;
        if (fields[i].kind == FIELD_TEXT)
            *(char **)member = column_text(statement, column);
        else if (fields[i].kind == FIELD_WHOLE)
            *(int *)member = sqlite3_column_int(statement, column);
        else
            *(double *)member = sqlite3_column_double(statement, column);
    }
}

/* ---- in ---- */

/* Carries out a statement that changes tables. */
static bool step(const struct store *s, sqlite3_stmt *statement, char **error)
{
    return sqlite3_step(statement) == SQLITE_DONE || store_fail(s, "write", error);
}

static sqlite3_stmt *compile(const struct store *s, const char *sql, char **error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store_database(s), sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(s, "use", error);
    return statement;
}

static void print_names(const struct field *fields, int first, int count, struct text *out)
{
    for (int i = first; i < count; i++)
        text_printf(out, ", %s", fields[i].name);
}

static bool put_run(const struct store *s, const struct task *task, const struct result *r, char **error)
{
    struct text sql = {0};
    text_printf(&sql, "INSERT INTO run (key");
    print_names(task_fields, 1, TASK_FIELDS, &sql);
    print_names(result_fields, 1, RESULT_FIELDS, &sql);
    text_printf(&sql, ") VALUES (?");
    for (int i = 2; i < TASK_FIELDS + RESULT_FIELDS; i++)
        text_printf(&sql, ", ?");
    text_printf(&sql, ")");
    sqlite3_stmt *statement = compile(s, sql.data, error);
    if (statement) {
        bind_text(statement, 1, task->key);
        int next = bind_fields(statement, 2, task_fields, 1, TASK_FIELDS, task);
        bind_fields(statement, next, result_fields, 1, RESULT_FIELDS, r);
    }
    bool ok = statement && step(s, statement, error);
    sqlite3_finalize(statement);
    text_free(&sql);
    return ok;
}

static bool put_values(const struct store *s, sqlite3_int64 run, const struct result *r, char **error)
{
    sqlite3_stmt *name = compile(s, "INSERT OR IGNORE INTO path (path) VALUES (?)", error);
    sqlite3_stmt *figure =
        name ? compile(s, "INSERT INTO figure SELECT ?, id, ?, ? FROM path WHERE path = ?", error) : NULL;
    bool ok = figure;
    for (int i = 0; ok && i < r->values.count; i++) {
        const struct result_value *v = &r->values.data[i];
        bind_text(name, 1, v->path);
        sqlite3_bind_int64(figure, 1, run);
        sqlite3_bind_double(figure, 2, v->sum);
        sqlite3_bind_double(figure, 3, v->max);
        bind_text(figure, 4, v->path);
        ok = step(s, name, error) && step(s, figure, error);
        sqlite3_reset(name);
        sqlite3_reset(figure);
    }
    sqlite3_finalize(name);
    sqlite3_finalize(figure);
    return ok;
}

static bool put_branches(const struct store *s, sqlite3_int64 run, const struct result *r, char **error)
{
    sqlite3_stmt *statement = compile(s, "INSERT INTO branch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", error);
    bool ok = statement;
    for (int i = 0; ok && i < r->branches.count; i++) {
        const struct result_branch *b = &r->branches.data[i];
        const double numbers[] = {b->executed, b->diverged, b->threads, b->taken, b->lost_lanes, b->lost_issues};
        sqlite3_bind_int64(statement, 1, run);
        sqlite3_bind_int(statement, 2, i);
        bind_text(statement, 3, b->kernel);
        sqlite3_bind_int64(statement, 4, (sqlite3_int64)b->pc);
        bind_text(statement, 5, b->where);
        for (int n = 0; n < 6; n++)
            sqlite3_bind_double(statement, 6 + n, numbers[n]);
        ok = step(s, statement, error);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return ok;
}

/* Removes a failed run of this key, with its figures. */
static bool remove_failed(const struct store *s, const char *key, char **error)
{
    sqlite3_stmt *statement = compile(s, "DELETE FROM run WHERE key = ?", error);
    if (statement)
        bind_text(statement, 1, key);
    bool ok = statement && step(s, statement, error);
    sqlite3_finalize(statement);
    return ok;
}

static bool put_all(struct store *s, const struct task *task, const struct result *r, char **error)
{
    enum store_found found;
    if (!store_get(s, task->key, &found, NULL, error))
        return false;
    if (found == STORE_RIGHT || found == STORE_WRONG)
        return true;
    if ((found == STORE_FAILED && !remove_failed(s, task->key, error)) || !put_run(s, task, r, error))
        return false;
    sqlite3_int64 run = sqlite3_last_insert_rowid(store_database(s));
    return put_values(s, run, r, error) && put_branches(s, run, r, error);
}

bool store_put(struct store *s, const struct task *task, const struct result *r, char **error)
{
    bool ok =
        store_execute(s, "BEGIN IMMEDIATE", error) && put_all(s, task, r, error) && store_execute(s, "COMMIT", error);
    if (!ok)
        sqlite3_exec(store_database(s), "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* ---- out ---- */

static bool get_values(const struct store *s, sqlite3_int64 run, struct result *r, char **error)
{
    sqlite3_stmt *rows = compile(s, "SELECT path, sum, max FROM figures WHERE run = ?", error);
    int code = SQLITE_ERROR;
    if (rows)
        sqlite3_bind_int64(rows, 1, run);
    while (rows && (code = sqlite3_step(rows)) == SQLITE_ROW)
        vec_push(&r->values, (struct result_value){column_text(rows, 0), sqlite3_column_double(rows, 1),
                                                   sqlite3_column_double(rows, 2)});
    bool ok = rows && (code == SQLITE_DONE || store_fail(s, "read", error));
    sqlite3_finalize(rows);
    return ok;
}

static bool get_branches(const struct store *s, sqlite3_int64 run, struct result *r, char **error)
{
    sqlite3_stmt *rows = compile(s,
                                 "SELECT kernel, line, pc, executed, diverged, threads, taken, lost_lanes, lost_issues"
                                 " FROM branch WHERE run = ? ORDER BY number",
                                 error);
    int code = SQLITE_ERROR;
    if (rows)
        sqlite3_bind_int64(rows, 1, run);
    while (rows && (code = sqlite3_step(rows)) == SQLITE_ROW)
        vec_push(&r->branches, (struct result_branch){.kernel = column_text(rows, 0),
                                                      .where = column_text(rows, 1),
                                                      .pc = (uint64_t)sqlite3_column_int64(rows, 2),
                                                      .executed = sqlite3_column_double(rows, 3),
                                                      .diverged = sqlite3_column_double(rows, 4),
                                                      .threads = sqlite3_column_double(rows, 5),
                                                      .taken = sqlite3_column_double(rows, 6),
                                                      .lost_lanes = sqlite3_column_double(rows, 7),
                                                      .lost_issues = sqlite3_column_double(rows, 8)});
    bool ok = rows && (code == SQLITE_DONE || store_fail(s, "read", error));
    sqlite3_finalize(rows);
    return ok;
}

static enum store_found kind_of(const char *failure)
{
    return !failure ? STORE_RIGHT : !strcmp(failure, result_wrong) ? STORE_WRONG : STORE_FAILED;
}

bool store_get(struct store *s, const char *key, enum store_found *found, struct result *result, char **error)
{
    struct text sql = {0};
    text_printf(&sql, "SELECT id, failure, key");
    print_names(result_fields, 1, RESULT_FIELDS, &sql);
    text_printf(&sql, " FROM run WHERE key = ?");
    sqlite3_stmt *row = compile(s, sql.data, error);
    text_free(&sql);
    if (!row)
        return false;
    bind_text(row, 1, key);
    int code = sqlite3_step(row);
    bool ok = code == SQLITE_ROW || code == SQLITE_DONE || store_fail(s, "read", error);
    *found = code == SQLITE_ROW ? kind_of((const char *)sqlite3_column_text(row, 1)) : STORE_NOTHING;
    sqlite3_int64 run = code == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    if (code == SQLITE_ROW && result)
        take_fields(row, 2, result_fields, 0, RESULT_FIELDS, result);
    sqlite3_finalize(row);
    if (run && result && !(get_values(s, run, result, error) && get_branches(s, run, result, error))) {
        result_free(result);
        ok = false;
    }
    return ok;
}
