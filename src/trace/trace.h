/*
 * Traces: what happened when, for pictures and timelines.
 *
 * Whoever simulates holds a `struct trace *`, NULL when off: then each call is one test of a pointer. Events
 * outside the options' window or multiprocessor are dropped at once, and beyond `capacity` counted only.
 * Writers order events by cycle; events of one cycle stay as they came. Trace knows no programs: names of PCs
 * come from the caller.
 */
#ifndef HEDDLE_TRACE_TRACE_H
#define HEDDLE_TRACE_TRACE_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct trace;

struct trace_options {
    int sm;                           /* only this multiprocessor; -1: all */
    uint64_t first_cycle, last_cycle; /* both included */
    int capacity;                     /* most events kept; 0: a million */
};

/* One strand issued. */
struct trace_issue {
    uint64_t cycle;
    int32_t sm, port;
    int32_t strand; /* id */
    int32_t pc;
    uint64_t slots;   /* those that hold a thread */
    uint32_t threads; /* how many */
    uint32_t cycles;  /* it holds the lanes */
};

struct trace *trace_create(const struct trace_options *options);
void trace_destroy(struct trace *t);
/* Cycles are counted from this one of the caller's, in the window and in what is printed. `t` may be NULL. */
void trace_set_origin(struct trace *t, uint64_t cycle);

/* Behind the NULL test of the inline functions below. */
void trace_add_issue(struct trace *t, const struct trace_issue *issue);
void trace_add_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state);
void trace_add_block(struct trace *t, uint64_t cycle, int sm, uint64_t block, _Bool is_end);
void trace_add_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason);

static inline void trace_issue(struct trace *t, const struct trace_issue *issue)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_issue(t, issue);
}

/* A stack or a strand table in words, as it is at the cycle; copied. `strand` -1: of the whole
 * multiprocessor. Such a text consists of paragraphs, of which the lines but the first start with a blank;
 * only those that the multiprocessor's last state did not have are kept, so states may be noted as often as
 * they may have changed. Making the text costs: ask trace_wants() first. */
static inline void trace_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_state(t, cycle, sm, strand, state);
}

static inline void trace_block_start(struct trace *t, uint64_t cycle, int sm, uint64_t block)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_block(t, cycle, sm, block, 0);
}

static inline void trace_block_end(struct trace *t, uint64_t cycle, int sm, uint64_t block)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_block(t, cycle, sm, block, 1);
}

/* Nothing issued from `first` to before `end`. `reason` must outlive the trace; spans that touch become one.
 */
static inline void trace_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_stall(t, first, end, sm, reason);
}

_Bool trace_wants(const struct trace *t, uint64_t cycle, int sm); /* false when off */

/* What the caller knows of PCs. Each may be NULL. */
struct trace_names {
    void *context;
    /* Name of the basic block; its first letter stands for it in pictures. NULL: each PC is a block of its
     * own. */
    const char *(*block)(void *context, int32_t pc);
    void (*describe)(void *context, int32_t pc, struct text *out); /* the block that starts there, for legends */
    void (*print)(void *context, int32_t pc, struct text *out);    /* the instruction */
};

struct trace_view {
    int sm;
    uint64_t first_cycle, last_cycle;
    int width;           /* W: rows of the picture for each issue port */
    int columns;         /* of the picture before it goes on below; 0: 80 */
    _Bool is_compressed; /* leave out cycles in which no lane is held; `:` stands for them */
    _Bool is_merged;     /* of the list: no stalls, and one line where a strand goes straight through a block */
    struct trace_names names;
};

/* Lanes by time: a column a cycle, a row a lane, the letter of the basic block where a thread executes, `.`
 * where the lane is held by an issue that has no thread there, a blank where nothing is; and a legend. */
void trace_print_lanes(const struct trace *t, const struct trace_view *view, struct text *out);
/* A line an event, or fewer if the view merges them; states below theirs. */
void trace_print_list(const struct trace *t, const struct trace_view *view, struct text *out);
/* Chrome's trace format, which Perfetto reads: a cycle is a microsecond, a process is a multiprocessor, a
 * thread a strand. All events; of the view, only the names count. */
void trace_print_json(const struct trace *t, const struct trace_names *names, struct text *out);

#endif
