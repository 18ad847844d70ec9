/*
 * Statistics: counters, each declared once, with unit and meaning, in a table beside the structure that holds it.
 *
 * A counter is a plain uint64_t that its owner increments. Everything that is printed is a counter or a formula over
 * counters, evaluated when printed; the statistics of a phase or kernel are differences of snapshots. Owners know
 * nothing of the printers in this folder.
 */
#ifndef HEDDLE_STAT_STAT_H
#define HEDDLE_STAT_STAT_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

enum stat_combine { STAT_SUM, STAT_MAX }; /* how counters of several multiprocessors, L2 slices or channels combine */

struct stat_counter {
    const char *name;
    const char *unit;    /* "cycles", "lines"; "" for none */
    const char *meaning; /* a whole sentence: "Lines that reads found in the cache." */
    size_t offset;       /* of the counter, a uint64_t, in the owner's structure */
    enum stat_combine combine;
};

struct stat_owner {
    const char *name; /* prefix of the counters: "sm", "l1d", "dram", "pdom" */
    const struct stat_counter *counters;
    int count;    /* of `counters` */
    size_t bytes; /* size of the structure that holds the counters */
};

/* Combines every counter of `from` into `into`: the sum, or for STAT_MAX the larger one. */
void stat_add(const struct stat_owner *owner, void *into, const void *from);
/* into = now - before, counter by counter; a STAT_MAX counter is copied from `now`. */
void stat_difference(const struct stat_owner *owner, void *into, const void *now, const void *before);

/* The counters of one owner, for printers and formulas. */
struct stat_value {
    const struct stat_owner *owner;
    const void *values; /* the owner's structure; not owned */
};

/* The counters of all owners of one result. */
struct stat_result {
    const struct stat_value *parts;
    int count; /* of `parts` */
};

/* The value of a counter by its path: "sm.cycles"; "*.pcs" is that of the first owner that has such a counter. 0, and
 * *found = false, if there is none. `found` may be NULL. */
uint64_t stat_get(const struct stat_result *result, const char *path, _Bool *found);

/* A figure that is computed from counters when it is printed. */
struct stat_formula {
    const char *name;
    const char *unit;                                  /* "threads"; "" for a share or ratio */
    const char *meaning;                               /* a whole sentence */
    double (*value)(const struct stat_result *result); /* NAN: no value in this result */
};

/* Text for people, at most 100 columns wide: the formulas and then all owners, the formulas alone, or one owner alone.
 * Owners whose counters are all zero are left out. */
void stat_print_text(const struct stat_result *result, const struct stat_formula *formulas, int count,
                     struct text *out);
void stat_text_formulas(const struct stat_result *result, const struct stat_formula *formulas, int count,
                        struct text *out);
void stat_text_owner(const struct stat_value *part, struct text *out);

/* JSON, without outer braces: the counters as one member per owner; formulas as one member. */
void stat_print_json(const struct stat_result *result, struct text *out);
void stat_json_formulas(const char *name, const struct stat_result *result, const struct stat_formula *formulas,
                        int count, struct text *out);

/* CSV: the heading line, and rows of name,value,unit,meaning for formulas or for the counters of all owners. */
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
