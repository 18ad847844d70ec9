/*
 * temporal: temporal SIMT (Keckler, Dally, Khailany, Garland and Glasco, "GPUs and the Future of Parallel Computing",
 * IEEE Micro 31(5), 2011), and spatio-temporal SIMT (Lucas, Andersch, Alvarez-Mesa and Juurlink, ACM TACO 12(3), 2015).
 *
 * A warp does not lie across the lanes: each lane runs warps of its own, the threads of a warp one after the other.
 * One fetch and one issue serve as many cycles as the warp has threads at that PC. Threads that diverged cost only
 * their own cycles, so code in which every thread goes its own way runs at the same rate as on a MIMD machine, and
 * converged code at that of SIMT. sm/warp_lanes.h says how the lanes of the machine are shared out. The knob
 * `lane_width` makes a lane several threads wide, so that there are fewer lanes: spatio-temporal SIMT, where groups
 * of so many threads are taken together and skipped if they have no thread.
 *
 * Each thread has a PC. All splits of a warp are ready for its lane, and merge at equal PCs (div/parts/splits.h). At a
 * reconvergence point a split waits for the others of its warp, as at an instruction by which the compiler has the
 * warp synchronise there.
 *
 * A dependent instruction takes the threads in the order of the one before, so it starts when the first result is
 * there, not the last. A strand that has only the later threads of the one before may therefore start some cycles
 * early.
 *
 * Not modelled: a scalar instruction that a lane executes once for a whole warp; accesses that leave a lane thread by
 * thread: an access goes to memory as a whole when it issues, and coalesces as a warp's does. A warp stays on its lane.
 */
#include "base/arena.h"
#include "div/parts/cost.h"
#include "div/parts/splits.h"

#include <stdlib.h>

struct temporal_knobs {
    uint32_t lane_width, sync, order;
};

struct temporal_counters {
    struct splits_counters splits;
};

struct temporal {
    struct splits splits; /* first: the calls of splits take the handle for a struct splits */
    struct temporal_counters counters;
};

static struct temporal *temporal_of(struct div *div)
{
    return (struct temporal *)div;
}

static const char *const width_names[] = {"1", "2", "4", "8", "16", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct temporal_knobs, field)

static const struct knob knobs[] = {
    {KNOB(lane_width), .unit = "",
     .meaning = "Threads of a warp that a lane executes in one cycle; more than 1: spatio-temporal SIMT.",
     .kind = KNOB_CHOICE, .high = 4, .choices = width_names},
    {KNOB(sync), .unit = "",
     .meaning = "At a reconvergence point a split waits for no other split of its warp (none), for those between the "
                "branch and the point (region), or for all that come before the point in the order (order).",
     .kind = KNOB_CHOICE, .fallback = SPLITS_ORDER, .high = SPLITS_ORDER, .choices = splits_sync_names},
    {KNOB(order), .unit = "",
     .meaning = "Order of a warp's splits: by basic block, topologically with the blocks of a loop together "
                "(topological), or by PC (layout).",
     .kind = KNOB_CHOICE, .high = SPLITS_LAYOUT, .choices = splits_order_names},
};
static const struct knob_table knob_table = {"temporal", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {SPLITS_COUNTERS(struct temporal_counters)};
static const struct stat_owner stats = {"temporal", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct temporal_counters)};

static struct div *temporal_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    const struct temporal_knobs *k = knob_values;
    struct temporal *d = xcalloc(1, sizeof *d);
    d->splits.most = STACK_MAX_THREADS;
    d->splits.order = (enum splits_order)k->order;
    d->splits.sync = (enum splits_sync)k->sync;
    splits_start(&d->splits, host);
    wants->lane_threads = 1 << k->lane_width;
    return (struct div *)d;
}

static void temporal_destroy(struct div *div)
{
    struct temporal *d = temporal_of(div);
    splits_close(&d->splits);
    free(d);
}

static void *temporal_counters(struct div *div)
{
    struct temporal *d = temporal_of(div);
    d->counters.splits = d->splits.counters;
    return &d->counters;
}

static bool temporal_in_step(const void *knob_values)
{
    return ((const struct temporal_knobs *)knob_values)->sync == SPLITS_ORDER;
}

/* A PC per thread, and a sequencer per lane that finds the next thread of an instruction. */
static void temporal_cost(struct cost *c)
{
    const struct temporal_knobs *k = c->knobs;
    const struct cost_machine *m = c->machine;
    double width = k ? 1 << k->lane_width : 1;
    cost_storage(c, "thread PCs", m->threads, COST_PC_BITS, "T PCs", COST_COUNTED);
    cost_front_end(c);
    cost_logic(c, "thread sequencer", m->simd_width / width, m->warp_width,
               "p / lane_width per issue port: the next active thread of a warp", COST_COUNTED);
}

const struct div_ops div_temporal = {
    .name = "temporal",
    .summary =
        "Each lane runs warps of its own, thread after thread; threads that diverged cost only their own cycles.",
    .paper = "Keckler, Dally, Khailany, Garland and Glasco, IEEE Micro 2011; Lucas et al., TACO 2015",
    .flags = DIV_IN_STEP,
    .knobs = &knob_table,
    .stats = &stats,
    .in_step = temporal_in_step,
    .create = temporal_create,
    .cost = temporal_cost,
    .destroy = temporal_destroy,
    .counters = temporal_counters,
    SPLITS_CALLS,
};
