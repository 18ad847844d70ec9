/*
 * Traces: what happened when, for pictures and timelines.
 *
 * The simulator holds a `struct trace *`, which is NULL when tracing is off; then each call costs one test of a
 * pointer. Events outside the options' window or multiprocessor are dropped at once; events beyond `capacity` are only
 * counted. Writers sort events by cycle; events of one cycle keep their order. This folder knows no programs: names of
 * PCs come from the caller.
 */
#ifndef HEDDLE_TRACE_TRACE_H
#define HEDDLE_TRACE_TRACE_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct trace;

struct trace_options {
    int sm;                           /* multiprocessor to trace; -1: all */
    uint64_t first_cycle, last_cycle; /* window, both included */
    int capacity;                     /* most events to keep; 0: a million */
    size_t state_bytes;               /* length of all states together from which on no event is kept; 0: no limit */
};

/* One issue of a strand. */
struct trace_issue {
    uint64_t cycle;
    int32_t sm, port;
    int32_t strand; /* id */
    int32_t pc;
    uint64_t slots;   /* mask of the slots that hold a thread */
    uint32_t threads; /* number of active threads */
    uint32_t cycles;  /* for which the issue holds the lanes */
};

struct trace *trace_create(const struct trace_options *options);
void trace_destroy(struct trace *t);
/* Makes `cycle` of the caller cycle 0 of the window and of what is printed. `t` may be NULL. */
void trace_set_origin(struct trace *t, uint64_t cycle);

/* For the inline functions below, which test `t` for NULL. */
void trace_add_issue(struct trace *t, const struct trace_issue *issue);
_Bool trace_add_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state);
void trace_add_block(struct trace *t, uint64_t cycle, int sm, uint64_t block, _Bool is_end);
void trace_add_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason);

void trace_add_misses(struct trace *t, uint64_t cycle, int sm, uint32_t count);

static inline void trace_issue(struct trace *t, const struct trace_issue *issue)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_issue(t, issue);
}

/* Notes a state, such as a stack or a strand table in words, as it is at the cycle; the text is copied. `strand` -1:
 * the state of the whole multiprocessor. Such a text consists of paragraphs, whose lines but the first start with a
 * blank. Only paragraphs that the multiprocessor's last state did not have are kept, so a state may be noted whenever
 * it may have changed. Returns whether there is anything to keep. Making the text costs time: ask trace_wants()
 * first. */
static inline _Bool trace_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state)
{
    return __builtin_expect(t != NULL, 0) && trace_add_state(t, cycle, sm, strand, state);
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

/* Appends the paragraphs of a multiprocessor's state that its last state did not have; `last` NULL: all of them. */
void trace_find_changes(const char *last, const char *state, struct text *changes);

/* Notes that nothing issued in the cycles from `first` up to, not including, `end`. Adjacent spans with one reason
 * become one. `reason` must outlive the trace. */
static inline void trace_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_stall(t, first, end, sm, reason);
}

/* Notes how many lines the multiprocessor's caches wait for from this cycle on. A number equal to the last is
 * dropped. */
static inline void trace_misses(struct trace *t, uint64_t cycle, int sm, uint32_t count)
{
    if (__builtin_expect(t != NULL, 0))
        trace_add_misses(t, cycle, sm, count);
}

/* Whether events of this cycle and multiprocessor are kept; false if `t` is NULL. */
_Bool trace_wants(const struct trace *t, uint64_t cycle, int sm);

/* What the caller knows of PCs. Each function may be NULL. */
struct trace_names {
    void *context;
    /* Name of the PC's basic block; pictures show its first letter. NULL: each PC counts as a block of its own. */
    const char *(*block)(void *context, int32_t pc);
    void (*describe)(void *context, int32_t pc,
                     struct text *out);                         /* the basic block that starts at the PC, for legends */
    void (*print)(void *context, int32_t pc, struct text *out); /* the instruction at the PC */
    void (*where)(void *context, int32_t pc, struct text *out); /* the PC's line: "kernel.cu:12" */
};

struct trace_view {
    int sm;
    uint64_t first_cycle, last_cycle;
    int width;           /* lanes per issue port: rows of the picture */
    int columns;         /* width of the lines of the picture as text, with their labels; 0: 100 */
    _Bool is_coloured;   /* picture as text: basic blocks have the colours of a terminal */
    _Bool is_compressed; /* leave out cycles in which no lane is held, and print `:` for them */
    _Bool is_merged;     /* list: no stalls, and one line for a strand that passes through a block without change */
    struct trace_names names;
};

/* Lanes over time: one column per cycle and one row per lane, or per group of neighbouring lanes that show the same. A
 * letter stands for the basic block that a thread executes, `.` for a lane that is held by an issue without a thread
 * there, a blank for an idle lane. Cycles beyond the width follow below. A legend ends the picture. */
void trace_print_lanes(const struct trace *t, const struct trace_view *view, struct text *out);
/* A list with one line per event, or fewer if the view merges them; the text of a state follows on lines of its own. */
void trace_print_list(const struct trace *t, const struct trace_view *view, struct text *out);
/* Chrome's trace format, which Perfetto reads: one cycle is one microsecond, a process is a multiprocessor, a thread is
 * a strand. Prints all events; `width`: lanes of a warp. */
void trace_print_json(const struct trace *t, const struct trace_names *names, int width, struct text *out);

#endif
