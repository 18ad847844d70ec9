/* Invariants of the counters of a launch that ended well, under every machine and mechanism: see report_check(). */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct check {
    struct stat_result counters; /* of the launch */
    struct text *why;            /* one line per violation is appended */
    bool holds;                  /* no invariant is violated so far */
};

static uint64_t get(const struct check *c, const char *owner, const char *counter)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", owner, counter);
    return stat_get(&c->counters, path, NULL);
}

/* `what` names the two figures, a first: "hits and misses, and accesses". */
static void equal(struct check *c, const char *what, uint64_t a, uint64_t b)
{
    if (a == b)
        return;
    text_printf(c->why, "%s: %" PRIu64 " is not %" PRIu64 "\n", what, a, b);
    c->holds = false;
}

static void at_most(struct check *c, const char *what, uint64_t a, uint64_t b)
{
    if (a <= b)
        return;
    text_printf(c->why, "%s: %" PRIu64 " is more than %" PRIu64 "\n", what, a, b);
    c->holds = false;
}

static void check_cycles(struct check *c, const struct sm_stats *s, const struct machine *m)
{
    uint64_t issued = 0;
    for (int i = 0; i < SM_WIDTH_CLASSES; i++)
        issued += s->issued_cycles[i];
    equal(c, "cycles by class, and multiprocessors times cycles",
          issued + s->sync_cycles + s->stall_cycles + s->idle_memory_cycles + s->idle_cycles,
          m->gpu.sm_count * s->cycles);
    at_most(c, "cycles that issued barrier operations alone, and these", s->sync_cycles, s->syncs);
    at_most(c, "cycles that issued, and warp instructions", issued, s->warp_instructions);
    at_most(c, "thread instructions, and lanes offered", s->thread_instructions, s->issue_slots);
    at_most(c, "warp instructions, and thread instructions", s->warp_instructions, s->thread_instructions);
    at_most(c, "scalar instructions, and warp instructions", s->scalar_instructions, s->warp_instructions);
    at_most(c, "divergent branches, and branches", s->divergent_branches, s->branches);
    at_most(c, "branches, and warp instructions", s->branches, s->warp_instructions);
    at_most(c, "resident threads, and a full machine", s->resident_thread_cycles,
            (uint64_t)m->gpu.sm_count * m->sm.max_threads * s->cycles);
    at_most(c, "stall cycles of shared memory, and passes", s->shared_stall_cycles, s->shared_passes);
    /* Strands on disjoint slices may share a pass: at most as many as there are lanes. */
    at_most(c, "shared accesses, and lanes of all passes", s->shared_instructions, s->shared_passes * m->sm.warp_width);
}

static void check_sites(struct check *c, const struct gpu_result *r)
{
    struct site sum = {0};
    for (int pc = 0; pc < r->site_count; pc++) {
        const struct site *s = &r->sites[pc];
        sum.issues += s->issues;
        sum.threads += s->threads;
        sum.diverged += s->diverged;
        sum.transactions += s->transactions;
        if (s->diverged > s->issues || s->taken > s->threads || s->issues > s->threads) {
            text_printf(c->why,
                        "PC %d: more divergent issues than issues, taken threads than threads, or issues "
                        "than threads\n",
                        pc);
            c->holds = false;
        }
    }
    equal(c, "issues by PC, and warp instructions", sum.issues, r->sm.warp_instructions);
    equal(c, "threads by PC, and thread instructions", sum.threads, r->sm.thread_instructions);
    equal(c, "transactions by PC, and lines and passes", sum.transactions, r->sm.transactions + r->sm.shared_passes);
    at_most(c, "divergent branches, and issues that diverged", r->sm.divergent_branches, sum.diverged);
}

static void check_cache(struct check *c, const char *owner)
{
    char what[64];
    uint64_t misses = get(c, owner, "misses");
    snprintf(what, sizeof what, "%s: hits and misses, and accesses", owner);
    equal(c, what, get(c, owner, "hits") + misses, get(c, owner, "accesses"));
    snprintf(what, sizeof what, "%s: merges, and misses", owner);
    at_most(c, what, get(c, owner, "merges"), misses);
}

static void check_fetches(struct check *c, const struct sm_stats *s)
{
    at_most(c, "fetches that an L0 served, and fetches", s->l0_hits, s->fetches);
    at_most(c, "fetches that looked into the instruction cache or an L0, and fetches",
            get(c, "instruction", "accesses") + s->l0_hits, s->fetches);
    at_most(c, "fetches that looked into an L0, and fetches", s->l0_hits + s->l0_misses, s->fetches);
    at_most(c, "instructions decoded, and written into buffers", s->decodes, s->buffer_fills);
    at_most(c, "instruction: not found, and transactions", get(c, "instruction", "misses"),
            get(c, "instruction", "transactions"));
}

static void check_memory(struct check *c, const struct machine *m)
{
    static const char *const ports[] = {"l1d", "constant", "texture", "instruction"};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char what[64];
        check_cache(c, ports[i]);
        snprintf(what, sizeof what, "%s: stores found, and stores", ports[i]);
        at_most(c, what, get(c, ports[i], "store_hits"), get(c, ports[i], "stores"));
        snprintf(what, sizeof what, "%s: answered, and taken", ports[i]);
        at_most(c, what, get(c, ports[i], "replies"), get(c, ports[i], "issued"));
        if (!strcmp(ports[i], "instruction"))
            continue; /* hits of fetches do not go through the port, so they are no transactions: see check_fetches() */
        snprintf(what, sizeof what, "%s: looked up, and transactions", ports[i]);
        at_most(c, what,
                get(c, ports[i], "accesses") + get(c, ports[i], "stores") + get(c, ports[i], "bypasses") +
                    get(c, ports[i], "atomics"),
                get(c, ports[i], "transactions"));
    }
    check_cache(c, "l2");
    equal(c, "l2: reads, writes and atomics, and accesses",
          get(c, "l2", "reads") + get(c, "l2", "writes") + get(c, "l2", "atomics"), get(c, "l2", "accesses"));
    if (m->mem.dram_model == DRAM_BANKED)
        equal(c, "dram: row hits and misses, and requests", get(c, "dram", "row_hits") + get(c, "dram", "row_misses"),
              get(c, "dram", "reads") + get(c, "dram", "writes"));
}

bool report_check(const struct gpu_result *result, const struct machine *machine, struct text *why)
{
    struct check c = {{result->parts, result->part_count}, why, true};
    check_cycles(&c, &result->sm, machine);
    check_sites(&c, result);
    check_fetches(&c, &result->sm);
    check_memory(&c, machine);
    return c.holds;
}
