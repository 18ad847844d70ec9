/* What the files of dynamic warp subdivision share; see dws.c. */
#ifndef HEDDLE_DIV_DWS_DWS_H
#define HEDDLE_DIV_DWS_DWS_H

#include "div/parts/paths.h"
#include "div/parts/static_warp.h"

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

/* Threads of a dissolved strand, at a barrier. */
struct dws_held {
    uint64_t mask;
    int32_t low;
};

/* While the warp has threads they are in `strand`, which runs the stack's top, or else in `splits`, waiting at a
 * barrier, or on the stack. */
struct dws_warp {
    struct static_warp at;
    struct stack stack;
    struct strand *strand; /* of the top entry; NULL: there are splits, or nothing */
    struct vec_of(struct strand *) splits;
    struct point rpc; /* where the splits end */
    int deferred;     /* entries at the stack's top that would be splits if there were room; 0 without splits */
    uint64_t waiting; /* threads of `held` */
    struct vec_of(struct dws_held) held;
};

/* A strand of which `late` threads wait for a load at `pc`, and the others do not. */
struct dws_candidate {
    struct strand *strand;
    uint32_t generation;
    int32_t pc;
    uint64_t late;
    uint64_t cycle;
};

struct dws {
    struct div_host *host;
    struct dws_knobs knobs;
    struct stack_rules rules;
    struct vec_of(struct dws_warp) warps; /* by place */
    struct vec_of(int32_t) place;         /* in `warps`, by strand id */
    struct vec_of(int32_t) low;        /* by strand id, of splits: calls that all splits of the warp have in common */
    struct vec_of(struct stack) inner; /* by strand id, of splits: paths that found no room, the split itself lowest */
    uint32_t used;                     /* entries of the table */
    struct vec_of(struct dws_candidate) candidates;
    int32_t *block_end; /* by PC */
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

static inline int dws_path_count(const struct dws_warp *w)
{
    return w->splits.count ? w->splits.count : 1;
}

static inline struct stack *dws_inner_of(const struct dws *d, const struct strand *s)
{
    return &d->inner.data[s->id];
}

static inline bool dws_is_whole(const struct dws *d, const struct strand *s)
{
    return dws_inner_of(d, s)->count == 1;
}

/* Counts what the warp's other strands have issued: how many there are changes. */
static inline void dws_count_others(struct dws *d, const struct dws_warp *w, const struct strand *s)
{
    paths_look_all(&d->paths, w->splits.data, w->splits.count, s, w->splits.count);
}

/* dws.c */
/* `s`, or a new strand if that is NULL, goes on at a point. */
struct strand *dws_send(struct dws *d, struct dws_warp *w, struct strand *s, struct point to, uint64_t mask);
/* Of its calls the outermost `low` are those of the warp's other splits. */
void dws_add_split(struct dws *d, struct dws_warp *w, struct strand *s, int32_t low);
void dws_remove_split(struct dws *d, struct dws_warp *w, const struct strand *s);
/* Whether the warp may have another split; a side for which it may not waits on the stack. */
bool dws_may_add(struct dws *d, const struct dws_warp *w);
void dws_defer(struct dws *d, struct dws_warp *w, struct point at, uint64_t mask);
void dws_start_deferred(struct dws *d, struct dws_warp *w);
/* The split has come to a place where another of its warp may stand: they go on as one. */
void dws_try_merge(struct dws *d, struct dws_warp *w, struct strand *s);
/* A split that is all that is left of them is an entry of the stack again. */
void dws_reunite(struct dws *d, struct dws_warp *w, struct strand *s);

/* dws_barrier.c */
void dws_barrier(struct div *div, struct strand *s, int32_t block, int id);
void dws_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);

/* dws_report.c */
void dws_check(struct div *div);
int32_t dws_where(struct div *div, int32_t row, int lane);
void dws_dump(struct div *div, struct text *out);

#endif
