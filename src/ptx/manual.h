/*
 * The manual's instructions, and which rows of the instruction table each title is about: how much of PTX heddle has is
 * counted from these two tables, never kept by hand.
 *
 * A row belongs to a title if the row has the title's first word as its mnemonic and can be spelled with all its other
 * words: `vote.sync` takes rows of `vote` that have `.sync`. A row does not belong to a title if a longer title always
 * fits the row: VOTE_SYNC is no `vote`.
 */
#ifndef HEDDLE_PTX_MANUAL_H
#define HEDDLE_PTX_MANUAL_H

#include "ptx/ops.h"

/* The types of the rows that a line is about. */
enum manual_kind {
    MANUAL_ANY,
    MANUAL_INT,
    MANUAL_FLOAT,  /* f32, f64 and what is packed from f32 */
    MANUAL_DOUBLE, /* f64 */
    MANUAL_HALF,   /* f16, bf16 and what is packed from them */
    MANUAL_MIXED   /* f32, with a second type of half precision */
};

struct manual_line {
    const char *section, *title, *version, *target;
    enum manual_kind kind;
    const char *refusal; /* why heddle does not execute the instruction; "": it does */
};

enum {
#define MANUAL(section, title, version, target, kind, refusal) +1
    MANUAL_COUNT = 0
#include "ptx/manual.def"
};

extern const struct manual_line manual_table[MANUAL_COUNT];

bool manual_is_about(int line, enum op op);

#endif
