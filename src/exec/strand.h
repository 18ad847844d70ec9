/*
 * Strands: threads at one PC that issue together. A strand is the only thing that a pipeline schedules: a static warp,
 * a dynamic warp, a warp split, a path, a gang and the converged part of a Volta warp are all strands.
 *
 * A strand holds its threads as parts: per row, a mask of lanes. A thread's home slot is its lane modulo the machine's
 * warp width, and no two threads of a strand share a slot. A strand may have threads of several rows and, under dwf, of
 * several blocks; so shared memory, parameters and barriers are looked up by row, never by strand.
 */
#ifndef HEDDLE_EXEC_STRAND_H
#define HEDDLE_EXEC_STRAND_H

#include "base/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { STRAND_MAX_PARTS = 64 };

/* Threads of one row. */
struct part {
    int32_t row;   /* number of the row on its multiprocessor */
    uint32_t mask; /* lanes */
};

/* A set of threads of one multiprocessor, with at most one part per row. */
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

/* threads_add() for threads that come row after row, so that only the last part can be the row's. */
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

/* Copies four parts at a time, some of them beyond `count` and meaningless: the loop then has fewer different lengths,
 * and the host predicts its branches better. */
static inline void threads_copy(struct threads *to, const struct threads *from)
{
    enum { AT_A_TIME = 4 };
    to->count = from->count;
    for (int i = 0; i < from->count; i += AT_A_TIME)
        memcpy(&to->part[i], &from->part[i], AT_A_TIME * sizeof to->part[i]);
}

/* Whether both have the same parts in the same order. */
static inline bool threads_are_same(const struct threads *a, const struct threads *b)
{
    bool is_same = a->count == b->count;
    for (int i = 0; i < a->count && is_same; i++)
        is_same = a->part[i].row == b->part[i].row && a->part[i].mask == b->part[i].mask;
    return is_same;
}

/* Removes threads, and parts that become empty. */
static inline void threads_remove(struct threads *t, int32_t row, uint32_t mask)
{
    for (int i = 0; i < t->count; i++)
        if (t->part[i].row == row && !(t->part[i].mask &= ~mask))
            t->part[i] = t->part[--t->count];
}

/* The fields that every instruction reads stand first, with the threads of the first row, in one cache line of the
 * host. */
struct strand {
    int32_t id;          /* index in the multiprocessor's table of strands */
    uint32_t generation; /* counts the strands that had this id; completions for an earlier one are ignored */
    int32_t pc;
    int32_t lineage;     /* static warp or pool slot: what GTO stays greedy on; its parity selects among two
                          * schedulers */
    uint64_t not_before; /* the strand may not issue before this cycle */
    uint64_t slots;      /* home slots of the threads, one bit each; set by the pipeline */
    int32_t size;        /* number of threads; set by the pipeline */
    uint32_t lanes;      /* lanes of the threads of all rows; 0: two threads share a lane; set by the pipeline */
    uint16_t syncs;      /* convergence-barrier operations that must issue before the instruction at the PC */
    /* An instruction that decides where the threads go is in flight: a control instruction until `branch`, with
     * DIV_EVERY_INSTRUCTION any instruction until `commit`. Mechanisms may not change the strand meanwhile. */
    bool busy;
    bool held;      /* the strand waits at a barrier or rendezvous */
    bool parked;    /* the mechanism keeps the strand from issuing */
    uint8_t slices; /* lane slices of the threads, if slices issue separately; else 0; set by the pipeline */
    uint8_t pool;   /* 1 + the slice, if all threads lie on one slice; else 0; set by the pipeline */
    uint8_t side;   /* which side of a dual-path scoreboard the strand uses */
    int32_t depth;  /* nesting depth of calls */
    struct threads threads;
    int32_t waiting;    /* threads of the strand that a barrier or rendezvous still holds */
    int32_t key;        /* set by the mechanism for scheduling policies that order by it */
    uint64_t birth;     /* rank in the order of creation; smaller is older */
    uint64_t block_age; /* rank of the block in the order of launches; smaller is older */
    int32_t age_rank;   /* rank of the strand's warp in its block, for schedulers that go by age; smaller is older. The
                         * lineage; 0 where strands mix threads of several blocks, so that birth alone decides */
    int32_t block;      /* index of the resident block of the first thread */
    uint64_t unused[5]; /* pads the strand to ten cache lines */
};
_Static_assert(offsetof(struct strand, threads.part[1]) == 64, "the second cache line begins here");
_Static_assert(sizeof(struct strand) == 640, "strands of a table begin at cache lines");

/* Threads that go on at (pc, depth) after a control instruction. */
struct outcome {
    int32_t pc, depth;
    struct threads threads;
};

#endif
