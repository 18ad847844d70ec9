/*
 * reed: heddle's own mechanism. It puts together what heddle's tables show to pay, and leaves out what does not. The
 * reed of a loom is the comb that beats threads close together.
 *
 *   lanes     An instruction takes as many passes through the p lanes as the working threads of its split fill, as
 *             under scc, and loads and stores do so too. A unit that takes several cycles per pass (interval k) has p/k
 *             lanes, and is held for as many cycles as the threads fill of these.
 *   paths     Several splits of a warp run side by side (div/parts/splits.h), so that one path hides the latency of
 *             another. Threads merge wherever they are at one PC, as under thread frontiers.
 *   waiting   A split waits at a reconvergence point for those threads of its warp that are on a path from a branch to
 *             that point, and for no others (SPLITS_PATHS). With `sync=order` it waits for all earlier splits.
 *   ahead     With the knob `ahead`: in a cycle in which no strand of the SM is ready, one split that waits goes on
 *             without the others, of another warp each time. It may merge with them again at any PC. Code that relies
 *             on warps in lock-step would break; such code must mark what its threads exchange as volatile, so with
 *             `unless-volatile` splits of kernels with volatile accesses keep waiting.
 *
 * No thread leaves its warp, and no warp waits for another: accesses to memory stay as the program has them. Unless
 * splits go ahead, threads of a warp are in step until a branch splits them.
 *
 * Not modelled: the time to move threads to other lanes, to sort splits and to find one that waits; convergence
 * barriers as instructions, by which hardware would know the threads on the paths to a point.
 */
#include "base/arena.h"
#include "div/parts/cost.h"
#include "div/parts/splits.h"

#include <stdlib.h>

enum { DATA_BITS = 32, OPERANDS = 3, BARRIERS = 16 };

enum sync_choice { SYNC_PATHS, SYNC_ORDER };
enum ahead_choice { AHEAD_NEVER, AHEAD_UNLESS_VOLATILE, AHEAD_ALWAYS };

struct reed_knobs {
    uint32_t splits, sync, ahead;
    bool memory, units;
};

struct reed_counters {
    struct splits_counters splits;
    uint64_t hurried, compacted, saved_cycles, saved_unit_cycles;
};

struct reed {
    struct splits splits; /* first: the calls of splits take the handle for a struct splits */
    enum ahead_choice ahead;
    bool goes_ahead; /* a split of this kernel may stop waiting */
    bool memory, units;
    struct reed_counters counters;
};

static struct reed *reed_of(struct div *div)
{
    return (struct reed *)div;
}

static const char *const sync_names[] = {"paths", "order", NULL};
static const char *const ahead_names[] = {"never", "unless-volatile", "always", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct reed_knobs, field)

static const struct knob knobs[] = {
    {KNOB(splits), .unit = "splits", .meaning = "Splits of a warp that run side by side; 0: all.", .kind = KNOB_COUNT,
     .fallback = 4, .high = 64},
    {KNOB(sync), .unit = "",
     .meaning = "At a reconvergence point a split waits for the threads of its warp that are on a path to that point "
                "(paths), or for all that come before the point in the order of blocks (order).",
     .kind = KNOB_CHOICE, .fallback = SYNC_PATHS, .high = SYNC_ORDER, .choices = sync_names},
    {KNOB(ahead), .unit = "",
     .meaning = "Whether a split that waits goes on without the others when no strand of the multiprocessor is ready: "
                "never, in kernels without volatile accesses (unless-volatile), or always.",
     .kind = KNOB_CHOICE, .fallback = AHEAD_NEVER, .high = AHEAD_ALWAYS, .choices = ahead_names},
    {KNOB(memory), .unit = "",
     .meaning = "Whether loads, stores and atomics take only the passes that their threads fill, as other instructions "
                "do (yes), or those of a whole warp (no).",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
    {KNOB(units), .unit = "",
     .meaning = "Whether a unit that takes k cycles per pass is held for the threads that it has, as one of p/k lanes "
                "(yes), or for whole passes (no).",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
};
static const struct knob_table knob_table = {"reed", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct reed_counters, field)

static const struct stat_counter counters[] = {
    SPLITS_COUNTERS(struct reed_counters),
    {FIELD(hurried), .unit = "splits",
     .meaning = "Splits that stopped waiting since no strand of the multiprocessor was ready."},
    {FIELD(compacted), .unit = "issues", .meaning = "Issues that took fewer passes than a whole warp takes."},
    {FIELD(saved_cycles), .unit = "cycles", .meaning = "Passes skipped, at one cycle per pass."},
    {FIELD(saved_unit_cycles), .unit = "cycles",
     .meaning = "Cycles for which units of several cycles per pass were not held, beyond the passes skipped."},
};
static const struct stat_owner stats = {"reed", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct reed_counters)};

static struct div *reed_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    const struct reed_knobs *k = knob_values;
    struct reed *d = xcalloc(1, sizeof *d);
    d->splits.most = k->splits ? (int)k->splits : STACK_MAX_THREADS;
    d->splits.sync = k->sync == SYNC_PATHS ? SPLITS_PATHS : SPLITS_ORDER;
    d->memory = k->memory;
    d->units = k->units;
    splits_start(&d->splits, host);
    d->ahead = (enum ahead_choice)k->ahead;
    wants->never_idle = d->ahead == AHEAD_NEVER;
    return (struct div *)d;
}

static void reed_destroy(struct div *div)
{
    struct reed *d = reed_of(div);
    splits_close(&d->splits);
    free(d);
}

static void *reed_counters(struct div *div)
{
    struct reed *d = reed_of(div);
    d->counters.splits = d->splits.counters;
    return &d->counters;
}

static bool reed_in_step(const void *knob_values)
{
    return ((const struct reed_knobs *)knob_values)->ahead == AHEAD_NEVER;
}

static bool has_volatile(const struct program *p)
{
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (p->insns[pc].suffixes.mod[GROUP_SEM] == SEM_VOLATILE)
            return true;
    return false;
}

static void reed_prepare(struct div *div, uint8_t *marks)
{
    struct reed *d = reed_of(div);
    splits_prepare(div, marks);
    d->goes_ahead =
        d->ahead == AHEAD_ALWAYS || (d->ahead == AHEAD_UNLESS_VOLATILE && !has_volatile(d->splits.host->facts.program));
}

/* Strands that are ready wait for a unit or a port only: to have one more of them gains nothing. */
static void reed_idle(struct div *div)
{
    struct reed *d = reed_of(div);
    if (d->goes_ahead && !d->splits.host->calls.ready(d->splits.host))
        d->counters.hurried += splits_hurry(&d->splits);
}

/* ---- lanes ---- */

static bool is_memory(enum op_class class)
{
    return class == CLASS_LOAD || class == CLASS_STORE || class == CLASS_ATOMIC || class == CLASS_TEX ||
           class == CLASS_FENCE;
}

/* Cycles in which `lanes` lanes take so many threads, each of them `each` cycles; one at least. */
static unsigned cycles_of(uint64_t working, unsigned each, unsigned lanes)
{
    unsigned cycles = ((unsigned)__builtin_popcountll(working) * each + lanes - 1) / lanes;
    return cycles ? cycles : 1;
}

static unsigned reed_issue_cost(struct div *div, uint64_t working, enum op_class class)
{
    struct reed *d = reed_of(div);
    const struct div_facts *facts = &d->splits.host->facts;
    unsigned whole = (unsigned)(facts->width / facts->simd_width);
    if (is_memory(class) && !d->memory)
        return 0;
    unsigned passes = cycles_of(working, 1, (unsigned)facts->simd_width);
    d->counters.compacted += passes < whole;
    d->counters.saved_cycles += whole - passes;
    return passes;
}

static unsigned reed_unit_cost(struct div *div, uint64_t working, unsigned interval)
{
    struct reed *d = reed_of(div);
    unsigned lanes = (unsigned)d->splits.host->facts.simd_width;
    if (!d->units)
        return 0;
    unsigned cycles = cycles_of(working, interval, lanes);
    d->counters.saved_unit_cycles += cycles_of(working, 1, lanes) * interval - cycles;
    return cycles;
}

/* ---- cost ---- */

/* sbi's contexts, and scc's crossbars. A convergence barrier holds the threads that are on the paths to a point. */
static void reed_cost(struct cost *c)
{
    const struct reed_knobs *k = c->knobs;
    const struct cost_machine *m = c->machine;
    double running = !k ? 4 : k->splits ? k->splits : m->warp_width;
    double pairs = (double)m->warp_width * m->simd_width;
    cost_storage(c, "running contexts", m->warps * running, COST_PC_BITS + (double)m->warp_width,
                 "N x splits contexts of PC + W", COST_COUNTED);
    cost_storage(c, "PCs of the other threads", m->threads, COST_PC_BITS, "T PCs", COST_COUNTED);
    cost_storage(c, "convergence barriers", (double)m->warps * BARRIERS, m->warp_width, "16 N masks of W",
                 COST_COUNTED);
    cost_front_end(c);
    cost_storage(c, "further scoreboards", m->warps * (running - 1) * cost_scoreboard_entries(c),
                 cost_scoreboard_bits(c), "as many as the first, per further context", COST_COUNTED);
    cost_storage(c, "further instruction buffers", m->warps * (running - 1) * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "as many as the first, per further context", COST_COUNTED);
    cost_logic(c, "PC comparator", m->warp_width - 1.0, COST_PC_BITS, "W - 1: the first PC of a warp's threads",
               COST_COUNTED);
    cost_logic(c, "priority encoder", m->simd_width, m->warp_width, "p encoders of W bits pick the next p threads",
               COST_COUNTED);
    cost_logic(c, "operand crosspoint", OPERANDS * pairs, DATA_BITS, "three operands x W x p", COST_COUNTED);
    cost_logic(c, "result crosspoint", pairs, DATA_BITS, "one result x p x W", COST_COUNTED);
}

const struct div_ops div_reed = {
    .name = "reed",
    .summary = "Splits of a warp run side by side, wait for threads on the paths to where they reconverge, and hold "
               "lanes and units only as long as their threads fill them.",
    .paper = "none: heddle's own, from scc, multipath and frontiers",
    .flags = DIV_IN_STEP,
    .knobs = &knob_table,
    .stats = &stats,
    .in_step = reed_in_step,
    .create = reed_create,
    .cost = reed_cost,
    .destroy = reed_destroy,
    .counters = reed_counters,
    .idle = reed_idle,
    .issue_cost = reed_issue_cost,
    .unit_cost = reed_unit_cost,
    .prepare = reed_prepare,
    SPLITS_CALLS_BUT_PREPARE,
};
