/*
 * Statistics as text for people, 100 columns wide: name, value, unit, meaning.
 *
 * Name and value always share a line, so that a search for the name finds the value. The meaning wraps, and
 * begins on the next line where a long name leaves no room for it.
 */
#include "stat/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 34, VALUE_WIDTH = 14, UNIT_WIDTH = 12, LINE_WIDTH = 100 };
enum { MEANING_COLUMN = NAME_WIDTH + 1 + VALUE_WIDTH + 1 + UNIT_WIDTH + 1 };

/* Words of the meaning from MEANING_COLUMN on; `column` is where the line stands now. */
static void print_meaning(const char *meaning, int column, struct text *out)
{
    bool is_first_word = true;
    if (column >= MEANING_COLUMN)
        text_printf(out, "\n%*s", MEANING_COLUMN, "");
    else
        text_printf(out, "%*s", MEANING_COLUMN - column, "");
    column = MEANING_COLUMN;
    while (*meaning) {
        int length = (int)strcspn(meaning, " ");
        if (!is_first_word && column + 1 + length > LINE_WIDTH) {
            text_printf(out, "\n%*s", MEANING_COLUMN, "");
            column = MEANING_COLUMN;
            is_first_word = true;
        }
        text_printf(out, "%s%.*s", is_first_word ? "" : " ", length, meaning);
        column += length + !is_first_word;
        is_first_word = false;
        meaning += length;
        meaning += strspn(meaning, " ");
    }
}

static void print_line(const char *owner, const char *name, const char *value, const char *unit,
                       const char *meaning, struct text *out)
{
    size_t start = out->length;
    int owner_length = (int)strlen(owner) + (*owner != '\0');
    text_printf(out, "%s%s%-*s %*s", owner, *owner ? "." : "", NAME_WIDTH - owner_length, name, VALUE_WIDTH,
                value);
    if (*unit)
        text_printf(out, " %s", unit);
    if (*meaning)
        print_meaning(meaning, (int)(out->length - start), out);
    text_printf(out, "\n");
}

void stat_print_text(const struct stat_result *result, const struct stat_formula *formulas, int count,
                     struct text *out)
{
    char number[STAT_NUMBER_LENGTH];
    for (int i = 0; i < count; i++) {
        stat_format_short(formulas[i].value(result), number);
        print_line("", formulas[i].name, number, formulas[i].unit, formulas[i].meaning, out);
    }
    for (int i = 0; i < result->count; i++) {
        const struct stat_value *part = &result->parts[i];
        for (int j = 0; j < part->owner->count; j++) {
            const struct stat_counter *c = &part->owner->counters[j];
            snprintf(number, sizeof number, "%" PRIu64, stat_load(c, part->values));
            print_line(part->owner->name, c->name, number, c->unit, c->meaning, out);
        }
    }
}
