/*
 * The stack of static warps, for mechanisms that group threads as pdom does and differ in what an instruction costs.
 *
 * Such a mechanism has a `struct pdom` as the first member of its own structure, starts it with pdom_start(), and fills
 * its div_ops with PDOM_CALLS, or with PDOM_CALLS_BUT_BRANCH if it looks at branches itself before it calls
 * pdom_branch(); its knobs start with PDOM_KNOBS and its counters with PDOM_COUNTERS (div/parts/stack_words.h).
 */
#ifndef HEDDLE_DIV_PDOM_PDOM_H
#define HEDDLE_DIV_PDOM_PDOM_H

#include "div/parts/held.h"
#include "div/parts/stack_code.h"
#include "div/parts/stack_traffic.h"
#include "div/parts/stack_words.h"
#include "div/parts/static_warp.h"

/* A static warp. */
struct pdom_warp {
    struct stack stack;
    struct strand *strand; /* runs the top entry; NULL: no block there, or all threads ended or are held */
    struct static_warp at;
    struct held held; /* threads at barriers, which have left the stack */
    struct stack_usage usage;
    uint64_t not_before; /* with spill_traffic: the strand does not issue before, even if all entries have moved */
};

struct pdom {
    struct div_host *host;
    struct stack_rules rules;
    struct stack_code code; /* instructions of the stack, which warps issue */
    struct stack_time_knobs time;
    bool takes_time;                       /* stacks take time, or have a limited capacity */
    uint64_t timed;                        /* entries pushed and popped, of all stacks, up to which the time is taken */
    uint64_t not_now;                      /* a strand cannot issue before this cycle, whatever its stack does */
    bool likely;                           /* pdom-lcp: the stack reconverges at likely-convergence points, too */
    struct vec_of(struct pdom_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;          /* by strand id: index in `warps` */
};

static inline struct pdom *pdom_of(struct div *div)
{
    return (struct pdom *)div;
}

struct pdom_knobs {
    uint32_t order;
    struct stack_time_knobs stack;
};

#define PDOM_KNOBS                                                                               \
    {.name = "order",                                                                            \
     .unit = "",                                                                                 \
     .meaning = "Side of a divergent branch that runs first; smaller-first bounds the depth of " \
                "the stack, highest-lane runs the side with the highest thread last.",           \
     .kind = KNOB_CHOICE,                                                                        \
     .offset = offsetof(struct pdom_knobs, order),                                               \
     .fallback = ORDER_TAKEN_FIRST,                                                              \
     .high = ORDER_HIGHEST_LANE,                                                                 \
     .choices = pdom_order_names},                                                               \
        STACK_TIME_KNOBS(struct pdom_knobs, stack), STACK_TRAFFIC_KNOB(struct pdom_knobs, stack)

#define PDOM_CALLS_BUT_BRANCH                                                                                          \
    .destroy = pdom_destroy, .prepare = pdom_prepare, .launch = pdom_launch, .arrive = pdom_arrive, .exit = pdom_exit, \
    .barrier = pdom_barrier, .released = pdom_released, .check = pdom_check, .dump = pdom_dump, .where = pdom_where,   \
    .spilled = pdom_spilled, .sync = pdom_sync
#define PDOM_CALLS .branch = pdom_branch, .part = pdom_part, .pass = pdom_pass, PDOM_CALLS_BUT_BRANCH

void pdom_start(struct pdom *d, struct div_host *host, const struct pdom_knobs *knob_values, struct div_wants *wants);
void pdom_destroy(struct div *div);
void pdom_prepare(struct div *div, uint8_t *marks);
void pdom_launch(struct div *div, int32_t block);
void pdom_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
void pdom_part(struct div *div, struct strand *s, int32_t target, uint32_t taken);
bool pdom_pass(struct div *div, struct strand *s, int32_t pc);
void pdom_arrive(struct div *div, struct strand *s);
void pdom_sync(struct div *div, struct strand *s);
void pdom_exit(struct div *div, struct strand *s, const struct threads *ended);
void pdom_barrier(struct div *div, struct strand *s, int32_t block, int id);
void pdom_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);
void pdom_spilled(struct div *div, int32_t stack, int lines, bool is_done);
void pdom_check(struct div *div);
void pdom_dump(struct div *div, struct text *out);
int32_t pdom_where(struct div *div, int32_t row, int lane);
/* cost.c */
void pdom_cost(struct cost *c);
void pdom_cost_lcp(struct cost *c);
void pdom_cost_bcc(struct cost *c);
void pdom_cost_scc(struct cost *c);

#endif
