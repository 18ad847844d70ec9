/*
 * Strands: threads at one PC that issue together. The one thing a pipeline schedules.
 *
 * A strand holds its threads as parts, a mask of lanes of each row it has threads of. A thread's home slot is its lane
 * modulo the machine's warp width W, and no two threads of a strand share a slot. A static warp, a dynamic warp, a
 * warp split, a path, a gang and the converged part of a Volta warp are all strands. A strand may mix rows, and under
 * dwf rows of different blocks; shared memory, parameters and barriers are looked up by row, never by strand.
 */
#ifndef HEDDLE_EXEC_STRAND_H
#define HEDDLE_EXEC_STRAND_H

#include "base/bits.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { STRAND_MAX_PARTS = 64 };

/* Lanes of one row of the multiprocessor. */
struct part {
    int32_t row;
    uint32_t mask;
};

/* A set of threads of one multiprocessor; each row at most once. */
struct threads {
    int count;
    struct part part[STRAND_MAX_PARTS];
};

static inline int threads_size(const struct threads *t)
{
    int size = 0;
    for (int i = 0; i < t->count; i++)
        size += bits_count(t->part[i].mask);
    return size;
}

static inline void threads_add(struct threads *t, int32_t row, uint32_t mask)
{
    for (int i = 0; i < t->count; i++)
        if (t->part[i].row == row) {
            t->part[i].mask |= mask;
            return;
        }
    t->part[t->count++] = (struct part){row, mask};
}

/* The same where rows come one after the other, so that one which is there is the last. */
static inline void threads_append(struct threads *t, int32_t row, uint32_t mask)
{
    if (t->count && t->part[t->count - 1].row == row)
        t->part[t->count - 1].mask |= mask;
    else
        t->part[t->count++] = (struct part){row, mask};
}

static inline uint32_t threads_of_row(const struct threads *t, int32_t row)
{
    for (int i = 0; i < t->count; i++)
        if (t->part[i].row == row)
            return t->part[i].mask;
    return 0;
}

/* Four parts at a time, of which the last may say nothing: so fewer numbers of parts are told apart by branches, which
 * nobody could guess. */
static inline void threads_copy(struct threads *to, const struct threads *from)
{
    enum { AT_A_TIME = 4 };
    to->count = from->count;
    for (int i = 0; i < from->count; i += AT_A_TIME)
        memcpy(&to->part[i], &from->part[i], AT_A_TIME * sizeof to->part[i]);
}

/* Takes threads out; parts that become empty go. */
static inline void threads_remove(struct threads *t, int32_t row, uint32_t mask)
{
    for (int i = 0; i < t->count; i++)
        if (t->part[i].row == row && !(t->part[i].mask &= ~mask))
            t->part[i] = t->part[--t->count];
}

struct strand {
    int32_t id;          /* place in the multiprocessor's table */
    uint32_t generation; /* of that place: completions for an earlier strand there do not count */
    int32_t pc;
    int32_t depth;       /* calls deep */
    int32_t lineage;     /* static warp or pool slot: GTO's greed, even and odd schedulers */
    int32_t block;       /* resident block of its first thread */
    uint64_t birth;      /* order of creation; smaller is older */
    uint64_t block_age;  /* order of the block's launch */
    int32_t size;        /* how many threads; the pipeline's */
    uint64_t slots;      /* home slots of its threads, one bit each; the pipeline's */
    uint32_t lanes;      /* of its threads, whatever their rows; 0: some share one; the pipeline's */
    uint8_t slices;      /* lane slices it lies on, where they issue by themselves; else 0; the pipeline's */
    uint8_t pool;        /* 1 + its slice, if it lies on one only; else 0; the pipeline's */
    uint64_t not_before; /* cycle before which it may not issue */
    int32_t key;         /* what the mechanism wants a policy to order by */
    uint8_t side;        /* of a dual-path scoreboard */
    uint16_t syncs;      /* convergence-barrier operations that it has to issue before the instruction at its PC */
    bool busy;           /* an instruction that decides where its threads go is under way: a control one until `branch`,
                          * with DIV_EVERY_INSTRUCTION any until `commit`; mechanisms leave the strand as it is */
    bool held;           /* waits at a barrier or rendezvous */
    bool parked;         /* the mechanism keeps it from issuing */
    int32_t waiting;     /* threads of it that a barrier or rendezvous still holds */
    struct threads threads; /* last: the rest is what is looked at all the time */
};

/* Where threads go after a control instruction. */
struct outcome {
    int32_t pc, depth;
    struct threads threads;
};

#endif
