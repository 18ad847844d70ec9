/* Knobs: reading, checking and printing values by a static table. See knob.h. */
#include "base/knob.h"

#include "base/diag.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VALUE_LENGTH = 32 };

static void store(const struct knob *knob, void *structure, double value)
{
    char *field = (char *)structure + knob->offset;
    switch (knob->kind) {
    case KNOB_REAL:
        *(double *)field = value;
        break;
    case KNOB_BOOL:
        *(bool *)field = value != 0;
        break;
    case KNOB_COUNT:
    case KNOB_CHOICE:
        *(uint32_t *)field = (uint32_t)value;
        break;
    }
}

static double load(const struct knob *knob, const void *structure)
{
    const char *field = (const char *)structure + knob->offset;
    switch (knob->kind) {
    case KNOB_REAL:
        return *(const double *)field;
    case KNOB_BOOL:
        return *(const bool *)field;
    case KNOB_COUNT:
    case KNOB_CHOICE:
        break;
    }
    return *(const uint32_t *)field;
}

void knob_defaults(const struct knob_table *table, void *structure)
{
    for (int i = 0; i < table->count; i++)
        store(&table->knobs[i], structure, table->knobs[i].fallback);
}

const struct knob *knob_find(const struct knob_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (!strcmp(table->knobs[i].name, name))
            return &table->knobs[i];
    return NULL;
}

static const struct knob *nearest_knob(const struct knob_table *table, const char *name)
{
    const struct knob *nearest = NULL;
    int least = 0;
    for (int i = 0; i < table->count; i++) {
        int distance = text_distance(name, table->knobs[i].name);
        if (!nearest || distance < least) {
            nearest = &table->knobs[i];
            least = distance;
        }
    }
    return nearest;
}

/* ---- reading ---- */

static bool read_count(const char *word, double *value)
{
    if (*word < '0' || *word > '9')
        return false;
    char *end;
    errno = 0;
    *value = (double)strtoull(word, &end, 10);
    if (errno)
        return false;
    if (*end == 'K' || *end == 'k')
        *value *= 1024, end++;
    else if (*end == 'M' || *end == 'm')
        *value *= 1024 * 1024, end++;
    else if (*end == 'G' || *end == 'g')
        *value *= 1024 * 1024 * 1024, end++;
    return !*end;
}

static bool read_real(const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && !*end && isfinite(*value);
}

static bool read_bool(const char *word, double *value)
{
    static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (int truth = 0; truth < 2; truth++)
            if (!strcasecmp(word, words[i][truth])) {
                *value = truth;
                return true;
            }
    return false;
}

static bool read_choice(const struct knob *knob, const char *word, double *value)
{
    for (int i = 0; knob->choices[i]; i++)
        if (!strcmp(word, knob->choices[i])) {
            *value = i;
            return true;
        }
    return false;
}

static bool read_value(const struct knob *knob, const char *word, double *value)
{
    switch (knob->kind) {
    case KNOB_COUNT:
        return read_count(word, value);
    case KNOB_REAL:
        return read_real(word, value);
    case KNOB_BOOL:
        return read_bool(word, value);
    case KNOB_CHOICE:
        break;
    }
    return read_choice(knob, word, value);
}

void knob_print_range(const struct knob *knob, struct text *out)
{
    if (knob->kind == KNOB_BOOL) {
        text_printf(out, "yes or no");
    } else if (knob->kind == KNOB_CHOICE) {
        for (int i = 0; knob->choices[i]; i++)
            text_printf(out, "%s%s", i ? ", " : "one of ", knob->choices[i]);
    } else {
        text_printf(out, "%s%.15g to %.15g", knob->kind == KNOB_COUNT ? "a whole number from " : "a number from ",
                    knob->low, knob->high);
        if (*knob->unit)
            text_printf(out, " (%s)", knob->unit);
    }
}

bool knob_set(const struct knob_table *table, void *structure, const char *name, const char *value, char **error)
{
    const struct knob *knob = knob_find(table, name);
    if (!knob) {
        const struct knob *nearest = nearest_knob(table, name);
        if (!nearest)
            return diag_fail(error, "no knob '%s' in '%s', which has no knobs", name, table->section);
        char hint[TEXT_HINT];
        text_hint(name, nearest->name, hint);
        return diag_fail(error, "no knob '%s' in '%s'%s", name, table->section,
                         *hint ? hint : "; see heddle list knobs");
    }
    double number;
    bool is_range_checked = knob->kind == KNOB_COUNT || knob->kind == KNOB_REAL;
    if (!read_value(knob, value, &number) || (is_range_checked && (number < knob->low || number > knob->high))) {
        struct text range = {0};
        knob_print_range(knob, &range);
        diag_fail(error, "'%s' for %s.%s: the value must be %s", value, table->section, name, range.data);
        text_free(&range);
        return false;
    }
    store(knob, structure, number);
    return true;
}

/* ---- printing ---- */

/* Writes the shortest form that reads back as the same value. */
static void format_value(const struct knob *knob, double value, char *into)
{
    switch (knob->kind) {
    case KNOB_REAL:
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(into, VALUE_LENGTH, "%.*g", digits, value);
            if (strtod(into, NULL) == value)
                return;
        }
        return;
    case KNOB_BOOL:
        snprintf(into, VALUE_LENGTH, "%s", value != 0 ? "yes" : "no");
        return;
    case KNOB_CHOICE:
        snprintf(into, VALUE_LENGTH, "%s", knob->choices[(int)value]);
        return;
    case KNOB_COUNT:
        snprintf(into, VALUE_LENGTH, "%.0f", value);
        return;
    }
}

void knob_print_value(const struct knob *knob, const void *structure, struct text *out)
{
    char value[VALUE_LENGTH];
    format_value(knob, structure ? load(knob, structure) : knob->fallback, value);
    text_printf(out, "%s", value);
}

void knob_print_meaning(const struct knob *knob, struct text *out)
{
    text_printf(out, "%s [", knob->meaning);
    if (knob->kind == KNOB_BOOL)
        text_printf(out, "yes, no");
    else if (knob->kind == KNOB_CHOICE)
        for (int i = 0; knob->choices[i]; i++)
            text_printf(out, "%s%s", i ? ", " : "", knob->choices[i]);
    else
        text_printf(out, "%.15g to %.15g%s%s", knob->low, knob->high, *knob->unit ? " " : "", knob->unit);
    text_printf(out, "]");
}

void knob_print_json(const struct knob_table *table, const void *structure, struct text *out)
{
    for (int i = 0; i < table->count; i++) {
        const struct knob *knob = &table->knobs[i];
        double number = load(knob, structure);
        char value[VALUE_LENGTH];
        format_value(knob, number, value);
        text_printf(out, "%s\"%s\":", i ? "," : "", knob->name);
        if (knob->kind == KNOB_BOOL)
            text_printf(out, "%s", number != 0 ? "true" : "false");
        else if (knob->kind == KNOB_CHOICE)
            text_printf(out, "\"%s\"", value);
        else
            text_printf(out, "%s", value);
    }
}
