/* What users see of thread block compaction: knobs and counters of tbc, tbc-lcp and tbc-dpe. */
#include "div/tbc/tbc.h"

/* ---- knobs ---- */

#define SWITCH(title, field, usual, text)                                                                           \
    {                                                                                                               \
        .name = title, .unit = "", .offset = offsetof(struct tbc_knobs, field), .meaning = text, .kind = KNOB_BOOL, \
        .fallback = usual, .high = 1                                                                                \
    }

/* The first is tbc-dpe's alone. */
static const struct knob knobs[] = {
    SWITCH("interleave", interleave, 1, "both sides of a branch issue; no: one after the other"),
    BLOCK_ORDER_KNOB(struct tbc_knobs),
    SWITCH("compaction", compactor.compaction, 1,
           "threads are regrouped; no: they stay in their static warps, for code that relies on these"),
    SWITCH("static_toplevel", compactor.static_toplevel, 0,
           "all live threads of a block run in their static warps, even after some ended"),
    SWITCH("drain", drain, 1, "a warp dissolves only when its instructions are done"),
};

enum { KNOBS = sizeof knobs / sizeof *knobs };

const struct knob_table tbc_knob_table = {"tbc", knobs + 1, KNOBS - 1};
const struct knob_table tbc_lcp_knob_table = {"tbc-lcp", knobs + 1, KNOBS - 1};
const struct knob_table tbc_dpe_knob_table = {"tbc-dpe", knobs, KNOBS};

/* ---- counters ---- */

#define COUNTER(title, field, measure, text)                                                            \
    {                                                                                                   \
        .name = title, .offset = offsetof(struct tbc_counters, field), .unit = measure, .meaning = text \
    }
#define ARRIVALS                                                                                               \
    COUNTER("synchronised", synchronised, "warps", "warps that waited for others of their block at a branch"), \
        COUNTER("skipped", skipped, "warps", "warps that passed a branch without, since it is uniform"),       \
        BLOCK_BRANCH_COUNTERS(struct tbc_counters)
#define COMPACTIONS                                                                                                    \
    COUNTER("useful", compactor.masks.useful, "compactions",                                                           \
            "compactions that made fewer warps than the threads have static ones"),                                    \
        COUNTER("useless", compactor.masks.useless, "compactions", "compactions that made as many"),                   \
        COUNTER("warps_before", compactor.masks.warps_before, "warps",                                                 \
                "static warps with threads in a compacted mask"),                                                      \
        COUNTER("warps_after", compactor.masks.warps_after, "warps", "warps made of these masks"),                     \
        COUNTER("sync_wait", sync_wait, "warp cycles", "arrival of a warp to that of the last one that it waits for"), \
        COUNTER("compactor_wait", compactor.wait, "cycles", "threads wait while the compactor works for others"),      \
        COUNTER("partial_barriers", partial_barriers, "warps",                                                         \
                "warps that came to a barrier or warp-level operation while others of the block were elsewhere"),      \
        BLOCK_STACK_COUNTERS(struct tbc_counters)
#define LIKELY(field, measure, text) BLOCK_COUNTER(struct tbc_counters, field, measure, text)

static const struct stat_counter counters[] = {
    ARRIVALS,
    COMPACTIONS,
    LIKELY(lcp_pushed, "entries", "entries made for likely-convergence points"),
    LIKELY(lcp_merged, "paths", "warps and entries that came to their likely-convergence point"),
    LIKELY(lcp_unused, "entries", "such entries that no thread came to"),
};

static const struct stat_counter dual_counters[] = {
    ARRIVALS,
    COUNTER("paired", paired, "paths", "paths that started beside one that had"),
    COUNTER("set_aside", set_aside, "warps", "warps that were parked since the other side parted"),
    COMPACTIONS,
};

enum {
    COUNTERS_LCP = 3,
    COUNTERS_ALL = sizeof counters / sizeof *counters,
    COUNTERS_DUAL = sizeof dual_counters / sizeof *dual_counters
};

const struct stat_owner tbc_stats = {"tbc", counters, COUNTERS_ALL - COUNTERS_LCP, sizeof(struct tbc_counters)};
const struct stat_owner tbc_lcp_stats = {"tbc-lcp", counters, COUNTERS_ALL, sizeof(struct tbc_counters)};
const struct stat_owner tbc_dpe_stats = {"tbc-dpe", dual_counters, COUNTERS_DUAL, sizeof(struct tbc_counters)};
