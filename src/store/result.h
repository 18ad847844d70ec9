/*
 * Results: what came of one run, in a form that can be stored and sent.
 *
 * As a text, a result is one line of JSON that ends with a hash of everything before it, so that a text which was cut
 * short or damaged is noticed. A file with a result gets its name by a rename once all of it is on the disk: whoever
 * sees the file sees all of it.
 */
#ifndef HEDDLE_STORE_RESULT_H
#define HEDDLE_STORE_RESULT_H

#include "base/vec.h"
#include "store/field.h"

#include <stdint.h>

/* A number of the run by its path in docs/statistics.md: its sum over launches, and the largest of any launch. */
struct result_value {
    char *path;
    double sum, max;
};

/* What a branch did, over all launches. */
struct result_branch {
    char *kernel, *where; /* where: source line; NULL if the run did not say */
    uint64_t pc;
    double executed, diverged; /* warp instructions */
    double threads, taken;     /* thread instructions */
    double lost_lanes, lost_issues;
};

struct result {
    char *key;              /* of the task */
    int status, own_status; /* struct trial has their meaning */
    char *failure;          /* NULL: the run came to its end with the right result; else one of result_failures */
    char *why;              /* why it failed, in a line; NULL: it did not */
    double seconds;         /* that the run took */
    char *date;             /* when it ended, as 2026-01-31T23:59:59Z */
    char *host;             /* name of the machine that it ran on */
    int launches, faults;   /* struct measurement has the meaning of these and the next */
    int compared, unordered, racing, wrong;
    char *scheduler;
    char *memory; /* JSON object: the first launch with the worst verdict; NULL: memory is right */
    char *output; /* what the run printed */
    struct vec_of(struct result_value) values;
    struct vec_of(struct result_branch) branches;
};

enum { RESULT_FIELDS = 17 };
extern const struct field result_fields[RESULT_FIELDS];

/* Kinds of failures, in the words that the store has for them. */
extern const char result_time[], result_memory[], result_killed[], result_wrong[], result_error[];

/* Appends the result as one line of text. */
void result_print(const struct result *r, struct text *out);
/* Reads what result_print() wrote into a result that is zero. False and an error text, and the result is zero, if the
 * text is not complete and unchanged. */
bool result_read(struct result *r, const char *text, char **error);
void result_free(struct result *r);

/* Writes the text into a file of this path: first under another name in the same folder, then, once it is on the disk,
 * by a rename. False and an error text; then there is no such file, or the one that was there before. */
bool result_write_file(const char *path, const char *text, char **error);

#endif
