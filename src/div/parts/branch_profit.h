/*
 * What compaction gains and costs, branch by branch.
 *
 * A table with one account per branch. An account holds a few fading sums: whenever a sum has 32 terms, sum and number
 * of terms are halved, so that the sum describes the last few dozen terms. An account says how long a warp that does
 * not wait takes from the branch to its reconvergence point, how many instructions such a warp issues on one side, how
 * much longer a warp in a compaction frame takes, and what waiting under each setting has been worth so far.
 *
 * The table is set-associative with LRU replacement, as a history table in hardware would be. With size 0 it has an
 * account for every branch of the program.
 */
#ifndef HEDDLE_DIV_PARTS_BRANCH_PROFIT_H
#define HEDDLE_DIV_PARTS_BRANCH_PROFIT_H

#include <stdbool.h>
#include <stdint.h>

/* A fading sum, and the number of its terms. */
struct faded {
    int64_t sum;
    uint32_t count;
};

enum { FADED_MOST_TERMS = 32 }; /* a sum with this many terms is halved */

void faded_halve(struct faded *f); /* until it has fewer terms */
static inline void faded_add(struct faded *f, int64_t sum, uint32_t count)
{
    f->sum += sum;
    f->count += count;
    if (f->count >= FADED_MOST_TERMS)
        faded_halve(f);
}
/* 0 without terms */
static inline double faded_mean(const struct faded *f)
{
    return f->count ? (double)f->sum / (double)f->count : 0;
}

enum { BRANCH_PROFIT_SETTINGS = 3 };

/* What one meeting of warps gives, on average. */
struct effects {
    struct faded saved;   /* warps that compaction saves */
    struct faded members; /* warps that take part in the frame */
    struct faded waited;  /* cycles that warps wait for others to arrive, summed over warps */
};

enum account_state {
    ACCOUNT_ALONE,   /* warps do not wait */
    ACCOUNT_TRIAL,   /* for a few meetings all warps wait */
    ACCOUNT_VERDICT, /* warps do not wait until the frames of the trial have ended */
    ACCOUNT_WAITS    /* warps wait, under the most profitable setting */
};

struct account {
    bool valid;
    int32_t branch; /* index into the program's branches */
    uint64_t used;  /* `clock` of the table at the last use */
    enum account_state state;
    uint32_t meetings;   /* meetings since the account entered its state */
    uint32_t pause;      /* meetings before the next trial */
    uint32_t open, done; /* visits of warps outside frames: begun and not ended, and ended */
    uint32_t members;    /* warps that wait for a frame now */
    struct faded alone;  /* cycles from the branch to its reconvergence point, of warps outside frames */
    struct faded side;   /* instructions that a warp outside frames issues on one side of the branch */
    struct faded visit;  /* instructions that a warp outside frames issues on both sides */
    struct faded yield;  /* instructions saved per warp saved, in frames */
    struct faded extra;  /* cycles that members of a frame take longer than `alone` */
    struct effects hope; /* effects of meetings without waiting, as if all warps had arrived at once */
    struct effects setting[BRANCH_PROFIT_SETTINGS]; /* effects of meetings with waiting, by setting */
};

struct branch_profit {
    unsigned sets, ways;
    uint64_t clock;                   /* uses so far, for LRU */
    uint64_t hits, misses, evictions; /* of the table */
    struct account *accounts;         /* [set][way] */
    struct account **of_branch;       /* [branch] its account; NULL: it has none */
};

/* `size`: accounts, 0 for one per branch; `branches`: branches of the program. */
void branch_profit_init(struct branch_profit *l, unsigned size, unsigned ways, unsigned branches);
void branch_profit_free(struct branch_profit *l);
/* The account of a branch; a new one replaces the least recently used. Counts a hit or a miss. */
struct account *branch_profit_open(struct branch_profit *l, int32_t branch);
/* The account of a branch; NULL: there is none. */
static inline struct account *branch_profit_find(const struct branch_profit *l, int32_t branch)
{
    return l->of_branch[branch];
}
/* Panics if an account is in the wrong set or stored twice, or if a sum has too many terms. */
void branch_profit_check(const struct branch_profit *l);

#endif
