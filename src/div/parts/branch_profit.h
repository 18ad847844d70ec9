/*
 * What compaction gains and costs, branch by branch.
 *
 * A table of accounts, one a branch, each with a few sums that fade: half of a sum is forgotten whenever it
 * has enough terms, so that it is of the last few dozen. An account says how long a warp that goes by itself
 * takes from the branch to its post-dominator, how many instructions it issues on a side, how much longer
 * those take that wait for a frame, and what waiting under each setting would have been worth so far.
 *
 * The table is set-associative with least recent use as its order, as a history table would be; of size 0 it
 * has an account for every branch of the program.
 */
#ifndef HEDDLE_DIV_PARTS_BRANCH_PROFIT_H
#define HEDDLE_DIV_PARTS_BRANCH_PROFIT_H

#include <stdbool.h>
#include <stdint.h>

/* A sum of terms that fades. */
struct faded {
    int64_t sum;
    uint32_t count;
};

void faded_add(struct faded *f, int64_t sum, uint32_t count);
double faded_mean(const struct faded *f); /* 0 of no terms */

enum { LEDGER_SETTINGS = 3 };

/* What meetings do, each. */
struct effects {
    struct faded saved;   /* warps that compacted paths have less */
    struct faded members; /* warps that wait for a frame */
    struct faded waited;  /* cycles that warps wait for others to come, all together */
};

enum account_state {
    ACCOUNT_ALONE,   /* nobody waits */
    ACCOUNT_TRIAL,   /* for a few meetings all wait */
    ACCOUNT_VERDICT, /* nobody waits until those have come through */
    ACCOUNT_WAITS    /* warps wait, under the setting that is worth most */
};

struct account {
    bool valid;
    int32_t branch; /* index */
    uint64_t used;
    enum account_state state;
    uint32_t meetings;   /* since it has been in that state */
    uint32_t pause;      /* meetings before the next trial */
    uint32_t open, done; /* visits that warps are on by themselves, and that they have come through */
    uint32_t members;    /* warps that wait for a frame */
    struct faded alone;  /* cycles from the branch to its post-dominator, of warps that go by themselves */
    struct faded side;   /* instructions that they issue on a side */
    struct faded visit;  /* instructions that they issue in all */
    struct faded yield;  /* instructions that frames issued less, by warps that they had less */
    struct faded extra;  /* cycles that members of a frame take longer than that */
    struct effects hope; /* of meetings at which nobody waits, if all had been there at once */
    struct effects setting[LEDGER_SETTINGS]; /* of meetings whose warps waited, under each setting */
};

struct branch_profit {
    unsigned sets, ways;
    uint64_t clock, hits, misses, evictions;
    struct account *accounts; /* ways of a set together */
};

/* `branches`: of the program. */
void branch_profit_init(struct branch_profit *l, unsigned size, unsigned ways, unsigned branches);
void branch_profit_free(struct branch_profit *l);
/* The account of a branch, a new one if there is none. Counts a hit or a miss. */
struct account *branch_profit_open(struct branch_profit *l, int32_t branch);
/* The account if there is one, or NULL. */
struct account *branch_profit_find(const struct branch_profit *l, int32_t branch);
/* Panics if an account is where its branch does not belong, is there twice, or a sum has too many terms. */
void branch_profit_check(const struct branch_profit *l);

#endif
