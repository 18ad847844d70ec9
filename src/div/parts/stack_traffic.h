/*
 * Stacks of limited capacity whose entries go through the memory system: the traffic and the time of spilling the
 * bottom of a reconvergence stack (Fung and Aamodt, HPCA 2011, section 7).
 *
 * With the knob `spill_traffic`, moves of div/parts/stack_time.h do not take `spill_cycles`. Each entry that leaves the
 * hardware is a store of its multiprocessor, and each entry that is needed again a load; they queue at the data cache
 * port with the accesses of strands (sm/spill.h). The threads of the stack wait until the port has taken the stores and
 * the loads have returned. Several entries that are popped unseen are read one behind the other, without waiting for
 * what each says.
 *
 * An entry has what the papers' entries have, in words of four bytes: two PCs, for a block-wide stack the count of
 * warps (HPCA 2011, section 3.2), two more fields with likely-convergence points (section 4), and one bit per thread of
 * the warp or block (section 7: no stack stores more bits than the threads that it is for). A warp of 32 threads has 96
 * bits, as the slides on dual-path execution say. Sizes are rounded up to eight bytes.
 */
#ifndef HEDDLE_DIV_PARTS_STACK_TRAFFIC_H
#define HEDDLE_DIV_PARTS_STACK_TRAFFIC_H

#include "div/contract/div.h"
#include "div/parts/stack_time.h"

/* Bytes of an entry of so many words. */
static inline int32_t stack_entry_bytes(int words)
{
    return (words + 1) / 2 * 8;
}

/* One stack of a multiprocessor: its number there, and the size of its entries. */
struct stack_place {
    struct div_host *host;
    int32_t stack, bytes;
};

/* stack_time() or, with `spill_traffic`, the time of pushes and pops alone: moves are asked for, `u->moving` says how
 * many are not done, and the threads wait until stack_spilled() says so. */
static inline uint64_t stack_time_at(const struct stack_time_knobs *k, struct stack_time_counters *c,
                                     struct stack_usage *u, int depth, struct stack_place place)
{
    if (!k->spill_traffic)
        return stack_time(k, c, u, depth);
    uint64_t cycles = u->operations * k->cycles;
    int32_t before = u->in_memory;
    u->operations = 0;
    int moved = stack_moves(k, u, depth), step = moved < 0 ? -1 : 1;
    if (moved && !u->moving)
        u->since = place.host->now;
    for (int i = 0; i != moved; i += step, u->moving++) {
        struct div_spill move = {place.stack, before + i - (moved < 0), place.bytes, moved > 0};
        place.host->calls.spill(place.host, &move);
    }
    c->spills += (uint64_t)(moved < 0 ? -moved : moved);
    c->stack_cycles += cycles;
    return cycles;
}

/* For the call `spilled` of the contract. True: all moves of the stack are done now. */
static inline bool stack_spilled(struct stack_time_counters *c, struct stack_usage *u, uint64_t now, int lines,
                                 bool is_done)
{
    c->spill_lines += (uint64_t)lines;
    if (!is_done || --u->moving)
        return false;
    c->spill_wait += now - u->since;
    return true;
}

/* A row of a table of knobs over `type`, beside STACK_TIME_KNOBS. */
#define STACK_TRAFFIC_KNOB(type, part)                                                                            \
    {                                                                                                             \
        .name = "spill_traffic", .unit = "", .offset = offsetof(type, part.spill_traffic),                        \
        .meaning = "Whether stack entries that move are stores and loads of their multiprocessor (yes), or take " \
                   "spill_cycles each, without traffic (no).",                                                    \
        .kind = KNOB_BOOL, .high = 1                                                                              \
    }

/* Rows of a statistics table over `type`, beside STACK_TIME_COUNTERS. */
#define STACK_TRAFFIC_COUNTERS(type, part)                                                                      \
    {.name = "spill_lines",                                                                                     \
     .offset = offsetof(type, part.spill_lines),                                                                \
     .unit = "lines",                                                                                           \
     .meaning = "Lines that stores and loads of stack entries touched; the memory system counts them, too."},   \
    {                                                                                                           \
        .name = "spill_wait", .offset = offsetof(type, part.spill_wait), .unit = "cycles",                      \
        .meaning = "Cycles for which threads waited for stores and loads of stack entries, summed over stacks." \
    }

#endif
