/*
 * Knobs and counters that tbc, tbc-lcp and tbc-dpe share. The rules of each mechanism are in its own file.
 */
#ifndef HEDDLE_DIV_TBC_TBC_H
#define HEDDLE_DIV_TBC_TBC_H

#include "div/parts/block_rules.h"
#include "div/parts/compactor.h"
#include "div/parts/stack_traffic.h"

/* div/tbc/words.c says what each knob and counter means. */
struct tbc_knobs {
    bool interleave; /* tbc-dpe only */
    uint32_t order, uniform;
    struct compactor_knobs compactor;
    bool drain;
    struct stack_time_knobs stack;
};

struct tbc_counters {
    struct block_counters stack;
    struct compactor_counters compactor;
    struct stack_time_counters time;
    uint64_t synchronised, skipped, sync_wait, partial_barriers;
    uint64_t paired, set_aside; /* tbc-dpe only */
};

extern const struct knob_table tbc_knob_table, tbc_lcp_knob_table, tbc_dpe_knob_table;
extern const struct stat_owner tbc_stats, tbc_lcp_stats, tbc_dpe_stats;

/* cost.c */
void tbc_cost(struct cost *c);
void tbc_cost_lcp(struct cost *c);
void tbc_cost_dpe(struct cost *c);

#endif
