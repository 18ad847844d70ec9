/*
 * bcc and scc: cycle compaction inside a warp (Vaidya, Shayesteh, Woo, Saharoy and Azimi, "SIMD Divergence Optimization
 * through Intra-Warp Compaction", ISCA 2013).
 *
 * Threads are grouped as under pdom. Where the datapath is narrower than the warp (p lanes for W threads), an
 * instruction takes W/p passes. bcc (basic cycle compression) skips the passes of aligned groups of p home slots that
 * have no working thread. scc (swizzled cycle compression) first moves threads to other lanes, so that an instruction
 * takes as many passes as its working threads fill. A thread works if it is in the strand and the instruction's guard
 * does not turn it off: the hardware goes by the instruction's execution mask, of which the predicate is a part. An
 * instruction for which no thread works takes one pass. Memory instructions keep the machine's own cost, since the
 * memory system decides their time. With p = W there is nothing to gain.
 *
 * The two-stage paper (Zhang et al., section 4.2.1, Figs 7 and 8) judges compaction decisions as actual/ideal, with
 * Stall for "compact" and Bypass for "do not", and scc as well. Neither bcc nor scc decides anything: they compact
 * behind every branch (Stall). A branch suits them (ideal: Stall) if the warp diverges there and takes fewer passes on
 * one of the paths than it would uncompacted; a path that is at the reconvergence point already runs no instruction of
 * its own. With p = W nothing is compacted anywhere (Bypass/Bypass).
 *
 * Not modelled: the swizzle takes no time unless the knob says so, and is made wherever it saves a pass, whatever it
 * costs.
 */
#include "base/diag.h"
#include "div/parts/control.h"
#include "div/pdom/pdom.h"

struct compaction_knobs {
    struct pdom_knobs pdom;
    uint32_t swizzle_cycles;
};

struct compaction_counters {
    struct stack_counters stack;
    uint64_t stall_stall, bypass_bypass, stall_bypass;
    uint64_t compacted, saved_cycles, swizzles, swizzle_cycles;
};

struct compaction {
    struct pdom pdom; /* first: pdom's calls take the handle for a struct pdom */
    bool swizzles;    /* scc */
    uint32_t swizzle_cycles;
    struct compaction_counters counters;
};

static struct compaction *compaction_of(struct div *div)
{
    return (struct compaction *)div;
}

static const struct knob knobs[] = {
    PDOM_KNOBS,
    {.name = "swizzle_cycles",
     .unit = "cycles",
     .meaning = "Cycles that moving threads to other lanes adds to an issue.",
     .kind = KNOB_COUNT,
     .offset = offsetof(struct compaction_knobs, swizzle_cycles),
     .high = 64},
};
enum { KNOBS = sizeof knobs / sizeof *knobs };
static const struct knob_table bcc_knob_table = {"bcc", knobs, KNOBS - 1};
static const struct knob_table scc_knob_table = {"scc", knobs, KNOBS};

#define FIELD(field) .name = #field, .offset = offsetof(struct compaction_counters, field)

static const struct stat_counter counters[] = {
    PDOM_COUNTERS,
    PDOM_TIME_COUNTERS,
    {FIELD(stall_stall), .unit = "branches",
     .meaning = "Branches at which the warp diverged, with a path that takes fewer passes compacted."},
    {FIELD(bypass_bypass), .unit = "branches",
     .meaning = "Branches on a machine with as many lanes as a warp has threads: nothing is compacted."},
    {FIELD(stall_bypass), .unit = "branches",
     .meaning = "Branches behind which compaction saves no pass, or at which the warp did not diverge."},
    {FIELD(compacted), .unit = "issues", .meaning = "Issues that took fewer passes than a whole warp takes."},
    {FIELD(saved_cycles), .unit = "cycles", .meaning = "Passes skipped, at one cycle per pass."},
    {FIELD(swizzles), .unit = "issues", .meaning = "Issues whose threads were moved to other lanes."},
    {FIELD(swizzle_cycles), .unit = "cycles", .meaning = "Cycles that moving threads to other lanes added to issues."},
};

enum { COUNTERS_SWIZZLE = 2, COUNTERS_ALL = sizeof counters / sizeof *counters };

static const struct stat_owner bcc_stats = {"bcc", counters, COUNTERS_ALL - COUNTERS_SWIZZLE,
                                            sizeof(struct compaction_counters)};
static const struct stat_owner scc_stats = {"scc", counters, COUNTERS_ALL, sizeof(struct compaction_counters)};

static struct div *create(struct div_host *host, const void *knob_values, struct div_wants *wants, bool swizzles)
{
    const struct compaction_knobs *k = knob_values;
    if (host->facts.simd_width < 1 || host->facts.width % host->facts.simd_width)
        panic("warps of %d threads do not fit onto %d lanes", host->facts.width, host->facts.simd_width);
    struct compaction *c = xcalloc(1, sizeof *c);
    pdom_start(&c->pdom, host, &k->pdom, wants);
    c->swizzles = swizzles;
    c->swizzle_cycles = swizzles ? k->swizzle_cycles : 0;
    return (struct div *)c;
}

static struct div *bcc_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, false);
}

static struct div *scc_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, true);
}

static void *compaction_counters(struct div *div)
{
    struct compaction *c = compaction_of(div);
    c->counters.stack = c->pdom.rules.counters;
    return &c->counters;
}

static bool is_memory(enum op_class class)
{
    return class == CLASS_LOAD || class == CLASS_STORE || class == CLASS_ATOMIC || class == CLASS_TEX ||
           class == CLASS_FENCE;
}

static unsigned groups_in_use(uint64_t slots, unsigned width, unsigned lanes)
{
    uint64_t group = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    unsigned count = 0;
    for (unsigned first = 0; first < width; first += lanes)
        count += (slots >> first & group) != 0;
    return count;
}

/* Passes that the working threads take: one for each group of p home slots with a thread or, with a swizzle, as many
 * as the threads fill. `*moves`: threads go to other lanes for it. */
static unsigned passes_of(const struct compaction *c, uint64_t working, bool *moves)
{
    const struct div_facts *facts = &c->pdom.host->facts;
    unsigned lanes = (unsigned)facts->simd_width;
    unsigned groups = groups_in_use(working, (unsigned)facts->width, lanes);
    unsigned filled = ((unsigned)__builtin_popcountll(working) + lanes - 1) / lanes;
    *moves = c->swizzles && filled < groups;
    return *moves ? filled : groups ? groups : 1;
}

/* 0: the machine's own rule. */
static unsigned issue_cost(struct div *div, uint64_t working, enum op_class class)
{
    struct compaction *c = compaction_of(div);
    const struct div_facts *facts = &c->pdom.host->facts;
    unsigned passes = (unsigned)(facts->width / facts->simd_width);
    bool moves;
    if (is_memory(class) || passes == 1)
        return 0;
    unsigned cost = passes_of(c, working, &moves);
    c->counters.compacted += cost < passes;
    c->counters.saved_cycles += passes - cost;
    c->counters.swizzles += moves;
    c->counters.swizzle_cycles += moves ? c->swizzle_cycles : 0;
    return cost + (moves ? c->swizzle_cycles : 0);
}

/* ---- what compaction is worth at a branch ---- */

static uint64_t slots_of(struct div_host *host, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; i < t->count; i++)
        slots |= host->calls.slots(host, t->part[i].row, t->part[i].mask);
    return slots;
}

/* Whether a path of a branch at which the warp diverged takes fewer passes than an uncompacted warp. */
static bool suits(const struct compaction *c, const struct branch *branch, int32_t depth,
                  const struct outcome *outcomes, int count)
{
    const struct div_facts *facts = &c->pdom.host->facts;
    struct point rpc = {branch->ipdom, depth};
    bool moves;
    for (int i = 0; i < count; i++)
        if (!point_has_reached((struct point){outcomes[i].pc, outcomes[i].depth}, rpc) &&
            passes_of(c, slots_of(c->pdom.host, &outcomes[i].threads), &moves) <
                (unsigned)(facts->width / facts->simd_width))
            return true;
    return false;
}

static void compaction_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct compaction *c = compaction_of(div);
    const struct branch *branch = control_branch_at(c->pdom.host->facts.program, s->pc);
    if (branch && c->pdom.host->facts.width == c->pdom.host->facts.simd_width)
        c->counters.bypass_bypass++;
    else if (branch && count > 1 && suits(c, branch, s->depth, outcomes, count))
        c->counters.stall_stall++;
    else
        c->counters.stall_bypass += branch != NULL;
    pdom_branch(div, s, outcomes, count);
}

#define PAPER "Vaidya, Shayesteh, Woo, Saharoy and Azimi, ISCA 2013"

const struct div_ops div_bcc = {
    .name = "bcc",
    .summary = "Variant of pdom that skips groups of idle lanes where the datapath is narrower than a warp.",
    .paper = PAPER,
    .flags = DIV_IN_STEP | DIV_ONE_ITERATION,
    .knobs = &bcc_knob_table,
    .stats = &bcc_stats,
    .create = bcc_create,
    .cost = pdom_cost_bcc,
    .counters = compaction_counters,
    .issue_cost = issue_cost,
    .branch = compaction_branch,
    PDOM_CALLS_BUT_BRANCH,
};

const struct div_ops div_scc = {
    .name = "scc",
    .summary = "Variant of bcc that first moves threads to other lanes, so that more groups of lanes are idle.",
    .paper = PAPER,
    .flags = DIV_IN_STEP | DIV_ONE_ITERATION,
    .knobs = &scc_knob_table,
    .stats = &scc_stats,
    .create = scc_create,
    .cost = pdom_cost_scc,
    .counters = compaction_counters,
    .issue_cost = issue_cost,
    .branch = compaction_branch,
    PDOM_CALLS_BUT_BRANCH,
};
