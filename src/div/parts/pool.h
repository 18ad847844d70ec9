/*
 * The warp pool of dynamic warp formation, and the table that finds a waiting warp by its PC.
 *
 * Every strand is in the pool, waiting or issued. The table (LUT) points, for a place (PC and depth of calls), to the
 * strand that threads which come there are to join. It is small: an entry may be lost to another place, and then
 * threads that could have joined form a strand of their own. A strand that has issued cannot be joined any more; its
 * entry is stale from then on. Beside it, a map without limits says what a perfect table would have found.
 *
 * Keys of strands: -1 for threads that come from a block barrier, which go before all others; else how many
 * reconvergence points the thread that passed the fewest has passed.
 */
#ifndef HEDDLE_DIV_PARTS_POOL_H
#define HEDDLE_DIV_PARTS_POOL_H

#include "base/vec.h"
#include "div/contract/div.h"

enum pool_home { POOL_HOME_WARP, POOL_HOME_SIMD };

struct pool_knobs {
    uint32_t entries, ways; /* of the LUT; no entries: it finds all */
    uint32_t commits;       /* a cycle and scheduler; 0: no limit */
    uint32_t home;          /* enum pool_home */
};

#define POOL_KNOBS                                                                                           \
    {.name = "lut_entries",                                                                                  \
     .unit = "entries",                                                                                      \
     .meaning = "entries of the table that finds a waiting strand by its PC; 0: it finds every one",         \
     .kind = KNOB_COUNT,                                                                                     \
     .offset = offsetof(struct pool_knobs, entries),                                                         \
     .fallback = 32,                                                                                         \
     .high = 4096},                                                                                          \
        {.name = "lut_ways",                                                                                 \
         .unit = "entries",                                                                                  \
         .meaning = "entries of the table that a PC may be in; the least recently used one gives way",       \
         .kind = KNOB_COUNT,                                                                                 \
         .offset = offsetof(struct pool_knobs, ways),                                                        \
         .fallback = 2,                                                                                      \
         .low = 1,                                                                                           \
         .high = 64},                                                                                        \
        {.name = "commits_per_cycle",                                                                        \
         .unit = "strands",                                                                                  \
         .meaning = "strands that can be regrouped in a cycle, for each scheduler; 0: no limit",             \
         .kind = KNOB_COUNT,                                                                                 \
         .offset = offsetof(struct pool_knobs, commits),                                                     \
         .fallback = 1,                                                                                      \
         .high = 64},                                                                                        \
    {                                                                                                        \
        .name = "home", .unit = "",                                                                          \
        .meaning = "what a thread keeps: its slot of W, or only its lane of simd_width, with as many slots " \
                   "a lane as a warp takes passes",                                                          \
        .kind = KNOB_CHOICE, .offset = offsetof(struct pool_knobs, home), .fallback = POOL_HOME_WARP,        \
        .high = POOL_HOME_SIMD, .choices = pool_home_names                                                   \
    }
extern const char *const pool_home_names[];

enum { POOL_PC_COUNTS = 6 };

struct pool_counters {
    uint64_t commits, partial;
    uint64_t strands, merges, joined, conflicts;
    uint64_t lut_hits, lut_misses, lut_stale, lut_aliases, lost_merges;
    uint64_t late_commits, late_cycles;
    uint64_t strands_max;
    uint64_t pcs, pcs_max;
    uint64_t pcs_up_to[POOL_PC_COUNTS]; /* commits by PCs: 1, 2, up to 4, 8, 16, and more */
};

#define POOL_FIELD(field)    .name = #field, .offset = offsetof(struct pool_counters, field)
#define POOL_PCS(name_of, i) .name = name_of, .offset = offsetof(struct pool_counters, pcs_up_to[i])
#define POOL_COUNTERS                                                                                               \
    {POOL_FIELD(commits), .unit = "strands", .meaning = "strands that were regrouped after an instruction"},        \
        {POOL_FIELD(partial), .unit = "strands", .meaning = "of these, those with fewer threads than W"},           \
        {POOL_FIELD(strands), .unit = "strands", .meaning = "strands that entered the pool"},                       \
        {POOL_FIELD(merges), .unit = "times", .meaning = "threads joined a waiting strand, some or all"},           \
        {POOL_FIELD(joined), .unit = "threads", .meaning = "threads that joined a waiting strand"},                 \
        {POOL_FIELD(conflicts), .unit = "threads",                                                                  \
         .meaning = "threads whose slot was taken in the strand that the table pointed to"},                        \
        {POOL_FIELD(lut_hits), .unit = "lookups", .meaning = "the table pointed to a waiting strand"},              \
        {POOL_FIELD(lut_misses), .unit = "lookups", .meaning = "the table knew nothing of the PC"},                 \
        {POOL_FIELD(lut_stale), .unit = "lookups", .meaning = "the strand it pointed to had issued"},               \
        {POOL_FIELD(lut_aliases), .unit = "entries", .meaning = "entries of waiting strands that another PC took"}, \
        {POOL_FIELD(lost_merges), .unit = "times",                                                                  \
         .meaning = "a strand that could have been joined waited, and the table did not find it"},                  \
        {POOL_FIELD(late_commits), .unit = "strands", .meaning = "strands that waited to be regrouped"},            \
        {POOL_FIELD(late_cycles), .unit = "cycles", .meaning = "cycles that they waited"},                          \
        {POOL_FIELD(strands_max), .unit = "strands", .meaning = "most strands at once, waiting or issued",          \
         .combine = STAT_MAX},                                                                                      \
        {POOL_FIELD(pcs), .unit = "PCs", .meaning = "distinct PCs of strands, summed over commits"},                \
        {POOL_FIELD(pcs_max), .unit = "PCs", .meaning = "most distinct PCs at once", .combine = STAT_MAX},          \
        {POOL_PCS("pcs_1", 0), .unit = "commits", .meaning = "commits with one PC"},                                \
        {POOL_PCS("pcs_2", 1), .unit = "commits", .meaning = "commits with 2 distinct PCs"},                        \
        {POOL_PCS("pcs_4", 2), .unit = "commits", .meaning = "commits with 3 or 4 distinct PCs"},                   \
        {POOL_PCS("pcs_8", 3), .unit = "commits", .meaning = "commits with 5 to 8 distinct PCs"},                   \
        {POOL_PCS("pcs_16", 4), .unit = "commits", .meaning = "commits with 9 to 16 distinct PCs"},                 \
    {                                                                                                               \
        POOL_PCS("pcs_more", 5), .unit = "commits", .meaning = "commits with more than 16 distinct PCs"             \
    }
enum { POOL_URGENT = -1 }; /* the key of strands that come from a block barrier */

/* What the pool knows of a strand. */
struct pool_node {
    struct strand *strand; /* NULL: there is none with this id */
    uint64_t taken;        /* slots */
    uint32_t entry;        /* raised when it enters the pool: what points to an earlier entry is stale */
    int32_t place;         /* in `places` */
    int32_t passed;        /* fewest reconvergence points that a thread of it passed */
    int32_t warp;          /* the static warp that it is the whole of; -1: none */
};

/* A PC and depth of calls; and the strand that entered last there, which a perfect table would find. */
struct pool_place {
    int32_t pc, depth;
    int32_t strand;
    uint32_t entry;
    int32_t strands; /* waiting or issued there */
    int32_t next;    /* of the same PC; -1 ends */
    int32_t set;     /* in `lut`: the first entry that may be the place's */
};

struct pool_lut_entry {
    int32_t place, strand; /* place -1: unused */
    uint32_t entry;
    uint64_t used; /* when; smaller is longer ago */
};

/* A strand whose threads wait to be regrouped, parked; its outcomes are the next `count` of `late_outcomes`. */
struct pool_late {
    struct strand *strand;
    int count;
    uint64_t since;
};

struct pool {
    struct div_host *host;
    struct pool_knobs knobs;
    int lanes;       /* that threads are bound to: W, or fewer */
    bool is_by_lane; /* a thread takes the slot of its lane, and no other */
    uint64_t all_slots;
    struct vec_of(struct pool_node) nodes; /* by strand id */
    struct vec_of(struct pool_place) places;
    int32_t *first_place; /* by PC; -1: none */
    uint8_t *traits;      /* by PC */
    struct pool_lut_entry *lut;
    int sets;
    uint64_t lut_clock;
    struct vec_of(int32_t) passed;    /* by thread: reconvergence points */
    struct vec_of(int32_t) goes_on;   /* by thread: PC, if it waits */
    struct vec_of(uint32_t) at_block; /* by row: threads that wait at block barriers */
    struct vec_of(uint32_t) at_warp;  /* by row: at a rendezvous */
    struct vec_of(struct pool_late) late;
    struct vec_of(struct outcome) late_outcomes;
    int late_head, late_outcome_head;
    uint64_t turn; /* cycle; so many strands were regrouped in it */
    uint32_t turn_commits;
    int strand_count, place_count; /* strands, and places with any */
    int32_t lineage;               /* of the next strand: schedulers take turns */
    int32_t ended;                 /* threads of the strand that will commit next */
    struct pool_counters *counters;
};

enum pool_trait { POOL_MEETING = 1, POOL_BARRIER = 2 };

void pool_open(struct pool *p, struct div_host *host, const struct pool_knobs *knobs, struct pool_counters *counters);
void pool_close(struct pool *p);
void pool_reset_row(struct pool *p, int32_t row); /* a block is launched there */

/* Threads that are in no strand come to a place. They join what the table finds, and the rest form strands. */
void pool_scatter(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* The same, of threads that were in one strand, and can be in one again. */
void pool_split(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* They form strands that nobody joins, of one block each, which are to issue before all others. */
void pool_urge(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);
/* All threads of a strand that has committed go to one place: the same. */
void pool_move(struct pool *p, struct strand *s, int32_t pc, int32_t depth, const struct threads *threads);
/* A strand that nobody joins, of threads that are in none, or of those of `own`. */
struct strand *pool_keep(struct pool *p, struct strand *own, int32_t pc, int32_t depth, const struct threads *threads,
                         int32_t key);
void pool_drop(struct pool *p, struct strand *s);

/* A strand's instruction is done. False: not its turn yet; it is kept, and pool_tick() will call. */
typedef void pool_commit(struct div *d, struct strand *s, const struct outcome *outcomes, int count);
bool pool_begin_commit(struct pool *p, struct strand *s, const struct outcome *outcomes, int count);
void pool_tick(struct pool *p, struct div *d, pool_commit *commit);
/* The threads that go where those of outcome `i` go; NULL if an earlier outcome is that place. */
const struct threads *pool_group(const struct outcome *outcomes, int count, int i, struct threads *room);
void pool_exit(struct pool *p, struct strand *s, const struct threads *ended);

/* The strand's threads wait at a barrier, or a rendezvous (id -1), and leave it. */
void pool_wait(struct pool *p, struct strand *s, int id);
/* They do not any more. Returns whether it was at a block barrier. */
bool pool_stop_waiting(struct pool *p, const struct threads *threads);

/* `elsewhere`: by row, threads that the mechanism keeps itself; NULL: none. */
void pool_check(struct pool *p, const uint32_t *elsewhere);
int32_t pool_where(struct pool *p, int32_t row, int lane);
void pool_dump(struct pool *p, struct text *out);

static inline struct pool_node *pool_node(struct pool *p, const struct strand *s)
{
    return &p->nodes.data[s->id];
}

#endif
