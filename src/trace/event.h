/* Events as the writers of trace/ see them. */
#ifndef HEDDLE_TRACE_EVENT_H
#define HEDDLE_TRACE_EVENT_H

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

enum trace_kind { TRACE_ISSUE, TRACE_STATE, TRACE_BLOCK_START, TRACE_BLOCK_END, TRACE_STALL };

struct trace_event {
    enum trace_kind kind;
    int32_t sm;
    uint64_t cycle;
    uint64_t end; /* first cycle after it, where it lasts */
    union {
        struct trace_issue issue;
        struct {
            int32_t strand;
            const char *text; /* in the trace's arena */
        } state;
        uint64_t block;
        const char *reason;
    };
};

struct trace {
    struct trace_options options;
    struct arena arena;
    struct vec_of(struct trace_event) events;
    uint64_t origin; /* cycle of the caller that is cycle 0 here */
    uint64_t dropped;
    struct vec_of(char *) last_state; /* by multiprocessor: the last one noted, whole; NULL: none */
};

/* Indices of the events, by cycle and then as they came; `*count` of them, freed by the caller. */
int *trace_order(const struct trace *t, int *count);

/* The name of a PC's block; `own` is room for one if the view has none. */
const char *trace_block(const struct trace_names *names, int32_t pc, char own[12]);
/* Slot 0 first, as the papers draw masks. */
void trace_print_slots(uint64_t slots, int width, struct text *out);

#endif
