/*
 * The warp pool of dynamic warp formation (Fung et al., MICRO 2007), and the PC-warp LUT that finds a waiting warp by
 * its PC. A dynamic warp is a strand here.
 *
 * Every strand is in the pool, waiting or issued. For a place (a PC at a call depth) the LUT names the strand that
 * threads arriving there join. The LUT is small: a place may lose its entry to another place, and threads that could
 * have joined then form a new strand. A strand that has issued cannot be joined any more; its LUT entry is stale from
 * then on. A map without a size limit is kept beside the LUT to count what a perfect LUT would have found.
 *
 * Keys of strands, for schedulers: -1 for threads that come from a block barrier, which issue before all others;
 * otherwise the number of reconvergence points that the strand's slowest thread has passed, which is counted only where
 * the scheduler orders by it; else 0.
 */
#ifndef HEDDLE_DIV_PARTS_POOL_H
#define HEDDLE_DIV_PARTS_POOL_H

#include "base/vec.h"
#include "div/contract/div.h"

enum pool_home {
    POOL_HOME_WARP, /* a thread has a fixed slot among the W slots of a warp */
    POOL_HOME_SIMD  /* a thread has a fixed lane, and takes any free slot of that lane */
};

struct pool_knobs {
    uint32_t entries, ways; /* of the LUT; 0 entries: a perfect LUT */
    uint32_t commits;       /* strands that can be regrouped per cycle and scheduler; 0: no limit */
    uint32_t home;          /* enum pool_home */
};

#define POOL_KNOBS                                                                                     \
    {.name = "lut_entries",                                                                            \
     .unit = "entries",                                                                                \
     .meaning = "Entries of the PC-warp LUT, which finds a waiting warp by its PC; 0: a perfect LUT.", \
     .kind = KNOB_COUNT,                                                                               \
     .offset = offsetof(struct pool_knobs, entries),                                                   \
     .fallback = 32,                                                                                   \
     .high = 4096},                                                                                    \
        {.name = "lut_ways",                                                                           \
         .unit = "entries",                                                                            \
         .meaning = "Associativity of the PC-warp LUT; the least recently used entry is replaced.",    \
         .kind = KNOB_COUNT,                                                                           \
         .offset = offsetof(struct pool_knobs, ways),                                                  \
         .fallback = 2,                                                                                \
         .low = 1,                                                                                     \
         .high = 64},                                                                                  \
        {.name = "commits_per_cycle",                                                                  \
         .unit = "strands",                                                                            \
         .meaning = "Warps that can be regrouped per cycle and scheduler; 0: no limit.",               \
         .kind = KNOB_COUNT,                                                                           \
         .offset = offsetof(struct pool_knobs, commits),                                               \
         .fallback = 1,                                                                                \
         .high = 64},                                                                                  \
    {                                                                                                  \
        .name = "home", .unit = "",                                                                    \
        .meaning = "Home of a thread: its slot among W (warp), or only its lane among simd_width, "    \
                   "which has one slot per pass of a warp (simd).",                                    \
        .kind = KNOB_CHOICE, .offset = offsetof(struct pool_knobs, home), .fallback = POOL_HOME_WARP,  \
        .high = POOL_HOME_SIMD, .choices = pool_home_names                                             \
    }
extern const char *const pool_home_names[];

enum { POOL_PC_COUNTS = 6 };

/* Counts of events; POOL_COUNTERS below describes each. */
struct pool_counters {
    uint64_t commits, partial;
    uint64_t strands, merges, joined, conflicts;
    uint64_t lut_hits, lut_misses, lut_stale, lut_aliases, lost_merges;
    uint64_t late_commits, late_cycles;
    uint64_t strands_max;
    uint64_t pcs, pcs_max;
    uint64_t pcs_up_to[POOL_PC_COUNTS]; /* commits by number of distinct PCs: 1, 2, up to 4, 8, 16, more */
};

#define POOL_FIELD(field)    .name = #field, .offset = offsetof(struct pool_counters, field)
#define POOL_PCS(name_of, i) .name = name_of, .offset = offsetof(struct pool_counters, pcs_up_to[i])
#define POOL_COUNTERS                                                                                                  \
    {POOL_FIELD(commits), .unit = "strands", .meaning = "Warps that were regrouped after an instruction."},            \
        {POOL_FIELD(partial), .unit = "strands", .meaning = "Regrouped warps that had fewer than W threads."},         \
        {POOL_FIELD(strands), .unit = "strands", .meaning = "Warps that entered the pool."},                           \
        {POOL_FIELD(merges), .unit = "times", .meaning = "Times that threads joined a waiting warp."},                 \
        {POOL_FIELD(joined), .unit = "threads", .meaning = "Threads that joined a waiting warp."},                     \
        {POOL_FIELD(conflicts), .unit = "threads",                                                                     \
         .meaning = "Threads whose slot was taken in the warp that the LUT named."},                                   \
        {POOL_FIELD(lut_hits), .unit = "lookups", .meaning = "Lookups for which the LUT named a waiting warp."},       \
        {POOL_FIELD(lut_misses), .unit = "lookups", .meaning = "Lookups for which the LUT had no entry."},             \
        {POOL_FIELD(lut_stale), .unit = "lookups", .meaning = "Lookups for which the named warp had issued already."}, \
        {POOL_FIELD(lut_aliases), .unit = "entries",                                                                   \
         .meaning = "LUT entries of waiting warps that another PC replaced."},                                         \
        {POOL_FIELD(lost_merges), .unit = "times",                                                                     \
         .meaning = "Times that a warp which threads could have joined was waiting, but the LUT did not find it."},    \
        {POOL_FIELD(late_commits), .unit = "strands", .meaning = "Warps that waited to be regrouped."},                \
        {POOL_FIELD(late_cycles), .unit = "cycles", .meaning = "Cycles that warps waited to be regrouped."},           \
        {POOL_FIELD(strands_max), .unit = "strands", .meaning = "Most warps at once, waiting or issued.",              \
         .combine = STAT_MAX},                                                                                         \
        {POOL_FIELD(pcs), .unit = "PCs", .meaning = "Distinct PCs of all warps, summed over commits."},                \
        {POOL_FIELD(pcs_max), .unit = "PCs", .meaning = "Most distinct PCs at once.", .combine = STAT_MAX},            \
        {POOL_PCS("pcs_1", 0), .unit = "commits", .meaning = "Commits while all warps were at one PC."},               \
        {POOL_PCS("pcs_2", 1), .unit = "commits", .meaning = "Commits while warps were at 2 distinct PCs."},           \
        {POOL_PCS("pcs_4", 2), .unit = "commits", .meaning = "Commits while warps were at 3 or 4 distinct PCs."},      \
        {POOL_PCS("pcs_8", 3), .unit = "commits", .meaning = "Commits while warps were at 5 to 8 distinct PCs."},      \
        {POOL_PCS("pcs_16", 4), .unit = "commits", .meaning = "Commits while warps were at 9 to 16 distinct PCs."},    \
    {                                                                                                                  \
        POOL_PCS("pcs_more", 5), .unit = "commits",                                                                    \
                                 .meaning = "Commits while warps were at more than 16 distinct PCs."                   \
    }
enum { POOL_URGENT = -1 }; /* the key of strands whose threads come from a block barrier */

/* What the pool knows about a strand. */
struct pool_node {
    struct strand *strand; /* the strand that has this id, or had it last; NULL: none has had it */
    uint32_t entry;        /* counts the strands that left the pool; a reference with an older number is stale */
    int32_t place;         /* index into `pool.places`; -1: no strand has this id */
    int32_t passed;        /* reconvergence points that the strand's slowest thread has passed */
    int16_t warp;          /* the static warp whose threads the strand has, all and no others; -1: none */
    bool is_urgent;        /* the strand's key is POOL_URGENT; else it is `passed` */
};

/* A place: a PC at a call depth, and the strand that entered there last, which a perfect LUT would find. */
struct pool_place {
    int32_t pc, depth;
    int32_t strand;  /* id of that strand; -1: none has entered */
    uint32_t entry;  /* `entry` of the strand's node since it entered there */
    int32_t strands; /* number of strands at the place, waiting or issued */
    int32_t next;    /* next place with the same PC; -1 ends the list */
    uint32_t set;    /* index into `pool.lut` of the first entry of the set to which the PC belongs */
    uint32_t own;    /* index into `pool.lut` of the entry that the place got last; another may have it by now */
};
_Static_assert(sizeof(struct pool_place) == 32, "indexing a place is a shift");

/* An entry of the LUT. The strand that it names is the one that entered last at its place: both change together. */
struct pool_lut_entry {
    int64_t place; /* index into `pool.places`; -1: the entry is unused */
    uint64_t used; /* `pool.lut_clock` of the last use */
};

/* A parked strand that waits to be regrouped. */
struct pool_late {
    struct strand *strand;
    int count;      /* number of the strand's outcomes, which are the next in `pool.late_outcomes` */
    uint64_t since; /* cycle in which the strand's instruction was done */
};

struct pool {
    struct div_host *host;
    struct pool_knobs knobs;
    int lanes;                             /* lanes that threads are bound to: W or simd_width */
    bool is_by_lane;                       /* the slot of a thread is always its lane */
    struct vec_of(struct pool_node) nodes; /* by strand id */
    struct vec_of(struct pool_place) places;
    int32_t *first_place;                        /* by PC; -1: no place has this PC */
    uint8_t *traits;                             /* by PC: enum pool_trait */
    struct pool_lut_entry *lut;                  /* [set][way]; NULL: a perfect LUT */
    int sets;                                    /* of the LUT */
    uint64_t lut_clock;                          /* uses of the LUT so far, for LRU */
    struct vec_of(int32_t) passed;               /* by thread: reconvergence points passed */
    struct vec_of(int32_t) goes_on;              /* by thread that waits: the PC at which it will continue */
    struct vec_of(uint32_t) at_block;            /* by row: threads that wait at block barriers */
    struct vec_of(uint32_t) at_warp;             /* by row: threads that wait at a rendezvous */
    struct vec_of(uint8_t) part_of_row;          /* by row: where pool.c put the row among the parts of threads */
    struct vec_of(struct pool_late) late;        /* queue of strands that wait to be regrouped */
    struct vec_of(struct outcome) late_outcomes; /* outcomes of the strands in `late`, in the order of the queue */
    int late_head, late_outcome_head;            /* index of the first in `late` and `late_outcomes` */
    uint32_t commit_limit;                       /* strands that can be regrouped per cycle */
    uint32_t turn_left;                          /* of these, those that can still be regrouped in cycle `turn` */
    uint64_t turn;                               /* the cycle in which a strand was regrouped last */
    struct vec_of(uint64_t) commits_at;          /* by number of places in use: commits at that time */
    int strand_count, place_count;               /* strands, and places that have strands */
    int32_t lineage; /* lineage of the last strand made; each gets the next, so strands spread over the schedulers */
    int32_t ended;   /* threads that exited from the strand that commits next */
    struct pool_counters *counters;
};

enum pool_trait {
    POOL_MEETING = 1, /* the PC is a reconvergence point */
    POOL_BARRIER = 2  /* the instruction is a barrier */
};

void pool_open(struct pool *p, struct div_host *host, const struct pool_knobs *knobs, struct pool_counters *counters);
void pool_close(struct pool *p);
void pool_sum_up(struct pool *p);                 /* fills in the counters that are not kept up to date */
void pool_reset_row(struct pool *p, int32_t row); /* a block is launched on the row */

/* Threads in no strand arrive at a place. They join the strand that the LUT finds; the rest form new strands. */
void pool_scatter(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* pool_scatter() for threads that come from one strand, so that their slots do not collide. */
void pool_split(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* Threads form strands of one block each, which nobody joins and which issue before all others. */
void pool_urge(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* All threads of a committed strand go to one place: they join what the LUT finds, the rest stay in the strand. */
void pool_move(struct pool *p, struct strand *s, int32_t pc, int32_t depth);
/* Makes a strand that nobody joins, from threads that are in no strand. `is_urgent`: it issues before all others. */
struct strand *pool_make(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads, bool is_urgent);
/* A committed strand goes to a place with all its threads, and nobody joins it there. */
void pool_keep(struct pool *p, struct strand *s, int32_t pc, int32_t depth, bool is_urgent);
void pool_drop(struct pool *p, struct strand *s); /* retires a strand; its threads are in no strand then */

/* A strand's instruction is done. False: the regrouping bandwidth of this cycle is used up; the strand is parked, and
 * pool_tick() will call `commit` for it later. */
typedef void pool_commit(struct div *d, struct strand *s, const struct outcome *outcomes, int count);
bool pool_begin_commit(struct pool *p, struct strand *s, const struct outcome *outcomes, int count);
/* A strand's instruction is done, and all its threads go to `pc` at their call depth: pool_begin_commit(), then
 * `commit`. */
void pool_commit_advance(struct pool *p, struct div *d, struct strand *s, int32_t pc, pool_commit *commit);
/* pool_commit_advance() that ends in pool_move() or, for pool_advance_apart(), in pool_keep(); but a strand that keeps
 * its threads is not assigned. True: it keeps them, and the caller has it assigned. `n`: the strand's node. */
bool pool_advance(struct pool *p, struct strand *s, struct pool_node *n, int32_t pc);
bool pool_advance_apart(struct pool *p, struct strand *s, struct pool_node *n, int32_t pc);
void pool_tick(struct pool *p, struct div *d, pool_commit *commit);
/* pool_group() in all cases. */
const struct threads *pool_group_of_many(const struct outcome *outcomes, int count, int i, struct threads *room);
/* Threads of the strand have exited. A strand without threads is dropped. */
void pool_exit(struct pool *p, struct strand *s, const struct threads *ended);

/* The strand's threads wait at a block barrier or, with id -1, at a rendezvous: the strand is dissolved. */
void pool_wait(struct pool *p, struct strand *s, int id);
/* Threads are released. Returns whether they waited at a block barrier. */
bool pool_stop_waiting(struct pool *p, const struct threads *threads);

/* Panics if a live thread is in no strand or in two. `elsewhere`: by row, threads that the mechanism holds itself;
 * NULL: none. */
void pool_check(struct pool *p, const uint32_t *elsewhere);
int32_t pool_where(struct pool *p, int32_t row, int lane);
void pool_dump(struct pool *p, struct text *out);

static inline struct pool_node *pool_node(struct pool *p, const struct strand *s)
{
    return &p->nodes.data[s->id];
}

/* The strand of a node; NULL: there is none. */
static inline struct strand *pool_strand(const struct pool_node *n)
{
    return n->place < 0 ? NULL : n->strand;
}

/* Whether both outcomes go to one place. */
static inline bool pool_goes_with(const struct outcome *a, const struct outcome *b)
{
    return (a->pc == b->pc) & (a->depth == b->depth);
}

/* All threads that go to the place of outcome `i`; NULL: an earlier outcome has the same place. Mostly there are at
 * most two outcomes, and they go to different places. */
static inline const struct threads *pool_group(const struct outcome *outcomes, int count, int i, struct threads *room)
{
    return count == 1 || (count == 2 && !pool_goes_with(&outcomes[0], &outcomes[1]))
               ? &outcomes[i].threads
               : pool_group_of_many(outcomes, count, i, room);
}

#endif
