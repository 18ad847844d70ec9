/*
 * The table of strands: strands by id, what the pipeline knows of each strand, and which ids are free.
 *
 * An id is used again after its strand was retired. The generation counts the uses, so that an event for an earlier
 * strand can be told from one for the current strand. Ids grow from 0 and storage is initialised as ids are first used:
 * most launches use few of them.
 *
 * host.c counts `births`, and sm.c sets `first_cycle_of_new`; struct strand_state names the owner of each field.
 */
#ifndef HEDDLE_SM_STRAND_TABLE_H
#define HEDDLE_SM_STRAND_TABLE_H

#include "base/storage.h"
#include "exec/strand.h"
#include "sm/fetch.h"
#include "sm/scoreboard.h"

#include <stddef.h>

/* What the pipeline knows of a strand beside struct strand, which mechanisms see. The comments name the owner. The
 * fields that every instruction reads, whatever the scoreboard, stand in the second of two cache lines. */
struct strand_state {
    uint64_t slices;                  /* thread_map.c: home slots of the slices that it lies on, where slices issue on
                                       * their own */
    uint32_t taken;                   /* simple.c, with has_taken: lanes of its threads that take the branch */
    bool has_taken;                   /* simple.c: a direct branch is in flight, of which `taken` is known */
    bool listed_apart;                /* readiness.c: the gang's members may not be ready together */
    uint8_t pool;                     /* readiness.c, while ready: pool of the scheduler */
    int32_t route_pc;                 /* issue.c: where all its threads go when its instruction, which is no control
                                       * instruction, is done; simple.c: where those go that take a branch; resolve.c:
                                       * where all go behind a branch that does not diverge */
    struct fetch_buffer buffer;       /* fetch.c */
    struct scoreboard_strand pending; /* scoreboard.c, access.c, issue.c: what is in flight */
    uint64_t wake_at;                 /* readiness.c: cycle of the wake-up event that counts; 0: none */
    bool in_use;                      /* strand_table.c: the strand exists */
    bool ready;                       /* readiness.c: the scheduler may pick the strand */
    bool listed;                      /* readiness.c: the strand is evaluated when the cycle's issue is done */
    bool resolves;                    /* issue.c: a control instruction is in flight */
    bool drains;                      /* host.c: the mechanism waits until the instructions of the strand are done */
    uint8_t class;                    /* readiness.c, while ready: class of its next instruction */
    uint8_t port;                     /* host.c: issue port */
    uint8_t backlog;                  /* backlog.h: instructions before its PC that were not executed yet */
};
_Static_assert(sizeof(struct strand_state) == 128, "indexing by id is a shift");
_Static_assert(offsetof(struct strand_state, pending.done_at) == 64, "the second cache line begins here");

/* Where a control instruction sent a strand's threads, kept by issue.c until the instruction resolves. Few strands have
 * one in flight, so these are apart from the states; and most that have need only strand_state.taken. */
struct pending_branch {
    uint64_t data_at;    /* cycle at which shared memory has served the strand's last access to matrices */
    int count, capacity; /* outcomes */
    struct outcome *outcome;
    struct threads ended;
};

struct strand_table {
    struct strand *at;             /* [id] */
    struct strand_state *state;    /* [id] */
    struct pending_branch *branch; /* [id] */
    int capacity;                  /* ids; one per thread that the multiprocessor can have in this launch */
    int top;                       /* ids below it were used */
    int32_t *free_ids;             /* ids below `top` without a strand */
    int free_count;
    uint64_t births;             /* strands created so far */
    uint64_t first_cycle_of_new; /* cycle before which new strands may not issue, while a block is launched; else 0 */
};

void strand_table_open(struct strand_table *t, int capacity, struct storage *storage);
void strand_table_close(struct strand_table *t);
int32_t strand_table_take(struct strand_table *t); /* a free id, of a new generation; -1: there is none */
void strand_table_put_back(struct strand_table *t, int32_t id);

/* The strand, if the id still belongs to that generation; else NULL. A strand that is retired ends its generation. */
static inline struct strand *strand_table_current(const struct strand_table *t, int32_t id, uint32_t generation)
{
    return t->at[id].generation == generation ? &t->at[id] : NULL;
}

#endif
