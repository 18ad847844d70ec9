/*
 * The execution units of a multiprocessor: the cycle at which each copy of each unit takes its next instruction, and
 * the lane slices that may share a copy.
 *
 * A unit (enum sm_unit) has one or more copies, and an instruction holds one copy. Strands of one port's issue group
 * lie on disjoint slices, so they share the copy that the first of them took. Where slices issue on their own (gangs),
 * every slice has a share of its own in every copy, except in the load/store and texture units, since all lanes have
 * one memory. Ideal lanes hold no unit; `ideal_free` alone limits them.
 *
 * Units know neither strands nor instructions; callers pass the current cycle. Other files read the fields, and write
 * none of them; sm.c sets of_class and classes_of when a multiprocessor is created.
 */
#ifndef HEDDLE_SM_UNITS_H
#define HEDDLE_SM_UNITS_H

#include "base/bits.h"
#include "base/inline.h"
#include "base/storage.h"
#include "sched/sched.h"
#include "sm/config.h"
#include "sm/cycles.h"

#include <stddef.h>

enum { UNITS_NO_COPY = 255 };

struct units {
    uint64_t next[SM_UNIT_COUNT];        /* [unit]: first cycle at which any copy takes another instruction */
    uint8_t of_class[SCHED_MAX_CLASSES]; /* [class]: the unit of the class's instructions (plan.h) */
    const uint32_t *classes_of;          /* [unit]: one bit per class that uses the unit (plan.h) */
    /* Units that take no instruction in the next cycle either, noted as they are held: most instructions hold a unit
     * for one cycle, or leave another copy free, so that there is mostly none. Not where lanes are cut or ideal. */
    uint32_t busy;         /* one bit per unit */
    uint32_t busy_classes; /* one bit per class that uses one of these units */
    uint64_t busy_until; /* the first cycle at which one of them takes an instruction again; UINT64_MAX: none is busy */
    /* [unit]: where lanes are not cut, of a unit with two copies, the first cycle at which both take instructions; of a
     * unit with one copy, UINT64_MAX. */
    uint64_t second[SM_UNIT_COUNT];
    uint64_t *copy_free[SM_UNIT_COUNT]; /* [unit][copy]: first cycle at which the copy takes another instruction, where
                                          * lanes are cut or there are more than two copies */
    uint32_t copies[SM_UNIT_COUNT];     /* [unit]: number of copies */
    uint8_t group_copy[SM_UNIT_COUNT];  /* [unit]: copy that the issue group at work took, or UNITS_NO_COPY */
    uint32_t passes;                    /* passes of a whole strand through the lanes */
    uint64_t ideal_free;                /* first cycle at which ideal lanes take another group of threads */
    uint64_t all_slots;                 /* one bit per home slot of a warp */
    uint32_t slice_lanes;               /* lanes of one slice */
    uint32_t slices;                    /* number of slices; 1: the lanes are not cut */
    /* Where slices have shares of their own: first cycles at which shares take another instruction. The entries of a
     * slice begin at slice * share_count, and those of a unit at share_of[unit] behind that, one for each copy in order
     * of time: it does not matter which copy is which. Entries of units without shares stay 0. NULL: no shares. */
    uint64_t *shares;
    uint32_t share_count;
    uint8_t share_of[SM_UNIT_COUNT];
    uint64_t share_last[SM_UNIT_COUNT];     /* [unit]: the last cycle of the unit in `shares` */
    uint64_t busy_slots[SCHED_MAX_CLASSES]; /* [class]: what units_find_busy_slots() found */
};

void units_open(struct units *u, const struct sm_config *config, struct storage *storage);
/* Cuts the lanes into slices; with `has_shares`, every slice has its own share in all units but those of memory. */
void units_cut(struct units *u, uint32_t slice_lanes, uint32_t slices, bool has_shares, struct storage *storage);
/* Home slots of all slices in which `slots` has a bit. */
uint64_t units_slices_of(const struct units *u, uint64_t slots);
/* The next port's issue group takes copies of its own. */
void units_end_group(struct units *u);
/* Holds, until a cycle, a free share of the unit for each slice in which `slots` has a bit. */
void units_hold_shares(struct units *u, int unit, uint64_t until, uint64_t slots);
/* For each class, the home slots of slices whose shares of all copies of the class's unit are busy; NULL if none is.
 * `classes_of_unit` has a bit per class for each unit. */
const uint64_t *units_find_busy_slots(struct units *u, const uint32_t *classes_of_unit, uint64_t now);

/* Whether every slice has its own share of the unit. */
static inline bool units_has_shares(const struct units *u, int unit)
{
    return u->shares && unit != SM_LSU && unit != SM_TEX && unit != SM_SCALAR;
}

static inline uint64_t units_slice_slots(const struct units *u, uint32_t slice)
{
    return (uint64_t)bits_below(u->slice_lanes) << slice * u->slice_lanes;
}

/* Holds a free share of the unit for one slice until a cycle. */
static inline void units_hold_share(struct units *u, int unit, uint32_t slice, uint64_t until)
{
    uint64_t *share = &u->shares[slice * u->share_count + u->share_of[unit]];
    uint32_t i = 1;
    for (; i < u->copies[unit] && share[i] < until; i++)
        share[i - 1] = share[i];
    share[i - 1] = until;
    u->share_last[unit] = sm_later(u->share_last[unit], until);
}

/* Bits of those of the classes for which the slice has no free share of their unit. There is no branch on what is busy,
 * since the host could not predict it. */
static inline uint32_t units_busy_on_slice(const struct units *u, uint32_t slice, uint32_t classes, uint64_t now)
{
    const uint64_t *share = &u->shares[slice * u->share_count];
    uint32_t busy = 0;
    for (; classes; classes &= classes - 1) {
        const int class = bits_lowest(classes);
        busy |= (uint32_t)(share[u->share_of[u->of_class[class]]] > now) << class;
    }
    return busy;
}

/* The uncommon case of units_busy_classes(): some of the busy units take instructions again. */
void units_refresh_busy(struct units *u, uint64_t now);

/* Bits of the classes whose unit takes no instruction at cycle `now`, where lanes are neither cut nor ideal. Units that
 * were held in cycle `now` itself need not be among them. */
static ALWAYS_INLINE uint32_t units_busy_classes(struct units *u, uint64_t now)
{
    if (u->busy_until <= now)
        units_refresh_busy(u, now);
    return u->busy_classes;
}

/* units_hold() where lanes are cut, or a unit has more than two copies. */
uint64_t units_hold_copy(struct units *u, int unit, uint64_t until, uint64_t now, bool is_sliced);

/* Holds a free copy of the unit until a cycle; with `is_sliced`, the copy that the issue group at work has taken. Gives
 * the first cycle at which any copy takes another instruction. Most units have one or two copies. Where lanes are not
 * cut it does not matter which of two is which, so that the host need not predict which one is free. */
static ALWAYS_INLINE uint64_t units_hold(struct units *u, int unit, uint64_t until, uint64_t now, bool is_sliced)
{
    uint64_t first;
    if (is_sliced || UNLIKELY(u->copies[unit] > 2)) {
        first = units_hold_copy(u, unit, until, now, is_sliced);
    } else {
        first = sm_earlier(u->second[unit], until);
        u->second[unit] = sm_later(u->second[unit], until);
    }
    u->next[unit] = first;
    if (!is_sliced && first > now + 1) {
        u->busy |= 1u << unit;
        u->busy_classes |= u->classes_of[unit];
        u->busy_until = sm_earlier(u->busy_until, first);
    }
    return first;
}

/* Holds the ideal lanes while the threads that issued pass through them. */
static inline void units_hold_ideal(struct units *u, uint64_t now)
{
    u->ideal_free = now + u->passes;
}

#endif
