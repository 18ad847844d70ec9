/*
 * Tracing of a launch: what the --trace options ask for, and the files that are written after the launch.
 *
 * There are three views as text: `lanes` is a picture of lanes by time, `stack` the walk through basic blocks with the
 * mechanism's state wherever the state changed, `list` one line per event. A timeline for Perfetto and pictures in
 * SVG and for LaTeX can be written beside the views or alone.
 */
#ifndef HEDDLE_RUN_TRACING_H
#define HEDDLE_RUN_TRACING_H

#include "gpu/gpu.h"
#include "trace/trace.h"

enum {
    TRACING_CYCLES = 2000,          /* the text views show these first cycles unless a window is given */
    TRACING_PAGE_CYCLES = 5000,     /* likewise the lanes of a page (--report) */
    TRACING_PAGE_EVENTS = 3000000,  /* most events of a page, of which a million issues are a part */
    TRACING_PAGE_STATES = 256 << 20 /* most bytes of states of a page: under dwf a state is as long as the pool, and
                                       changes with every issue */
};

struct tracing {
    bool lanes, stack, list;          /* the views as text that are asked for */
    bool has_window;                  /* --trace-window was given */
    uint64_t first_cycle, last_cycle; /* the window, both included */
    int sm;                           /* the multiprocessor that text views show; -1: none was chosen, which means 0 */
    const char *text_path;            /* NULL: stdout */
    const char *perfetto_path;        /* NULL: no timeline */
    const char *svg_path;             /* picture of lanes by time; NULL: none */
    const char *tikz_path;            /* the same for LaTeX; NULL: none */
    bool for_page;                    /* a page shows the trace (run/detail.h) */
};

/* Read "lanes,stack", and "100:200" or a single cycle. False and an error text (freed by the caller). */
bool tracing_read_views(struct tracing *t, const char *words, char **error);
bool tracing_read_window(struct tracing *t, const char *word, char **error);
/* The number of one of the machine's `sm_count` multiprocessors. */
bool tracing_read_sm(struct tracing *t, const char *word, uint32_t sm_count, char **error);

/* Makes the trace that the launch fills; tracing_end() writes the views that were asked for, and destroys the trace.
 * The first launch of a process (by its grid id) writes the files anew; later ones add to the text, and get timelines
 * and pictures of their own: FILE.2, ... False, having said why on stderr, if something could not be written. */
/* NULL: nobody needs a trace of this launch; a page shows that of the `is_first` launch of a program. */
struct trace *tracing_begin(const struct tracing *t, bool is_first);
bool tracing_end(const struct tracing *t, struct trace *trace, const struct gpu_run *run, const struct launch *launch,
                 const struct code *code, uint64_t cycles);

#endif
