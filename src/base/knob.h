/*
 * Knobs: named values that a user may set. Each is declared once, in a static table beside the structure that holds the
 * value; lists, configuration files, --set and reports are derived from the table.
 *
 * The field of a knob is a `double` (KNOB_REAL), a `uint32_t` (KNOB_COUNT; KNOB_CHOICE: index into the choices) or a
 * `bool` (KNOB_BOOL). Counts may be written with K, M and G, which are powers of 1024.
 */
#ifndef HEDDLE_BASE_KNOB_H
#define HEDDLE_BASE_KNOB_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum knob_kind { KNOB_COUNT, KNOB_REAL, KNOB_BOOL, KNOB_CHOICE };

struct knob {
    const char *name;
    const char *unit;    /* "cycles", "bytes"; "" for none */
    const char *meaning; /* a whole sentence that names the unit: "Latency of an integer divide, in cycles." */
    enum knob_kind kind;
    size_t offset;              /* of the field in the structure */
    double fallback;            /* default value */
    double low, high;           /* KNOB_COUNT, KNOB_REAL: range, both included */
    const char *const *choices; /* KNOB_CHOICE: words to choose from; ends with NULL */
};

struct knob_table {
    const char *section; /* prefix of the knobs, and section of a configuration file: "sm", "mem", "pdom" */
    const struct knob *knobs;
    int count;
};

/* Sets every knob to its default. */
void knob_defaults(const struct knob_table *table, void *structure);
/* Sets a knob. False and an error text (freed by the caller) that names the allowed range, or the knob with the nearest
 * name. */
bool knob_set(const struct knob_table *table, void *structure, const char *name, const char *value, char **error);
const struct knob *knob_find(const struct knob_table *table, const char *name);
/* Prints all knobs as JSON members, without braces. */
void knob_print_json(const struct knob_table *table, const void *structure, struct text *out);
/* Prints the value of a knob in a structure, or its default if `structure` is NULL. */
void knob_print_value(const struct knob *knob, const void *structure, struct text *out);
/* Prints what values a knob can have, for the end of an error text: "a whole number from 1 to 16 (lanes)", "yes or
 * no", "one of lrr, gto". */
void knob_print_range(const struct knob *knob, struct text *out);
/* Prints what a knob means, and in brackets the values that it can have: "Lanes per issue port. [1 to 32 lanes]",
 * "Whether the L2 is emptied between kernels. [yes, no]", "Policy of a scheduler. [lrr, gto]". */
void knob_print_meaning(const struct knob *knob, struct text *out);

#endif
