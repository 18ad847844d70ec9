/* The texts of the knobs and counters of tbc, tbc-lcp and tbc-dpe. */
#include "div/tbc/tbc.h"

/* ---- knobs ---- */

#define SWITCH(title, field, usual, text)                                                                           \
    {                                                                                                               \
        .name = title, .unit = "", .offset = offsetof(struct tbc_knobs, field), .meaning = text, .kind = KNOB_BOOL, \
        .fallback = usual, .high = 1                                                                                \
    }

#define SHARED_KNOBS                                                                                    \
    SWITCH("compaction", compactor.compaction, 1,                                                       \
           "Whether threads are packed into new warps (yes), or stay in their static warps, "           \
           "for code that relies on static warps (no)."),                                               \
        SWITCH("static_toplevel", compactor.static_toplevel, 0,                                         \
               "Whether threads run in their static warps whenever all live threads of the block "      \
               "run, even after some threads ended."),                                                  \
        SWITCH("drain", drain, 1, "Whether a warp dissolves only when all its instructions are done."), \
        STACK_TIME_KNOBS(struct tbc_knobs, stack), STACK_TRAFFIC_KNOB(struct tbc_knobs, stack)

static const struct knob knobs[] = {
    BLOCK_ORDER_KNOB(struct tbc_knobs),
    BLOCK_UNIFORM_KNOB(struct tbc_knobs, "those proved uniform and those marked .uni", "those marked .uni alone"),
    SHARED_KNOBS,
};

static const struct knob dual_knobs[] = {
    SWITCH("interleave", interleave, 1,
           "Whether both sides of a branch issue side by side (yes), or one after the other "
           "(no)."),
    BLOCK_ORDER_KNOB(struct tbc_knobs),
    BLOCK_UNIFORM_KNOB(struct tbc_knobs, "those proved uniform", "those proved uniform and marked .uni"),
    SHARED_KNOBS,
};

enum { KNOBS = sizeof knobs / sizeof *knobs, DUAL_KNOBS = sizeof dual_knobs / sizeof *dual_knobs };

const struct knob_table tbc_knob_table = {"tbc", knobs, KNOBS};
const struct knob_table tbc_lcp_knob_table = {"tbc-lcp", knobs, KNOBS};
const struct knob_table tbc_dpe_knob_table = {"tbc-dpe", dual_knobs, DUAL_KNOBS};

/* ---- counters ---- */

#define COUNTER(title, field, measure, text)                                                            \
    {                                                                                                   \
        .name = title, .offset = offsetof(struct tbc_counters, field), .unit = measure, .meaning = text \
    }
#define ARRIVALS                                                                                                  \
    COUNTER("synchronised", synchronised, "warps", "Warps that waited for others of their block at a branch."),   \
        COUNTER("skipped", skipped, "warps", "Warps that passed a branch without waiting, since it is uniform."), \
        BLOCK_BRANCH_COUNTERS(struct tbc_counters)
#define COMPACTIONS                                                                                                \
    COUNTER("useful", compactor.masks.useful, "compactions",                                                       \
            "Compactions that made fewer warps than the threads have static ones."),                               \
        COUNTER("useless", compactor.masks.useless, "compactions",                                                 \
                "Compactions that made as many warps as the threads have static ones."),                           \
        COUNTER("warps_before", compactor.masks.warps_before, "warps",                                             \
                "Static warps with threads in a compacted mask."),                                                 \
        COUNTER("warps_after", compactor.masks.warps_after, "warps", "Warps made of the compacted masks."),        \
        COUNTER("sync_wait", sync_wait, "warp cycles",                                                             \
                "Cycles from the arrival of each warp to that of the last warp for which it waits."),              \
        COUNTER("compactor_wait", compactor.wait, "cycles",                                                        \
                "Cycles for which threads wait while the compactor works for others."),                            \
        COUNTER("partial_barriers", partial_barriers, "warps",                                                     \
                "Warps that came to a barrier or warp-level operation while others of the block were elsewhere."), \
        BLOCK_STACK_COUNTERS(struct tbc_counters), STACK_TIME_COUNTERS(struct tbc_counters, time),                 \
        STACK_TRAFFIC_COUNTERS(struct tbc_counters, time)
#define LIKELY(field, measure, text) BLOCK_COUNTER(struct tbc_counters, field, measure, text)

static const struct stat_counter counters[] = {
    ARRIVALS,
    COMPACTIONS,
    LIKELY(lcp_pushed, "entries", "Entries made for likely-convergence points."),
    LIKELY(lcp_merged, "paths", "Warps and entries that reached their likely-convergence point."),
    LIKELY(lcp_unused, "entries", "Entries for likely-convergence points that no thread reached."),
};

static const struct stat_counter dual_counters[] = {
    ARRIVALS,
    COUNTER("paired", paired, "paths", "Paths that were compacted while the other path of their entry had warps."),
    COUNTER("set_aside", set_aside, "warps", "Warps parked because the other side of their branch diverged."),
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
