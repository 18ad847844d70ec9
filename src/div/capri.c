/*
 * capri: thread block compaction where the history of a branch says that it pays (Rhu and Erez, ISCA 2012), as
 * described by Zhang et al., 2016, section 2.
 *
 * A history table remembers, per branch, whether compaction would have saved a warp the last time. Where the table
 * predicts that it will, warps of the block that diverge there wait for each other, and all paths run compacted.
 * Elsewhere warps go on by themselves, as under pdom. In either case, once the last warp has come, the masks of all
 * warps that diverged are examined and the table is updated: compaction was adequate if on some path the fullest lane
 * has fewer threads than there were warps. Warps that do not diverge go straight on and are not compacted.
 *
 * div/parts/frame.h describes how compacted and other warps run side by side.
 */
#include "base/arena.h"
#include "div/parts/cost.h"
#include "div/parts/frame.h"
#include "div/parts/predictor.h"

#include <stdlib.h>

enum capri_index { INDEX_PC, INDEX_PC_BLOCK };

struct capri_knobs {
    uint32_t size, ways, index, bits;
    bool first, drain, compaction;
    struct stack_time_knobs stack;
};

static const char *const index_names[] = {"pc", "pc+block", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct capri_knobs, field)

static const struct knob knobs[] = {
    {KNOB(size), .unit = "entries", .meaning = "Entries of the history table, one per branch.", .kind = KNOB_COUNT,
     .fallback = 32, .low = 1, .high = 4096},
    {KNOB(ways), .unit = "entries", .meaning = "Entries per set of the history table.", .kind = KNOB_COUNT,
     .fallback = 4, .low = 1, .high = 4096},
    {KNOB(index), .unit = "",
     .meaning = "What the history table is indexed by: the PC of the branch (pc), or PC and thread block (pc+block).",
     .kind = KNOB_CHOICE, .fallback = INDEX_PC, .high = INDEX_PC_BLOCK, .choices = index_names},
    {KNOB(bits), .unit = "bits",
     .meaning = "Bits of a branch's counter in the history table; with 1 bit only the last "
                "meeting counts.",
     .kind = KNOB_COUNT, .fallback = 1, .low = 1, .high = 8},
    {KNOB(first), .unit = "",
     .meaning = "Whether a branch that the history table does not hold is predicted to be worth "
                "compacting.",
     .kind = KNOB_BOOL, .fallback = 1},
    FRAME_COMPACTION_KNOB(struct capri_knobs),
    {KNOB(drain), .unit = "", .meaning = "Whether a warp dissolves only when all its instructions are done.",
     .kind = KNOB_BOOL, .fallback = 1},
    STACK_TIME_KNOBS(struct capri_knobs, stack),
};
static const struct knob_table knob_table = {"capri", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {
    FRAME_COUNTERS,
    {FRAME_COUNTER(table_hits), .unit = "meetings", .meaning = "Predictions for a branch that the history table held."},
    {FRAME_COUNTER(table_misses), .unit = "meetings",
     .meaning = "Predictions for a branch that the history table did not hold."},
    {FRAME_COUNTER(table_evictions), .unit = "entries", .meaning = "Branches evicted from the history table."},
};
static const struct stat_owner stats = {"capri", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frame_counters)};

/* The policy's state. */
struct capri_history {
    struct predictor table;
    enum capri_index index;
};

static uint64_t key_of(const struct capri_history *h, const struct meeting *m)
{
    return (uint64_t)m->pc + (h->index == INDEX_PC_BLOCK ? (uint64_t)m->frame->block << 32 : 0);
}

static bool stalls(struct frames *d, struct meeting *m)
{
    struct capri_history *h = d->of_policy;
    bool adequate = predictor_ask(&h->table, key_of(h, m));
    d->counters.table_hits = h->table.hits;
    d->counters.table_misses = h->table.misses;
    return adequate;
}

static void closed(struct frames *d, struct meeting *m)
{
    struct capri_history *h = d->of_policy;
    bool adequate = meeting_is_adequate(m);
    predictor_tell(&h->table, key_of(h, m), adequate);
    d->counters.table_evictions = h->table.evictions;
    meeting_count(d, m->stalls, adequate);
    if (!m->stalls)
        return;
    if (m->arrivals.count > 1)
        meeting_run(d, m, true, PATH_ALWAYS);
    else
        meeting_release(d, m);
}

static bool compacts(struct frames *d, const struct frame_path *path, int after)
{
    (void)d;
    (void)path;
    (void)after;
    return true;
}

static void destroy(struct frames *d)
{
    struct capri_history *h = d->of_policy;
    predictor_free(&h->table);
    free(h);
}

static const struct frame_policy policy = {
    .stalls = stalls, .closed = closed, .compacts = compacts, .destroy = destroy};

static struct div *capri_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    const struct capri_knobs *k = knob_values;
    struct frames *d = frame_create(host, &policy, true, k->drain, k->stack);
    d->is_off = !k->compaction;
    struct capri_history *h = xcalloc(1, sizeof *h);
    predictor_init(&h->table, k->size, k->ways, k->bits, k->first);
    h->index = (enum capri_index)k->index;
    d->of_policy = h;
    return (struct div *)d;
}

/* tbc's block stacks and compactor, with a table of branches (Zhang et al., 2016, sections 2 and 4.2.5). The stacks
 * that heddle gives to every warp within a compaction frame are not counted: no text says how hardware would keep
 * them. */
static void capri_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct capri_knobs *chosen = c->knobs;
    uint32_t sets = chosen->size / (chosen->ways < chosen->size ? chosen->ways : chosen->size);
    cost_block_stacks(c, cost_entries(c, chosen->stack.entries), cost_bits(m->block_warps + 1),
                      "B x D counts of 0 to S warps (WCnt)", COST_TBC ", section 3.2; width " COST_COUNTED);
    cost_storage(c, "history table", chosen->size, 1 + COST_PC_BITS - cost_bits(sets) + chosen->bits,
                 "capri.size entries of valid + tag (PC - log2 sets) + capri.bits",
                 COST_TSTBC ", section 2; layout " COST_COUNTED);
    cost_adequacy(c);
    cost_compactor(c);
    cost_front_end(c);
}

const struct div_ops div_capri = {
    .name = "capri",
    .summary = "Thread block compaction at branches whose history says that compaction saves warps.",
    .paper = "Rhu and Erez, CAPRI, ISCA 2012; as described by Zhang et al., 2016",
    .knobs = &knob_table,
    .stats = &stats,
    .compaction_knob = "compaction",
    .create = capri_create,
    .cost = capri_cost,
    FRAME_CALLS,
};
