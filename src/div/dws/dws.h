/* Dynamic warp subdivision, as its files share it: dws.c has the rules, barrier.c barriers, report.c checks and
 * reports. */
#ifndef HEDDLE_DIV_DWS_DWS_H
#define HEDDLE_DIV_DWS_DWS_H

#include "div/parts/paths.h"
#include "div/parts/static_warp.h"

/* When a load that returns in parts subdivides a warp; dws.c explains each. */
enum dws_memory_mode { MEMORY_OFF, MEMORY_AGGRESSIVE, MEMORY_LAZY, MEMORY_REVIVE };

struct dws_knobs {
    uint32_t entries, threshold, memory;
    bool merge;
};

struct dws_counters {
    struct stack_counters stack;
    struct path_counters paths;
    uint64_t subdivisions, splits, merges, ended_splits, memory_splits, table_full, max_entries, dissolved;
};

/* Threads of a strand that dissolved at a barrier. */
struct dws_held {
    uint64_t mask;
    int32_t low; /* as `low` of struct dws, for the split that these threads become */
};

/* A static warp. Its threads are in `strand`, which runs the top of the stack; or, while the warp is subdivided, in
 * `splits`, in `held`, or on the stack. */
struct dws_warp {
    struct static_warp at;
    struct stack stack;
    struct strand *strand;                 /* runs the top entry; NULL: the warp is subdivided, or has no threads */
    struct vec_of(struct strand *) splits; /* the warp's splits */
    struct point rpc;                      /* reconvergence point of all splits of the warp */
    int deferred;     /* topmost entries of the stack that become splits when the table has room; 0 without splits */
    uint64_t waiting; /* all threads of `held` */
    struct vec_of(struct dws_held) held; /* strands that dissolved at barriers */
};

/* A strand that a load may subdivide in an idle cycle. */
struct dws_candidate {
    struct strand *strand;
    uint32_t generation; /* of the strand when the load returned; another one: the strand was retired since */
    int32_t pc;          /* of the strand when the load returned */
    uint64_t late;       /* threads whose data had not come */
    uint64_t cycle;      /* in which the load returned */
};

struct dws {
    struct div_host *host;
    struct dws_knobs knobs;
    struct stack_rules rules;
    struct vec_of(struct dws_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;         /* by strand id: index in `warps` */
    /* By strand id of a split: outermost calls that the split shares with all splits of its warp. */
    struct vec_of(int32_t) low;
    /* By strand id of a split: the split itself, and above it those of its paths for which the table had no room. */
    struct vec_of(struct stack) inner;
    uint32_t used;                                  /* entries of the warp-split table in use */
    struct vec_of(struct dws_candidate) candidates; /* lazy and revive: at most one per strand */
    int32_t *block_end; /* by PC: where threads that a load split reconverge; NULL with memory=off */
    struct paths paths;
    struct dws_counters counters;
};

static inline struct dws *dws_of(struct div *div)
{
    return (struct dws *)div;
}

static inline struct dws_warp *dws_warp_of(struct dws *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

/* Paths from which the warp can issue. */
static inline int dws_path_count(const struct dws_warp *w)
{
    return w->splits.count ? w->splits.count : 1;
}

static inline struct stack *dws_inner_of(const struct dws *d, const struct strand *s)
{
    return &d->inner.data[s->id];
}

/* Whether the split has no inner paths. */
static inline bool dws_is_whole(const struct dws *d, const struct strand *s)
{
    return dws_inner_of(d, s)->count == 1;
}

/* Counts the issues of the warp's splits other than `s`. Called before the number of its splits changes. */
static inline void dws_count_others(struct dws *d, const struct dws_warp *w, const struct strand *s)
{
    paths_look_all(&d->paths, w->splits.data, w->splits.count, s, w->splits.count);
}

/* dws.c */
/* Puts threads of the warp at a point, in the strand `s`, or in a new strand if `s` is NULL. Returns the strand. */
struct strand *dws_send(struct dws *d, struct dws_warp *w, struct strand *s, struct point to, uint64_t mask);
/* Adds the strand to the warp-split table. `low`: outermost calls that it shares with the warp's other splits. */
void dws_add_split(struct dws *d, struct dws_warp *w, struct strand *s, int32_t low);
void dws_remove_split(struct dws *d, struct dws_warp *w, const struct strand *s);
/* Whether the warp may have another split: the table has room, or none of its splits runs. Threads of other warps may
 * wait for this one, so it may always have one split that runs. */
bool dws_may_add(struct dws *d, const struct dws_warp *w);
/* Puts a path for which there is no room on the stack, until dws_start_deferred() makes it a split. */
void dws_defer(struct dws *d, struct dws_warp *w, struct point at, uint64_t mask);
/* Makes deferred paths splits, as far as there is room. */
void dws_start_deferred(struct dws *d, struct dws_warp *w);
/* The split has come to a point at which another split of its warp may be: if so, the two become one. */
void dws_try_merge(struct dws *d, struct dws_warp *w, struct strand *s);
/* If the split is the only one of the warp and no thread waits at a barrier, it becomes the top entry of the stack
 * again. */
void dws_reunite(struct dws *d, struct dws_warp *w, struct strand *s);

/* barrier.c */
void dws_barrier(struct div *div, struct strand *s, int32_t block, int id);
void dws_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);

/* report.c */
void dws_check(struct div *div);
int32_t dws_where(struct div *div, int32_t row, int lane);
void dws_dump(struct div *div, struct text *out);

/* cost.c */
void dws_cost(struct cost *c);

#endif
