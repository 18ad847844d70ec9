/*
 * The time that a reconvergence stack takes, and a stack of limited capacity.
 *
 * Each entry that is pushed or popped takes `stack_cycles`. A stack that has room for `stack_entries` keeps its
 * uppermost entries; those below are in memory, as Fung and Aamodt suggest for deep stacks (HPCA 2011, section 7).
 * Moving an entry into or out of memory takes `spill_cycles`. An entry is moved out when another is pushed onto a full
 * stack, and moved in when it comes to run and is not there. The threads wait meanwhile; what they compute stays as it
 * is. These moves go past caches and memory; div/parts/stack_traffic.h has moves with their traffic.
 */
#ifndef HEDDLE_DIV_PARTS_STACK_TIME_H
#define HEDDLE_DIV_PARTS_STACK_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct stack_time_knobs {
    uint32_t entries, cycles, spill_cycles;
    bool spill_traffic; /* only mechanisms with STACK_TRAFFIC_KNOB */
};

struct stack_time_counters {
    uint64_t spills, stack_cycles;
    uint64_t spill_lines, spill_wait; /* only with spill_traffic */
};

/* Of one stack; zero at first. */
struct stack_usage {
    uint64_t operations; /* entries pushed and popped that have taken no time yet */
    int32_t in_memory;   /* entries that are in memory */
    int32_t moving;      /* with spill_traffic: moves that are not done; those of an earlier block count, too */
    uint64_t since;      /* cycle in which the first of them was asked for */
};

/* A stack that no thread has used yet; moves of its place may still be under way. */
static inline void stack_usage_start(struct stack_usage *u)
{
    *u = (struct stack_usage){.moving = u->moving, .since = u->since};
}

/* Entries that move, now that the stack has `depth` of them: out of the hardware, or back if negative. */
static inline int stack_moves(const struct stack_time_knobs *k, struct stack_usage *u, int depth)
{
    int moved = 0, room = (int)k->entries;
    if (room && depth - u->in_memory > room)
        moved = depth - u->in_memory - room; /* out of the stack */
    else if (depth && u->in_memory >= depth)
        moved = depth - 1 - u->in_memory; /* back, until the uppermost is there */
    u->in_memory += moved;
    return moved;
}

/* Cycles that the stack's operations take, which has `depth` entries now. The operations have taken their time then. */
static inline uint64_t stack_time(const struct stack_time_knobs *k, struct stack_time_counters *c,
                                  struct stack_usage *u, int depth)
{
    uint64_t cycles = u->operations * k->cycles;
    int moved = stack_moves(k, u, depth);
    u->operations = 0;
    moved = moved < 0 ? -moved : moved;
    cycles += (uint64_t)moved * k->spill_cycles;
    c->spills += (uint64_t)moved;
    c->stack_cycles += cycles;
    return cycles;
}

/* Rows of a table of knobs over `type`; `part` is the member of `type` that holds the knobs. */
#define STACK_TIME_KNOBS(type, part)                                                                            \
    {.name = "stack_entries",                                                                                   \
     .unit = "entries",                                                                                         \
     .offset = offsetof(type, part.entries),                                                                    \
     .meaning = "Entries of a reconvergence stack that the hardware holds; those below are in memory. 0: all.", \
     .kind = KNOB_COUNT,                                                                                        \
     .high = 1024},                                                                                             \
        {.name = "stack_cycles",                                                                                \
         .unit = "cycles",                                                                                      \
         .offset = offsetof(type, part.cycles),                                                                 \
         .meaning = "Cycles that pushing or popping an entry of a reconvergence stack takes.",                  \
         .kind = KNOB_COUNT,                                                                                    \
         .high = 1000},                                                                                         \
    {                                                                                                           \
        .name = "spill_cycles", .unit = "cycles", .offset = offsetof(type, part.spill_cycles),                  \
        .meaning = "Cycles that moving a stack entry into or out of memory takes, if the stack is full.",       \
        .kind = KNOB_COUNT, .fallback = 32, .high = 10000                                                       \
    }

/* Rows of a statistics table over `type`; `part` is the member of `type` that holds the counters. */
#define STACK_TIME_COUNTERS(type, part)                                                                  \
    {.name = "spills",                                                                                   \
     .offset = offsetof(type, part.spills),                                                              \
     .unit = "entries",                                                                                  \
     .meaning = "Stack entries moved into or out of memory."},                                           \
    {                                                                                                    \
        .name = "stack_cycles", .offset = offsetof(type, part.stack_cycles), .unit = "cycles",           \
        .meaning = "Cycles that pushes, pops and moves of stack entries took, summed over their stacks." \
    }

#endif
