/*
 * Notes on a program that it may not notice itself, told once at its end: reads out of bounds that --tolerate reads let
 * pass, and words that several blocks of one launch wrote. They are kept by kernel, over all launches.
 */
#ifndef HEDDLE_RUN_NOTES_H
#define HEDDLE_RUN_NOTES_H

#include "base/text.h"

#include <stdint.h>

/* What is noted of one kernel. A launch counts (device/launch.h), and says where the first of each kind happened. */
struct note {
    uint64_t tolerated_reads, block_conflicts;
    const char *tolerated_at, *conflict_at; /* "file.cu:12 (PTX line 40), address 0x..."; NULL or "": not known */
};

struct notes; /* a hash table; NULL while there is nothing to note */

/* Adds a launch of a kernel; texts are copied. */
void notes_add(struct notes **notes, const char *kernel, const struct note *note);
/* Appends one line for each kernel and kind, in the order of the first launches. */
void notes_print(const struct notes *notes, struct text *out);
void notes_free(struct notes **notes);

#endif
