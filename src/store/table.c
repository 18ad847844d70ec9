/* Tables: see table.h. */
#define _GNU_SOURCE
#include "store/table.h"

#include "base/diag.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- selecting ---- */

/* Reals with the fewest digits, from 15 on, that give the same number again. */
static char *real_text(double number)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return strdup(text);
}

static struct table_cell take_cell(sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    struct table_cell cell = {.is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT};
    if (type == SQLITE_FLOAT)
        cell.text = real_text(sqlite3_column_double(row, column));
    else if (type != SQLITE_NULL)
        cell.text = strdup((const char *)sqlite3_column_text(row, column));
    return cell;
}

static bool take_rows(struct table *t, sqlite3_stmt *statement, sqlite3 *database, char **error)
{
    int columns = sqlite3_column_count(statement), code;
    for (int i = 0; i < columns; i++)
        vec_push(&t->names, strdup(sqlite3_column_name(statement, i)));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        for (int i = 0; i < columns; i++)
            vec_push(&t->cells, take_cell(statement, i));
    return code == SQLITE_DONE || diag_fail(error, "%s", sqlite3_errmsg(database));
}

bool table_select(struct table *t, const struct store *s, const char *sql, const char *const *parameters, int count,
                  char **error)
{
    sqlite3 *database = store_database(s);
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    if (sqlite3_prepare_v2(database, sql, -1, &statement, &rest) != SQLITE_OK)
        return diag_fail(error, "%s", sqlite3_errmsg(database));
    bool ok = true;
    if (!statement)
        ok = diag_fail(error, "there is no statement in '%s'", sql);
    else if (rest[strspn(rest, " \t\n;")])
        ok = diag_fail(error, "one statement at a time: '%s' stands behind the first", rest);
    else if (!sqlite3_stmt_readonly(statement) || !sqlite3_column_count(statement))
        ok = diag_fail(error, "the statement must be a SELECT: a query changes nothing");
    for (int i = 0; ok && i < count; i++)
        sqlite3_bind_text(statement, i + 1, parameters[i], -1, SQLITE_STATIC);
    ok = ok && take_rows(t, statement, database, error);
    sqlite3_finalize(statement);
    if (!ok)
        table_free(t);
    return ok;
}

void table_free(struct table *t)
{
    for (int i = 0; i < t->names.count; i++)
        free(t->names.data[i]);
    for (int i = 0; i < t->cells.count; i++)
        free(t->cells.data[i].text);
    vec_free(&t->names);
    vec_free(&t->cells);
}

int table_rows(const struct table *t)
{
    return t->names.count ? t->cells.count / t->names.count : 0;
}

static const struct table_cell *cell_at(const struct table *t, int row, int column)
{
    return &t->cells.data[row * t->names.count + column];
}

static bool is_empty(const struct table *t, int column)
{
    for (int row = 0; row < table_rows(t); row++) {
        const char *text = cell_at(t, row, column)->text;
        if (text && *text)
            return false;
    }
    return true;
}

void table_drop_empty(struct table *t)
{
    struct table kept = {0};
    int rows = table_rows(t);
    for (int column = 0; column < t->names.count; column++)
        if (!rows || !is_empty(t, column))
            vec_push(&kept.names, strdup(t->names.data[column]));
    for (int i = 0; i < t->cells.count; i++)
        if (!is_empty(t, i % t->names.count)) {
            struct table_cell cell = t->cells.data[i];
            vec_push(&kept.cells, (struct table_cell){cell.text ? strdup(cell.text) : NULL, cell.is_number});
        }
    table_free(t);
    *t = kept;
}

/* ---- printing ---- */

enum {
    GAP = 2,         /* blanks between columns */
    DOTS = 3,        /* where a text is cut */
    LEAST_TEXT = 12, /* no text is cut to less */
};

static bool is_right(const struct table *t, int column)
{
    bool has_number = false;
    for (int row = 0; row < table_rows(t); row++) {
        const struct table_cell *c = cell_at(t, row, column);
        if (c->text && !c->is_number)
            return false;
        has_number |= c->is_number;
    }
    return has_number;
}

static int column_width(const struct table *t, int column)
{
    size_t width = strlen(t->names.data[column]);
    for (int row = 0; row < table_rows(t); row++) {
        const char *text = cell_at(t, row, column)->text;
        width = text && strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

static int table_width(const struct table *t)
{
    int width = 0;
    for (int column = 0; column < t->names.count; column++)
        width += column_width(t, column) + (column ? GAP : 0);
    return width;
}

static void drop_column(struct table *t, int column)
{
    struct table kept = {0};
    for (int i = 0; i < t->names.count; i++)
        if (i == column)
            free(t->names.data[i]);
        else
            vec_push(&kept.names, t->names.data[i]);
    for (int i = 0; i < t->cells.count; i++)
        if (i % t->names.count == column)
            free(t->cells.data[i].text);
        else
            vec_push(&kept.cells, t->cells.data[i]);
    vec_free(&t->names);
    vec_free(&t->cells);
    *t = kept;
}

static bool is_within_character(char c) /* of UTF-8 */
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Cuts wider texts of a column in the middle: settings differ at their ends, most other texts at the beginning. */
static void cut_column(struct table *t, int column, int width)
{
    for (int row = 0; row < table_rows(t); row++) {
        char *text = t->cells.data[row * t->names.count + column].text;
        if (!text || (int)strlen(text) <= width)
            continue;
        size_t kept = (size_t)(width - DOTS), head = (kept + 1) / 2, tail = strlen(text) - kept / 2;
        while (head && is_within_character(text[head]))
            head--;
        while (is_within_character(text[tail]))
            tail++;
        memmove(text + head + DOTS, text + tail, strlen(text + tail) + 1);
        memset(text + head, '.', DOTS);
    }
}

/* The widest column of texts that can be cut; -1: none. */
static int widest_text(const struct table *t)
{
    int widest = -1, most = LEAST_TEXT;
    for (int column = 0; column < t->names.count; column++) {
        int width = column_width(t, column);
        if (width > most && width > (int)strlen(t->names.data[column]) && !is_right(t, column)) {
            widest = column;
            most = width;
        }
    }
    return widest;
}

/* Whether a column of texts has the same one in all of several rows, and so tells none of them from another. */
static bool is_same_text(const struct table *t, int column)
{
    const char *first = table_rows(t) > 1 ? cell_at(t, 0, column)->text : NULL;
    for (int row = 1; first && row < table_rows(t); row++) {
        const char *text = cell_at(t, row, column)->text;
        if (!text || strcmp(text, first))
            return false;
    }
    return first && !is_right(t, column);
}

static void leave_out(struct table *t, int columns, const char *const *spare)
{
    for (; *spare; spare++)
        for (int column = t->names.count - 1; column >= 0 && table_width(t) > columns; column--)
            if (!strcmp(t->names.data[column], *spare))
                drop_column(t, column);
    for (int column = t->names.count - 1; column >= 0 && table_width(t) > columns; column--)
        if (is_same_text(t, column))
            drop_column(t, column);
}

void table_fit(struct table *t, int columns, const char *const *spare)
{
    if (spare)
        leave_out(t, columns, spare);
    for (int column; table_width(t) > columns && (column = widest_text(t)) >= 0;) {
        int width = column_width(t, column), name = (int)strlen(t->names.data[column]);
        int least = name > LEAST_TEXT ? name : LEAST_TEXT, wanted = width - (table_width(t) - columns);
        cut_column(t, column, wanted > least ? wanted : least);
    }
}

void table_print_text(const struct table *t, struct text *out)
{
    struct vec_of(int) widths = {0};
    for (int column = 0; column < t->names.count; column++) {
        int width = column_width(t, column);
        vec_push(&widths, is_right(t, column) ? width : -width); /* a negative width is to the left */
    }
    for (int row = -1; row < table_rows(t); row++) {
        size_t begin = out->length;
        for (int column = 0; column < t->names.count; column++) {
            const char *text = row < 0 ? t->names.data[column] : cell_at(t, row, column)->text;
            text_printf(out, "%*s%*s", column ? GAP : 0, "", widths.data[column], text ? text : "-");
        }
        while (out->length > begin && out->data[out->length - 1] == ' ')
            out->data[--out->length] = '\0';
        text_printf(out, "\n");
    }
    vec_free(&widths);
}

static void print_csv_field(const char *field, struct text *out)
{
    bool is_quoted = strpbrk(field, ",\"\r\n");
    text_printf(out, "%s", is_quoted ? "\"" : "");
    for (const char *c = field; *c; c++)
        text_printf(out, *c == '"' ? "\"\"" : "%c", *c);
    text_printf(out, "%s", is_quoted ? "\"" : "");
}

void table_print_csv(const struct table *t, struct text *out)
{
    for (int row = -1; row < table_rows(t); row++) {
        for (int column = 0; column < t->names.count; column++) {
            const char *text = row < 0 ? t->names.data[column] : cell_at(t, row, column)->text;
            text_printf(out, "%s", column ? "," : "");
            print_csv_field(text ? text : "", out);
        }
        text_printf(out, "\r\n");
    }
}

void table_print_json(const struct table *t, struct text *out)
{
    for (int row = 0; row < table_rows(t); row++) {
        for (int column = 0; column < t->names.count; column++) {
            const struct table_cell *c = cell_at(t, row, column);
            text_printf(out, column ? "," : "{");
            json_print_string(out, t->names.data[column]);
            text_printf(out, ":");
            if (c->is_number && !strpbrk(c->text, "nN")) /* JSON has no infinities */
                text_printf(out, "%s", c->text);
            else
                json_print_string(out, c->is_number ? NULL : c->text);
        }
        text_printf(out, "}\n");
    }
}

static void print_latex_field(const char *field, struct text *out)
{
    for (const char *c = field; *c; c++)
        if (*c == '\\')
            text_printf(out, "\\textbackslash{}");
        else if (*c == '~' || *c == '^')
            text_printf(out, "\\%c{}", *c);
        else if (*c == '\n')
            text_printf(out, " ");
        else
            text_printf(out, strchr("&%$#_{}", *c) ? "\\%c" : "%c", *c);
}

void table_print_latex(const struct table *t, struct text *out)
{
    text_printf(out, "\\begin{tabular}{");
    for (int column = 0; column < t->names.count; column++)
        text_printf(out, "%c", is_right(t, column) ? 'r' : 'l');
    text_printf(out, "}\n\\hline\n");
    for (int row = -1; row < table_rows(t); row++) {
        for (int column = 0; column < t->names.count; column++) {
            const char *text = row < 0 ? t->names.data[column] : cell_at(t, row, column)->text;
            text_printf(out, "%s", column ? " & " : "");
            print_latex_field(text ? text : "--", out);
        }
        text_printf(out, " \\\\\n%s", row < 0 ? "\\hline\n" : "");
    }
    text_printf(out, "\\hline\n\\end{tabular}\n");
}
