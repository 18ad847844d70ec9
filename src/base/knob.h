/*
 * Knobs: named values that a user may set. Declared once, beside the structure they live in, as a static table;
 * lists, configuration files, --set and reports all derive from it.
 *
 * Every field that a knob names is a `double` (KNOB_REAL), a `uint32_t` (KNOB_COUNT, KNOB_CHOICE: index into the
 * choices) or a `bool` (KNOB_BOOL).
 */
#ifndef HEDDLE_BASE_KNOB_H
#define HEDDLE_BASE_KNOB_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum knob_kind { KNOB_COUNT, KNOB_REAL, KNOB_BOOL, KNOB_CHOICE };

struct knob {
    const char *name, *unit, *meaning;
    enum knob_kind kind;
    size_t offset; /* in the structure */
    double fallback, low, high;
    const char *const *choices; /* KNOB_CHOICE: ends with NULL */
};

struct knob_table {
    const char *section; /* of a configuration file: "sm", "mem", "pdom" */
    const struct knob *knobs;
    int count;
};

void knob_defaults(const struct knob_table *table, void *structure);
/* False and an error text (freed by the caller) that names the range, or the nearest knob. */
bool knob_set(const struct knob_table *table, void *structure, const char *name, const char *value, char **error);
const struct knob *knob_find(const struct knob_table *table, const char *name);
/* JSON members, without braces. */
void knob_print_json(const struct knob_table *table, const void *structure, struct text *out);
/* Of one knob: the value in a structure, or its default if that is NULL; "a whole number from 1 to 16 (lanes)", "yes or
 * no", "one of lrr, gto". */
void knob_print_value(const struct knob *knob, const void *structure, struct text *out);
void knob_print_range(const struct knob *knob, struct text *out);

#endif
