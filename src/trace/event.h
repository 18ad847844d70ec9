/* Events as they are kept, for the writers in this folder. */
#ifndef HEDDLE_TRACE_EVENT_H
#define HEDDLE_TRACE_EVENT_H

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

enum trace_kind { TRACE_ISSUE, TRACE_STATE, TRACE_BLOCK_START, TRACE_BLOCK_END, TRACE_STALL };

struct trace_event {
    enum trace_kind kind;
    int32_t sm;     /* number of the multiprocessor */
    uint64_t cycle; /* first cycle of the event, counted from the trace's origin */
    uint64_t end;   /* first cycle after the event; cycle + 1 for events that do not last */
    union {
        struct trace_issue issue; /* TRACE_ISSUE */
        struct {
            int32_t strand;   /* id; -1: the state of the whole multiprocessor */
            const char *text; /* in the trace's arena */
        } state;              /* TRACE_STATE */
        uint64_t block;       /* TRACE_BLOCK_START, TRACE_BLOCK_END: number of the thread block */
        const char *reason;   /* TRACE_STALL: the caller's, which outlives the trace */
    };
};

/* The number of lines that a multiprocessor's caches wait for, from a cycle on. */
struct trace_misses_at {
    uint64_t cycle; /* counted from the trace's origin */
    int32_t sm;
    uint32_t count;
};

struct trace {
    struct trace_options options;
    struct arena arena;                           /* texts of states */
    struct vec_of(struct trace_event) events;     /* in the order in which they were added */
    struct vec_of(struct trace_misses_at) misses; /* changes, in the order in which they were added */
    struct vec_of(uint32_t) last_misses;          /* by multiprocessor: the number noted last */
    uint64_t origin;                              /* cycle of the caller that counts as cycle 0 here */
    uint64_t dropped;                             /* events beyond the capacity, which are not kept */
    size_t state_bytes;                           /* length of all states that were kept */
    struct vec_of(char *) last_state;             /* by multiprocessor: text of the state noted last; NULL: none */
};

/* Indices of the events, sorted by cycle, and within a cycle in the order in which they were added. *count = how many.
 * The caller frees the array. */
int *trace_order(const struct trace *t, int *count);

/* The name of the PC's block. If the caller names no blocks, a letter for the PC, written to `own`. */
const char *trace_block(const struct trace_names *names, int32_t pc, char own[12]);
/* Numbers basic blocks in the order of their PCs, by PC, for the PCs below `pc_count`; the numbers do not depend on
 * what was executed, so colours by number agree between runs of one program. The caller frees the array. */
int32_t *trace_number_blocks(const struct trace_names *names, int32_t pc_count);
/* Prints a mask as 0 and 1, slot 0 first, as the papers draw masks. */
void trace_print_slots(uint64_t slots, int width, struct text *out);

#endif
