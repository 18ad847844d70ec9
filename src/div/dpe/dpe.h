/*
 * Dual-path execution, as its files share it: dpe.c has the paper's rules and the calls of the contract, strands.c
 * decides which paths of a warp run as strands, report.c checks and prints the state.
 */
#ifndef HEDDLE_DIV_DPE_DPE_H
#define HEDDLE_DIV_DPE_DPE_H

#include "div/parts/dual_stack.h"
#include "div/parts/held.h"
#include "div/parts/paths.h"
#include "div/parts/static_warp.h"

enum dpe_stack_kind { DPE_STACK_HARDWARE, DPE_STACK_SOFTWARE };

/* Instructions that count as long; each has those of the one before. */
enum dpe_turns { DPE_TURNS_OUTSIDE, DPE_TURNS_MEMORY, DPE_TURNS_LONG };

struct dpe_knobs {
    bool constrained, forwarding, memory_divergence;
    uint32_t turns; /* enum dpe_turns: at which instructions constrained paths take turns */
    uint32_t stack; /* enum dpe_stack_kind */
    uint32_t pop_cycles;
};

struct dpe_counters {
    struct dual_counters stack;
    struct path_counters paths;
    uint64_t forwarded, switches, memory_splits, explicit_pops;
};

/* A static warp. */
struct dpe_warp {
    struct static_warp at;
    struct dual_stack stack;            /* empty: no block there, or all threads ended or are held */
    struct strand *running[DUAL_SIDES]; /* strands of the top entry's paths, and of a forwarded path; NULL: none */
    int active;                         /* strands in `running` */
    struct dual_place forwarded;        /* path below the top that is in `running`; entry -1: none */
    struct held held;                   /* threads at barriers, which have left the stack */
};

/* What dpe knows of a strand. */
struct dpe_strand {
    int32_t warp;           /* index in `warps` */
    struct dual_place path; /* the path that the strand runs */
    bool pops;              /* the path has ended, and its explicit pop has issued but is not done */
};

/* An explicit pop in flight. */
struct dpe_pop {
    struct strand *strand;
    uint64_t due; /* cycle in which the pop is done */
};

struct dpe {
    struct div_host *host;
    struct dpe_knobs knobs;
    struct vec_of(struct dpe_warp) warps;     /* by place of the static warp */
    struct vec_of(struct dpe_strand) strands; /* by strand id */
    struct vec_of(struct dpe_pop) pops;       /* in the order of `due` */
    uint8_t *is_long; /* by PC: a long-latency instruction, behind which constrained paths take turns; or NULL */
    int32_t *meeting; /* by PC: where threads that a load split reconverge; or NULL */
    struct paths paths;
    struct dpe_counters counters;
};

static inline struct dpe *dpe_of(struct div *div)
{
    return (struct dpe *)div;
}

static inline struct dpe_warp *dpe_warp_of(struct dpe *d, const struct strand *s)
{
    return &d->warps.data[d->strands.data[s->id].warp];
}

static inline struct dual_place dpe_path_of(const struct dpe *d, const struct strand *s)
{
    return d->strands.data[s->id].path;
}

static inline bool dpe_pops(const struct dpe *d, const struct strand *s)
{
    return d->strands.data[s->id].pops;
}

/* strands.c */
/* Tells the dual scoreboard that paths of the warp diverge (`forks`) or that one ends: registers that are pending now
 * block both sides from here on. */
void dpe_share(struct dpe *d, const struct dpe_warp *w, bool forks);
/* Counts the issues of the warp's strands other than `s`. Called before the number of its strands changes. */
void dpe_count_others(struct dpe *d, const struct dpe_warp *w, const struct strand *s);
/* Unparks a strand (`runs`) or parks it, if it is not in that state yet. `s` may be NULL. */
void dpe_let_run(struct dpe *d, struct strand *s, bool runs);
/* Parks and unparks the warp's running strands: one whose pop is in flight waits, and constrained paths run one at a
 * time. */
void dpe_arrange(struct dpe *d, struct dpe_warp *w);
/* Makes strands of the paths that are to run, after the stack changed. `before`: entries of the stack before the
 * change. `spare`: a strand that lost its path and is used again or retired; or NULL. */
void dpe_follow(struct dpe *d, struct dpe_warp *w, struct strand *spare, int before);

/* report.c */
void dpe_check(struct div *div);
void dpe_dump(struct div *div, struct text *out);
int32_t dpe_where(struct div *div, int32_t row, int lane);

/* cost.c */
void dpe_cost(struct cost *c);

#endif
