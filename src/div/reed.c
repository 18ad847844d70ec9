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
 *   meter     With the knob `ahead`. For `interval` cycles at a time the SM counts the passes that its lanes take, and
 *             the blocked cycles: those in which nothing issues although a strand is ready, less those in which the
 *             lanes still have passes of an issue before. The rules below go by the interval before.
 *   ahead     In a cycle in which no strand of the SM is ready, one split that waits goes on without the others, of
 *             another warp each time, if at most an eighth of the cycles were blocked and the lanes took less than
 *             three quarters of the passes that they could: a split that takes no more passes apart from its warp than
 *             together, or, if the lanes took less than `spare` percent, any. It may merge with the others again at
 *             any PC.
 *   loads     If over half of the cycles were blocked and the lanes took less than half of `spare` percent, threads
 *             whose data has come go on without those that still wait for the same load, so that they use cache lines
 *             before these are evicted.
 *
 * No thread leaves its warp, and no warp waits for another: accesses to memory stay as the program has them, unless
 * threads go ahead. Code that relies on warps in lock-step would break where
 * threads go on without others. Such code must mark what its threads exchange as volatile, and has no warp-level
 * barrier; so with `ahead=unless-volatile` neither rule holds for kernels with volatile accesses and without bar.warp.
 *
 * Not modelled: the time to move threads to other lanes, to sort splits and to find one that waits; convergence
 * barriers as instructions, by which hardware would know the threads on the paths to a point.
 */
#include "base/arena.h"
#include "div/parts/cost.h"
#include "div/parts/splits.h"

#include <stdlib.h>

enum { DATA_BITS = 32, OPERANDS = 3, BARRIERS = 16, MOST_USED_PERCENT = 75, METER_COUNTERS = 4, METER_BITS = 20 };

enum sync_choice { SYNC_PATHS, SYNC_ORDER };
enum ahead_choice { AHEAD_NEVER, AHEAD_UNLESS_VOLATILE, AHEAD_ALWAYS };

struct reed_knobs {
    uint32_t splits, sync, ahead, interval, spare;
    bool loads, memory, units;
};

struct reed_counters {
    struct splits_counters splits;
    uint64_t hurried, subdivided, compacted, saved_cycles, saved_unit_cycles;
};

/* What the lanes and the memory port did since the cycle `from`. */
struct meter {
    uint64_t from, passes, issues, blocked_cycles;
    uint64_t blocked_since; /* the first cycle of a span in which ready strands do not issue; UINT64_MAX: none */
    bool is_spare, is_clear, is_blocked; /* in the interval before; no: in the first one */
};

struct reed {
    struct splits splits; /* first: the calls of splits take the handle for a struct splits */
    enum ahead_choice ahead;
    bool goes_ahead; /* threads of this kernel may go on without others of their warp that no branch sent elsewhere */
    bool loads, memory, units;
    uint32_t interval, spare;
    struct meter meter;
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
     .meaning =
         "Whether threads may go on without others of their warp when no strand of the multiprocessor is ready, or "
         "when the others wait for a load: never, in kernels that have no volatile accesses or have warp-level "
         "barriers (unless-volatile), or always.",
     .kind = KNOB_CHOICE, .fallback = AHEAD_NEVER, .high = AHEAD_ALWAYS, .choices = ahead_names},
    {KNOB(spare), .unit = "percent",
     .meaning = "Splits go ahead at the cost of passes only if the lanes took less than so many percent of the passes "
                "that they could take.",
     .kind = KNOB_COUNT, .fallback = 25, .high = 101},
    {KNOB(interval), .unit = "cycles",
     .meaning = "For how long the use of the lanes and the memory port is measured, before splits go by it.",
     .kind = KNOB_COUNT, .fallback = 1000, .low = 1, .high = 1000000},
    {KNOB(loads), .unit = "",
     .meaning =
         "Whether, with ahead, threads whose data has come go on without those that wait for the same load, while "
         "lanes take less than half of spare percent of their passes, and ready strands cannot issue in more "
         "than half of all cycles.",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
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
    {FIELD(subdivided), .unit = "splits",
     .meaning = "Splits that were cut in two since data of a load had come for some of their threads only."},
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
    d->loads = k->loads;
    d->spare = k->spare;
    d->interval = k->interval;
    d->meter.blocked_since = UINT64_MAX;
    wants->never_idle = d->ahead == AHEAD_NEVER;
    wants->whole_loads = d->ahead == AHEAD_NEVER || !k->loads;
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

/* Whether the kernel may rely on warps in lock-step: its threads exchange data that they mark as volatile, without a
 * barrier of their warp. */
static bool relies_on_step(const struct program *p)
{
    bool has_volatile = false;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        if (p->insns[pc].op == OP_BAR_WARP)
            return false;
        has_volatile |= p->insns[pc].suffixes.mod[GROUP_SEM] == SEM_VOLATILE;
    }
    return has_volatile;
}

static void reed_prepare(struct div *div, uint8_t *marks)
{
    struct reed *d = reed_of(div);
    splits_prepare(div, marks);
    d->goes_ahead = d->ahead == AHEAD_ALWAYS ||
                    (d->ahead == AHEAD_UNLESS_VOLATILE && !relies_on_step(d->splits.host->facts.program));
}

/* ---- the meter ---- */

/* A span in which ready strands did not issue ends. */
static void unblock(struct meter *m, uint64_t now)
{
    if (m->blocked_since != UINT64_MAX)
        m->blocked_cycles += now - m->blocked_since;
    m->blocked_since = UINT64_MAX;
}

/* Ends the interval if its time is over. Nothing happens between two calls of the mechanism, so it may be longer. */
static void keep_time(struct reed *d)
{
    const struct div_facts *facts = &d->splits.host->facts;
    struct meter *m = &d->meter;
    uint64_t now = d->splits.host->now, cycles = now - m->from;
    if (cycles < d->interval)
        return;
    bool is_in_span = m->blocked_since != UINT64_MAX;
    unblock(m, now);
    uint64_t ports = (uint64_t)facts->schedulers, used = m->passes * 100, all = cycles * ports * d->spare;
    uint64_t further = (m->passes - m->issues) / ports; /* cycles in which lanes have passes of an issue before */
    uint64_t blocked = m->blocked_cycles > further ? m->blocked_cycles - further : 0;
    m->is_spare = used < all;
    m->is_clear = blocked * 8 < cycles && used < cycles * ports * MOST_USED_PERCENT;
    m->is_blocked = used * 2 < all && blocked * 2 > cycles;
    m->from = now;
    m->passes = m->issues = m->blocked_cycles = 0;
    m->blocked_since = is_in_span ? now : UINT64_MAX;
}

/* Strands that are ready wait for a unit or a port only: to have one more of them gains nothing. */
static void reed_idle(struct div *div)
{
    struct reed *d = reed_of(div);
    struct div_host *host = d->splits.host;
    struct meter *m = &d->meter;
    if (!d->goes_ahead)
        return;
    bool is_blocked = host->calls.ready(host) > 0;
    if (!is_blocked)
        unblock(m, host->now);
    else if (m->blocked_since == UINT64_MAX)
        m->blocked_since = host->now;
    keep_time(d);
    if (!is_blocked && m->is_clear)
        d->counters.hurried += splits_hurry(&d->splits, !m->is_spare);
}

static void reed_resume(struct div *div)
{
    struct reed *d = reed_of(div);
    unblock(&d->meter, d->splits.host->now);
}

static void reed_memory(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss)
{
    struct reed *d = reed_of(div);
    (void)hit;
    if (!d->goes_ahead)
        return;
    keep_time(d);
    if (d->meter.is_blocked)
        d->counters.subdivided += splits_subdivide(&d->splits, s, miss);
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
    d->meter.issues++;
    if (is_memory(class) && !d->memory) {
        d->meter.passes += whole;
        return 0;
    }
    unsigned passes = cycles_of(working, 1, (unsigned)facts->simd_width);
    d->meter.passes += passes;
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
    if (k && k->ahead != AHEAD_NEVER)
        cost_storage(c, "meter", METER_COUNTERS, METER_BITS, "cycles, passes, issues and blocked cycles of an interval",
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
    .resume = reed_resume,
    .memory = reed_memory,
    .issue_cost = reed_issue_cost,
    .unit_cost = reed_unit_cost,
    .prepare = reed_prepare,
    SPLITS_CALLS_BUT_PREPARE,
};
