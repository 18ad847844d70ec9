/*
 * Posted writes: stores to global memory, and atomics, that a multiprocessor of a timed machine has executed, and that
 * others cannot see yet.
 *
 * Nothing that a multiprocessor does can reach another one within a window of the machine's clock (gpu/windows.c), so
 * its writes are kept here and go to memory at the end of the window. Multiprocessors may then run through a window in
 * any order, or side by side, and read the same values. A multiprocessor's own loads do see what it has posted.
 *
 * The result of a posted atomic goes to its thread's register when the atomic goes to memory. No instruction that the
 * scoreboard keeps from reading the register can have read it before: a result takes longer to come back than a window
 * lasts. Programs with instructions that read registers unasked post no atomics with results (sm/plan.c).
 */
#ifndef HEDDLE_EXEC_POSTED_H
#define HEDDLE_EXEC_POSTED_H

#include "exec/bound.h"

struct draft;

struct posted_write {
    uint64_t cycle;         /* at which it was executed */
    uint8_t *host;          /* where the bytes go */
    uint32_t data;          /* index of the new bytes, or of an atomic's operands, in `data` */
    uint32_t bytes : 31;    /* number of bytes at `host` */
    uint32_t is_late : 1;   /* see posted.late_before */
    const struct bound *in; /* the atomic; NULL: a store */
};

/* Where the result of an atomic goes. */
struct posted_result {
    uint8_t *planes; /* registers of the thread's row; NULL: there is no result */
    int lane;
};

/* The longest stretch that posted_read() looks at: a lane's load, and an atomic that it overlaps on either side. */
enum { POSTED_FILTER_WORDS = 64, POSTED_MOST_VIEW = 3 * BOUND_MAX_OPERANDS * 8 };

struct posted {
    struct posted_write *writes;
    uint8_t *data;
    uint32_t count, capacity;     /* of `writes` */
    uint32_t visible;             /* writes, from the first on, that others see already */
    uint32_t results;             /* atomics whose results are still to go to their registers */
    uint32_t used, data_capacity; /* of `data` */
    /* Writes before this cycle are late: they become visible behind those writes of all multiprocessors in the same
     * window that are not. */
    uint64_t late_before;
    uint64_t changed;     /* stores that were applied, and atomics that changed memory then */
    uintptr_t first, end; /* all posted writes are at host addresses from `first` to `end` - 1; none: 0 and 0 */
    /* Functional engine: the draft (draft.h) that loads, unless `count` is 0, and writes go to instead. NULL: there is
     * none, as on machines. */
    struct draft *draft;
    uint64_t
        filter[POSTED_FILTER_WORDS]; /* bits of the lines that posted writes touch, by hash: see posted_may_hold() */
};

void posted_close(struct posted *p);

/* Adds a store of so many bytes at the cycle, which is not before those of other writes. Gives the place of the bytes,
 * which the caller fills in, and which is valid until the next call. */
uint8_t *posted_store(struct posted *p, uint64_t cycle, uint8_t *host, uint32_t bytes);
/* Adds one lane's atomic. `operands`: `count` values, as atomic_apply() takes them. */
void posted_atomic(struct posted *p, uint64_t cycle, const struct bound *in, uint8_t *host, const uint64_t *operands,
                   int count, struct posted_result result);

/* Carries out a posted atomic in memory. Gives the number of elements that changed. */
uint64_t posted_carry_out(struct posted *p, const struct posted_write *w);
/* Makes the multiprocessor's writes up to the cycle visible, in the order in which they were posted. Without `late`,
 * those from the first late one on wait. */
void posted_apply(struct posted *p, uint64_t until, bool late);
/* The cycle of the first write that others do not see yet; UINT64_MAX: there is none. */
uint64_t posted_first(const struct posted *p);

enum { POSTED_LINE_SHIFT = 7 };

static inline unsigned posted_hash(uintptr_t host)
{
    return (unsigned)(((uint64_t)host >> POSTED_LINE_SHIFT) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

/* False: no posted write touches the 128-byte line of the host's memory. */
static inline bool posted_may_hold(const struct posted *p, uintptr_t host)
{
    unsigned h = posted_hash(host);
    return p->filter[h / 64] >> h % 64 & 1;
}

/* False: no posted write touches these bytes of the host's memory, which may be a whole allocation. */
static inline bool posted_reaches(const struct posted *p, const uint8_t *host, uint64_t bytes)
{
    return (uintptr_t)host < p->end && (uintptr_t)host + bytes > p->first;
}

/* Reads bytes of global memory as the multiprocessor sees them. */
void posted_read(const struct posted *p, const uint8_t *host, void *into, uint32_t bytes);

#endif
