/*
 * Statistics: counters declared once, with unit and meaning, beside the structure that holds them.
 *
 * A counter is a plain uint64_t that its owner increments. Everything printed is either a counter or a formula over
 * counters, evaluated when printed; phases and kernels are differences of snapshots. Printers live here, owners know
 * nothing of them.
 */
#ifndef HEDDLE_STAT_STAT_H
#define HEDDLE_STAT_STAT_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

enum stat_combine { STAT_SUM, STAT_MAX }; /* over multiprocessors, slices and channels */

struct stat_counter {
    const char *name, *unit, *meaning;
    size_t offset; /* of a uint64_t in the owner's structure */
    enum stat_combine combine;
};

struct stat_owner {
    const char *name; /* "sm", "l1d", "dram", "pdom" */
    const struct stat_counter *counters;
    int count;
    size_t bytes; /* of the structure */
};

/* Adds (or takes the larger of) every counter of `from` into `into`. */
void stat_add(const struct stat_owner *owner, void *into, const void *from);
/* into = now - before, counter by counter; STAT_MAX keeps now. */
void stat_difference(const struct stat_owner *owner, void *into, const void *now, const void *before);

/* The values of one result, by owner, for printers and formulas. */
struct stat_value {
    const struct stat_owner *owner;
    const void *values;
};

struct stat_result {
    const struct stat_value *parts;
    int count;
};

/* "sm.cycles" -> its value, "*.pcs" -> that of the first owner that has it; 0 and *found = false if there is none. */
uint64_t stat_get(const struct stat_result *result, const char *path, _Bool *found);

/* Derived figures, and the names users know from other tools; `value` is evaluated at print time. */
struct stat_formula {
    const char *name, *unit, *meaning;
    double (*value)(const struct stat_result *result);
};

/* For people, at most 100 columns wide. Owners all of whose counters are zero are left out. */
void stat_print_text(const struct stat_result *result, const struct stat_formula *formulas, int count,
                     struct text *out);
void stat_text_formulas(const struct stat_result *result, const struct stat_formula *formulas, int count,
                        struct text *out);
void stat_text_owner(const struct stat_value *part, struct text *out);

/* The counters as members, grouped by owner, and formulas as one object; without outer braces. */
void stat_print_json(const struct stat_result *result, struct text *out);
void stat_json_formulas(const char *name, const struct stat_result *result, const struct stat_formula *formulas,
                        int count, struct text *out);

/* Rows of name,value,unit,meaning; the heading; and a field, in quotes if it needs them. */
void stat_csv_heading(struct text *out);
void stat_csv_formulas(const struct stat_result *result, const struct stat_formula *formulas, int count,
                       struct text *out);
void stat_csv_counters(const struct stat_result *result, struct text *out);
/* Appends the field, in quotes if its text needs them (RFC 4180). */
void stat_csv_field(const char *field, struct text *out);
/* Bytes of the record, including the newline that ends it; a newline inside quotes belongs to its field. */
size_t stat_csv_record_bytes(const char *record);
/* Cuts the next field out of the record that *rest points to, without its quotes, and moves *rest behind it. NULL: the
 * record has no further field. The record, which ends at a NUL, is changed in place. */
char *stat_csv_take_field(char **rest);

#endif
