/* Statistics as comma-separated values, with a heading line. The value field is empty if a formula has no value. */
#include "stat/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void stat_csv_field(const char *field, struct text *out)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_printf(out, "%s", field);
        return;
    }
    text_printf(out, "\"");
    for (; *field; field++) {
        if (*field == '"')
            text_append(out, field, 1);
        text_append(out, field, 1);
    }
    text_printf(out, "\"");
}

size_t stat_csv_record_bytes(const char *record)
{
    bool is_quoted = false;
    const char *at = record;
    for (; *at && (is_quoted || *at != '\n'); at++)
        is_quoted ^= *at == '"';
    return (size_t)(at - record) + (*at == '\n');
}

char *stat_csv_take_field(char **rest)
{
    char *field = *rest, *to = field, *at = field;
    if (!at)
        return NULL;
    for (bool is_quoted = false; *at && (is_quoted || *at != ','); at++) {
        if (*at != '"')
            *to++ = *at;
        else if (is_quoted && at[1] == '"')
            *to++ = *at++;
        else
            is_quoted = !is_quoted;
    }
    *rest = *at ? at + 1 : NULL;
    *to = '\0';
    return field;
}

static void print_row(const char *owner, const char *name, const char *value, const char *unit, const char *meaning,
                      struct text *out)
{
    text_printf(out, "%s%s%s,%s,", owner, *owner ? "." : "", name, value);
    stat_csv_field(unit, out);
    text_printf(out, ",");
    stat_csv_field(meaning, out);
    text_printf(out, "\n");
}

void stat_csv_heading(struct text *out)
{
    text_printf(out, "name,value,unit,meaning\n");
}

void stat_csv_formulas(const struct stat_result *result, const struct stat_formula *formulas, int count,
                       struct text *out)
{
    char number[STAT_NUMBER_LENGTH];
    for (int i = 0; i < count; i++) {
        stat_format_exact(formulas[i].value(result), number);
        print_row("", formulas[i].name, number, formulas[i].unit, formulas[i].meaning, out);
    }
}

void stat_csv_counters(const struct stat_result *result, struct text *out)
{
    char number[STAT_NUMBER_LENGTH];
    for (int i = 0; i < result->count; i++) {
        const struct stat_value *part = &result->parts[i];
        for (int j = 0; j < part->owner->count; j++) {
            const struct stat_counter *c = &part->owner->counters[j];
            snprintf(number, sizeof number, "%" PRIu64, stat_load(c, part->values));
            print_row(part->owner->name, c->name, number, c->unit, c->meaning, out);
        }
    }
}
