/*
 * The journal: what is known of the issues of a launch on one multiprocessor, in their order.
 *
 * Issues are numbered from 1 on. A launch is deterministic, so what was noted of an issue stays true when the launch
 * runs again, and goals that lie within the journal are found without a run. An entry takes 24 bytes.
 */
#ifndef HEDDLE_STEP_JOURNAL_H
#define HEDDLE_STEP_JOURNAL_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum journal_flag {
    JOURNAL_DIVERGED = 1, /* the threads of the issue went on at different places; known once it was executed */
    JOURNAL_MET = 2       /* threads of one warp that last issued apart issue together */
};

struct journal_entry {
    uint64_t cycle;
    uint64_t warps; /* static warps that have threads in the issue, one bit each; warps from 64 on have none */
    int32_t pc;
    uint32_t flags; /* enum journal_flag */
};

struct journal {
    struct vec_of(struct journal_entry) issues; /* [issue - 1] */
    bool is_complete;                           /* the launch has no further issues */
};

/* What to look for. Each issue that has all of these counts. */
struct journal_goal {
    uint64_t warps;       /* one of these warps takes part; UINT64_MAX: any issue counts, whatever its warps */
    uint64_t least_cycle; /* it is in this cycle or later */
    uint32_t flags;       /* it has these flags */
    const bool *pcs;      /* by PC: its PC is one of these; NULL: any PC */
    uint64_t count;       /* the how-manieth of such issues is wanted, from 1 on */
};

static inline uint64_t journal_count(const struct journal *j)
{
    return (uint64_t)j->issues.count;
}

/* The entry of an issue that the journal has. */
static inline struct journal_entry *journal_at(const struct journal *j, uint64_t issue)
{
    return &j->issues.data[issue - 1];
}

bool journal_matches(const struct journal_goal *goal, const struct journal_entry *entry);

/* The goal's issue behind `from`; 0: the journal does not have it, and goal->count is what is left of it. */
uint64_t journal_find(const struct journal *j, struct journal_goal *goal, uint64_t from);
/* Likewise the goal's issue before `from`; 0: there is none. */
uint64_t journal_find_back(const struct journal *j, struct journal_goal *goal, uint64_t from);

#endif
