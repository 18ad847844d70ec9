/*
 * sbi and swi: simultaneous branch interweaving and simultaneous warp interweaving (Brunie, Collange and Diamos,
 * "Simultaneous Branch and Warp Interweaving for Sustained GPU Performance", ISCA 2012).
 *
 * Two instructions issue per port and cycle, on disjoint lanes of one row of execution units. Under sbi the second
 * comes from another split of the same warp; under swi, from another warp whose active lanes fit in the lanes that
 * the first leaves free. Under sbi with the knob `swi`, a warp that has no second split for the free lanes leaves
 * them to another warp. There is no stack: a warp's splits are in the order of thread frontiers, and merge at equal
 * PCs (div/parts/splits.h). sbi runs the first two splits of a warp, swi the first one. sm/pair.h finds the second
 * strand.
 *
 * The paper doubles the warp, so that one issue port with two instructions takes the place of two ports:
 * sm.warp_width = 64, sm.simd_width = 64, sm.schedulers = 1. The mechanisms take the machine's width as it is, so that
 * both are compared on equal lanes; the knobs of the machine double it.
 *
 * Threads that diverge tend to lie in the same lanes of many warps, and such warps never fit together. The knob
 * `shuffle` gives each warp another mapping of threads to lanes. It changes neither registers nor memory accesses.
 *
 * Not modelled: the pipeline stage by which the second scheduler is behind the first, and contexts beyond those that
 * run (their sorting takes no time and they never overflow).
 */
#include "base/arena.h"
#include "div/parts/cost.h"
#include "div/parts/splits.h"

#include <stdlib.h>

struct interweave_knobs {
    uint32_t order, sync, shuffle, sets;
    bool swi;
};

struct interweave_counters {
    struct splits_counters splits;
    struct div_pairs pairs;
};

struct interweave {
    struct splits splits; /* first: the calls of splits take the handle for a struct splits */
    struct interweave_counters counters;
};

static struct interweave *interweave_of(struct div *div)
{
    return (struct interweave *)div;
}

static const char *const shuffle_names[] = {"none", "mirror-odd", "mirror-half", "xor", "xor-reversed", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct interweave_knobs, field)
#define ORDER_KNOB                                                                                                   \
    {                                                                                                                \
        KNOB(order), .unit = "",                                                                                     \
                     .meaning = "Order of a warp's splits: by basic block, topologically with the blocks of a loop " \
                                "together (topological), or by PC (layout).",                                        \
                     .kind = KNOB_CHOICE, .high = SPLITS_LAYOUT, .choices = splits_order_names                       \
    }
#define SHUFFLE_KNOB                                                                                                  \
    {                                                                                                                 \
        KNOB(shuffle), .unit = "",                                                                                    \
                       .meaning = "Lane of the i-th thread of warp w: the machine's (none), mirrored in odd warps "   \
                                  "(mirror-odd) or in the second half of the warps (mirror-half), i xor w (xor), or " \
                                  "i xor the bits of w in reverse order (xor-reversed).",                             \
                       .kind = KNOB_CHOICE, .high = DIV_LANES_XOR_REVERSED, .choices = shuffle_names                  \
    }
#define SETS_KNOB                                                                                                    \
    {                                                                                                                \
        KNOB(sets), .unit = "sets",                                                                                  \
                    .meaning = "Sets of warps; a second instruction of another warp is searched among the warps of " \
                               "the first one's set.",                                                               \
                    .kind = KNOB_COUNT, .fallback = 1, .low = 1, .high = 64                                          \
    }

static const struct knob sbi_knobs[] = {
    ORDER_KNOB,
    {KNOB(sync), .unit = "",
     .meaning = "At a reconvergence point a split waits for no other split of its warp (none), for those between the "
                "branch and the point (region), or for all that come before the point in the order (order).",
     .kind = KNOB_CHOICE, .fallback = SPLITS_ORDER, .high = SPLITS_ORDER, .choices = splits_sync_names},
    {KNOB(swi), .unit = "",
     .meaning = "Whether the second instruction may come from another warp if no split of the same warp fits.",
     .kind = KNOB_BOOL, .high = 1},
    SHUFFLE_KNOB,
    SETS_KNOB,
};
static const struct knob swi_knobs[] = {ORDER_KNOB, SHUFFLE_KNOB, SETS_KNOB};
static const struct knob_table sbi_knob_table = {"sbi", sbi_knobs, sizeof sbi_knobs / sizeof *sbi_knobs};
static const struct knob_table swi_knob_table = {"swi", swi_knobs, sizeof swi_knobs / sizeof *swi_knobs};

#define FIELD(field) .name = "paired_" #field, .offset = offsetof(struct interweave_counters, pairs.field)

static const struct stat_counter counters[] = {
    SPLITS_COUNTERS(struct interweave_counters),
    {FIELD(same_warp), .unit = "issues",
     .meaning = "Second instructions of a cycle that came from another split of the same warp."},
    {FIELD(other_warp), .unit = "issues", .meaning = "Second instructions of a cycle that came from another warp."},
    {FIELD(threads), .unit = "threads", .meaning = "Threads of second instructions."},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static const struct stat_owner sbi_stats = {"sbi", counters, COUNTERS, sizeof(struct interweave_counters)};
static const struct stat_owner swi_stats = {"swi", counters, COUNTERS, sizeof(struct interweave_counters)};

static struct div *create(struct div_host *host, const struct interweave_knobs *k, int most, enum div_pairing pairing,
                          struct div_wants *wants)
{
    struct interweave *d = xcalloc(1, sizeof *d);
    d->splits.most = most;
    d->splits.order = (enum splits_order)k->order;
    d->splits.sync = most > 1 ? (enum splits_sync)k->sync : SPLITS_FREE; /* a split alone keeps the order by itself */
    splits_start(&d->splits, host);
    wants->pairing = pairing;
    wants->pairs = &d->counters.pairs;
    wants->pair_sets = (int)k->sets;
    wants->lane_map = (enum div_lane_map)k->shuffle;
    return (struct div *)d;
}

static struct div *sbi_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    const struct interweave_knobs *k = knob_values;
    return create(host, k, 2, k->swi ? DIV_PAIR_ANY : DIV_PAIR_SAME_WARP, wants);
}

static struct div *swi_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, 1, DIV_PAIR_OTHER_WARP, wants);
}

static void interweave_destroy(struct div *div)
{
    struct interweave *d = interweave_of(div);
    splits_close(&d->splits);
    free(d);
}

static void *interweave_counters(struct div *div)
{
    struct interweave *d = interweave_of(div);
    d->counters.splits = d->splits.counters;
    return &d->counters;
}

/* Without waiting, splits that passed a reconvergence point one behind the other may stay apart. */
static bool sbi_in_step(const void *knob_values)
{
    return ((const struct interweave_knobs *)knob_values)->sync == SPLITS_ORDER;
}

/* ---- cost ---- */

/* Contexts of the splits that run, and a PC per thread for the others: a table of any size does with that. */
static void cost_contexts(struct cost *c, double running)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "running contexts", m->warps * running, COST_PC_BITS + (double)m->warp_width,
                 running > 1 ? "2 N contexts of PC + W" : "N contexts of PC + W", COST_COUNTED);
    cost_storage(c, "PCs of the other threads", m->threads, COST_PC_BITS, "T PCs", COST_COUNTED);
    cost_front_end(c);
    cost_logic(c, "PC comparator", m->warp_width - 1.0, COST_PC_BITS, "W - 1: the first PC of a warp's threads",
               COST_COUNTED);
}

/* The lanes of a warp's next instruction against those that the first instruction leaves free. */
static void cost_search(struct cost *c)
{
    const struct interweave_knobs *k = c->knobs;
    double sets = k ? k->sets : 1;
    cost_logic(c, "lane mask comparator", c->machine->warps / sets, c->machine->warp_width,
               "N / sets: the warps that are searched", COST_COUNTED);
}

static void sbi_cost(struct cost *c)
{
    const struct interweave_knobs *k = c->knobs;
    const struct cost_machine *m = c->machine;
    cost_contexts(c, 2);
    cost_storage(c, "second instruction buffers", (double)m->warps * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "as many as the first: one per running context", COST_COUNTED);
    if (k && k->swi)
        cost_search(c);
}

static void swi_cost(struct cost *c)
{
    cost_contexts(c, 1);
    cost_search(c);
}

#define PAPER "Brunie, Collange and Diamos, ISCA 2012"

const struct div_ops div_sbi = {
    .name = "sbi",
    .summary = "Two splits of a warp issue in one cycle, on disjoint lanes; splits merge at equal PCs.",
    .paper = PAPER,
    .flags = DIV_IN_STEP,
    .knobs = &sbi_knob_table,
    .stats = &sbi_stats,
    .in_step = sbi_in_step,
    .create = sbi_create,
    .cost = sbi_cost,
    .destroy = interweave_destroy,
    .counters = interweave_counters,
    SPLITS_CALLS,
};

const struct div_ops div_swi = {
    .name = "swi",
    .summary = "A second warp issues in the same cycle if its active lanes are free; splits merge at equal PCs.",
    .paper = PAPER,
    .flags = DIV_IN_STEP,
    .knobs = &swi_knob_table,
    .stats = &swi_stats,
    .create = swi_create,
    .cost = swi_cost,
    .destroy = interweave_destroy,
    .counters = interweave_counters,
    SPLITS_CALLS,
};
