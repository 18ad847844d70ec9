/*
 * Statistics as text for people, at most 100 columns wide: name, value, unit, meaning.
 *
 * Columns are as wide as the table needs, within limits. Name and value always share a line, so that a search for the
 * name finds the value. A field that is too long for its column shifts the rest of its own line and no other line.
 * Meanings wrap within their column. If names are so long that no room is left for meanings, each meaning stands on a
 * line of its own below.
 */
#include "stat/format.h"

#include "base/terminal.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LIMIT = 52, UNIT_LIMIT = 20, MEANING_WIDTH = 36, BELOW_INDENT = 4 };

struct stat_row {
    const char *owner, *name, *unit, *meaning; /* owner: "" for a formula */
    char value[STAT_NUMBER_LENGTH];
};

struct stat_table vec_of(struct stat_row);

struct columns {
    int name, value, unit; /* widths */
    int meaning;           /* column at which meanings begin */
    bool below;            /* meanings stand on lines of their own */
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int name_length(const struct stat_row *row)
{
    return (int)strlen(row->owner) + (*row->owner != '\0') + (int)strlen(row->name);
}

static struct columns measure(const struct stat_table *table)
{
    struct columns c = {0};
    for (int i = 0; i < table->count; i++) {
        const struct stat_row *row = &table->data[i];
        c.name = larger(c.name, smaller(name_length(row), NAME_LIMIT));
        c.value = larger(c.value, (int)strlen(row->value));
        c.unit = larger(c.unit, smaller((int)strlen(row->unit), UNIT_LIMIT));
    }
    c.meaning = c.name + 1 + c.value + 1 + c.unit + 2;
    c.below = c.meaning > terminal_text_columns() - MEANING_WIDTH;
    if (c.below)
        c.meaning = BELOW_INDENT;
    return c;
}

/* Prints the words of a meaning from column `begin` on; `column` is where the line ends now. */
static void print_meaning(const char *meaning, int column, int begin, struct text *out)
{
    bool is_first_word = true;
    if (column >= begin)
        text_printf(out, "\n%*s", begin, "");
    else
        text_printf(out, "%*s", begin - column, "");
    column = begin;
    while (*meaning) {
        int length = (int)strcspn(meaning, " ");
        if (!is_first_word && column + 1 + length > terminal_text_columns()) {
            text_printf(out, "\n%*s", begin, "");
            column = begin;
            is_first_word = true;
        }
        text_printf(out, "%s%.*s", is_first_word ? "" : " ", length, meaning);
        column += length + !is_first_word;
        is_first_word = false;
        meaning += length;
        meaning += strspn(meaning, " ");
    }
}

static void print_row(const struct stat_row *row, const struct columns *c, struct text *out)
{
    size_t start = out->length;
    text_printf(out, "%s%s%s", row->owner, *row->owner ? "." : "", row->name);
    int column = (int)(out->length - start);
    /* A long name first uses up the blanks before a short value. */
    int value = larger(c->name + 1 + c->value - column, 1 + (int)strlen(row->value));
    text_printf(out, "%*s", value, row->value);
    if (*row->unit)
        text_printf(out, " %s", row->unit);
    if (*row->meaning)
        print_meaning(row->meaning, (int)(out->length - start), c->meaning, out);
    text_printf(out, "\n");
}

static void print_table(struct stat_table *table, struct text *out)
{
    struct columns columns = measure(table);
    for (int i = 0; i < table->count; i++)
        print_row(&table->data[i], &columns, out);
    vec_free(table);
}

void stat_text_formulas(const struct stat_result *result, const struct stat_formula *formulas, int count,
                        struct text *out)
{
    struct stat_table table = {0};
    for (int i = 0; i < count; i++) {
        struct stat_row row = {"", formulas[i].name, formulas[i].unit, formulas[i].meaning, ""};
        stat_format_short(formulas[i].value(result), row.value);
        vec_push(&table, row);
    }
    print_table(&table, out);
}

static bool is_all_zero(const struct stat_value *part)
{
    for (int i = 0; i < part->owner->count; i++)
        if (stat_load(&part->owner->counters[i], part->values))
            return false;
    return true;
}

void stat_text_owner(const struct stat_value *part, struct text *out)
{
    struct stat_table table = {0};
    if (is_all_zero(part))
        return;
    for (int i = 0; i < part->owner->count; i++) {
        const struct stat_counter *c = &part->owner->counters[i];
        struct stat_row row = {part->owner->name, c->name, c->unit, c->meaning, ""};
        snprintf(row.value, sizeof row.value, "%" PRIu64, stat_load(c, part->values));
        vec_push(&table, row);
    }
    print_table(&table, out);
}

void stat_print_text(const struct stat_result *result, const struct stat_formula *formulas, int count, struct text *out)
{
    stat_text_formulas(result, formulas, count, out);
    for (int i = 0; i < result->count; i++) {
        if (is_all_zero(&result->parts[i]))
            continue;
        text_printf(out, "%s", out->length ? "\n" : "");
        stat_text_owner(&result->parts[i], out);
    }
}
