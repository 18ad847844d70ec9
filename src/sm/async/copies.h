/*
 * Bulk copies under way: cp.async.bulk, copies of tensors, reductions, st.async and red.async.
 *
 * One copy engine per multiprocessor carries them out, in the order in which they were issued. `bulk_latency` cycles
 * after its instruction, a copy's lines go to the data cache port as soon as the port is free, up to COPIES_LINES of
 * them at a time and ahead of the strands of that cycle; they do not look into the L1. A load is done when its last
 * line has come. A store or reduction takes `bulk_store_bytes` per cycle, and is done `bulk_store_latency` cycles after
 * it has sent all, with .read or not (measured on an H200). A copy that stays in shared memory takes `bulk_peer_bytes`
 * per cycle and `bulk_peer_latency`. The descriptor of a tensor is taken to be at hand.
 *
 * The engine (exec/) has moved the values and counted the bytes when the instruction was executed
 * (exec/async/copies.h). Here a phase of an mbarrier counts as complete only when the copies that it counts are done:
 * mbarrier.test_wait gets the answer that time gives, and mbarrier.try_wait does not issue until the data has come. A
 * phase is known by its parity, so copies of a phase before the last one are taken for those of the current phase; a
 * program that waits for each phase has none. cp.async.bulk.wait_group does not issue until the groups that its threads
 * wait for are done. Every copy ends, since memory takes and answers every access, so no wait lasts for ever.
 *
 * A block ends when its copies are done. Not modelled: copies and strands that want the banks of shared memory in one
 * cycle, and prefetches.
 */
#ifndef HEDDLE_SM_ASYNC_COPIES_H
#define HEDDLE_SM_ASYNC_COPIES_H

#include "base/vec.h"
#include "exec/async/copies.h"
#include "exec/strand.h"
#include "sm/cycles.h"
#include "sm/spill.h"

#include <stdint.h>

struct sm;

enum {
    COPIES_TICKET = SPILL_TICKET / 2, /* memory tickets from here on, and below SPILL_TICKET, belong to copies */
    COPIES_LINES = 8                  /* most lines of one access */
};

struct copy {
    int32_t next;      /* next free copy; -1 ends the list */
    bool is_under_way; /* false: the copy is free */
    bool in_group;     /* threads wait for it by groups */
    uint8_t kind;      /* enum copy_kind */
    uint8_t lane;      /* of the thread that started the copy */
    int32_t row;       /* of that thread */
    int32_t pc;        /* of the instruction */
    uint32_t group;    /* groups that the thread had closed before */
    uint64_t ready_at; /* first cycle at which a line can be sent */
    uint64_t unsent;   /* bytes of global memory that are still to be accessed */
    uint64_t staying;  /* bytes that are copied within shared memory */
    int answers;       /* accesses and events that are awaited */
};

/* Bytes in a row of global memory that a copy has still to access. */
struct copy_stretch {
    uint64_t address, bytes;
    int32_t copy;
};

/* The copy is counted in the phase of this parity of an mbarrier. */
struct copy_phase {
    const uint8_t *mbarrier;
    uint32_t parity;
    int32_t copy;
};

/* A strand that waits for copies. */
struct copy_waiter {
    int32_t strand;
    uint32_t generation;
};
struct copy_waiters vec_of(struct copy_waiter);

struct copies {
    struct vec_of(struct copy) pool;
    int32_t free_first;                        /* first free copy; -1: none */
    int under_way;                             /* copies that are not done */
    int32_t open;                              /* the copy that the engine describes; -1: none */
    struct vec_of(struct copy_stretch) unsent; /* from `first` on, in the order of the copies */
    int first;
    uint64_t free_at;                        /* first cycle at which the engine can send more, after a store */
    uint64_t peer_free_at;                   /* first cycle at which the engine can begin a copy within shared memory */
    struct vec_of(struct copy_phase) phases; /* of all copies under way */
    struct copy_waiters waiters, spare;      /* `spare`: storage, used in turn with `waiters` */
    uint32_t *groups;                        /* [row * ROW_LANES + lane]: groups that the thread has closed */
    struct copy_listener listener;
};

void copies_open(struct sm *sm, int rows);
void copies_close(struct copies *c);

/* Whether lines are still to be sent. */
static inline bool copies_wait(const struct copies *c)
{
    return c->first < c->unsent.count;
}

/* First cycle at which the next line can be sent; there must be one. */
static inline uint64_t copies_ready_at(const struct copies *c)
{
    return sm_later(c->pool.data[c->unsent.data[c->first].copy].ready_at, c->free_at);
}

void copies_cycle(struct sm *sm);                          /* sends lines, if the port is free */
void copies_reply(struct sm *sm, uint32_t ticket);         /* memory has answered an access */
void copies_take_event(struct sm *sm, int32_t copy);       /* the time of a copy without accesses has passed */
void copies_commit(struct sm *sm, const struct strand *s); /* the strand closes a group for each of its threads */
/* Whether some thread of the strand waits until at most `pending` of its groups are under way. If so, the strand is
 * evaluated when a copy is done. */
bool copies_keep_groups(struct sm *sm, const struct strand *s, uint32_t pending);
bool copies_keep(const struct copies *c, const struct strand *s); /* whether the strand waits for copies */
/* Whether the strand's mbarrier.try_wait waits for copies. If so, the strand is evaluated when a copy is done. */
bool copies_keep_phase(struct sm *sm, const struct strand *s);

#endif
