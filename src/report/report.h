/*
 * The report of a launch on a machine: what a user sees of it, as text, JSON members or CSV.
 *
 * Figures come in groups. Tables by branch and by line (site_table.h) exist without a machine, too.
 */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include "flow/program.h"
#include "gpu/gpu.h"
#include "report/energy.h"
#include "report/formulas.h"
#include "report/interval.h"
#include "report/site_table.h"
#include "sample/estimate.h"

enum report_group {
    REPORT_SUMMARY = 1,                           /* one screen */
    REPORT_CYCLES = 2,                            /* where the cycles went */
    REPORT_MEMORY = 4,                            /* caches, crossbar, DRAM */
    REPORT_BRANCHES = 8,                          /* lanes lost, by branch */
    REPORT_LINES = 16,                            /* by source line */
    REPORT_MECHANISM = 32,                        /* counters of the divergence mechanism */
    REPORT_COUNTERS = 64,                         /* every counter, and figures derived from them */
    REPORT_NAMES = 128,                           /* under the names that other tools use */
    REPORT_INTERVALS = 256,                       /* the series of --interval */
    REPORT_SITES = REPORT_BRANCHES | REPORT_LINES /* what is known without a machine, too */
};

/* "cycles,memory", "all" or "none" -> groups. False and an error text (freed by the caller). */
bool report_parse_groups(const char *words, unsigned *groups, char **error);
void report_describe_groups(struct text *out); /* one line per group, for help texts */

struct report {
    const struct gpu_run *run;       /* the machine and the mechanism; not owned */
    const struct launch *launch;     /* not owned */
    struct program plain;            /* the program with reconvergence at post-dominators alone */
    const struct program *program;   /* `plain` under sm.reconvergence=post-dominators, else the launch's program */
    const struct gpu_result *result; /* counters of the launch; not owned */
    const struct sample_estimate *estimate;     /* NULL: the launch was not sampled; not owned, set by the caller */
    const struct interval_series *intervals;    /* NULL: none were kept; not owned */
    struct gpu_peak peak;                       /* the most that the machine could have done in the launch's cycles */
    struct energy energy;                       /* by part of the machine */
    struct stat_value parts[GPU_MAX_PARTS + 2]; /* the result's owners, the peak and the energy */
    struct stat_result statistics;              /* `parts`, for formulas and printers */
    struct site_table sites;                    /* by branch and by line; empty if nothing was counted by PC */
    bool lists_lines; /* JSON has the lines; set by the caller. They are most of a result, and seldom looked at */
};

/* Derives the figures of a launch that has ended; keeps pointers to all arguments until report_close(). */
void report_open(struct report *r, const struct gpu_run *run, const struct launch *launch,
                 const struct program *program, const struct gpu_result *result,
                 const struct interval_series *intervals, struct sources *sources);
void report_close(struct report *r);

/* Text of at most 100 columns. `is_utf8`: the terminal can show block characters. */
void report_text(const struct report *r, unsigned groups, bool is_utf8, struct text *out);
/* All figures, as members of a JSON object without the outer braces. */
void report_json(const struct report *r, struct text *out);
/* "saxpy: grid 4 x 1 x 1, block 128 x 1 x 1", without an end of line. */
void report_launch_text(const struct launch *launch, struct text *out);
/* The tables by branch and by line that the groups ask for, as text. */
void report_sites_text(const struct site_table *sites, unsigned groups, struct text *out);
/* Tables of comma-separated values, one per file: counters, branches, lines and intervals, as far as the groups ask for
 * them. They are numbered from 0; the name of a table is NULL behind the last. */
const char *report_csv_name(unsigned groups, int index);
/* One table of the launch, with its heading line if asked. Each record names the launch. Without a machine (`r` is
 * NULL) only tables by branch and by line have records. */
void report_csv(const struct launch *launch, const struct report *r, const struct site_table *sites, unsigned groups,
                int index, bool has_heading, struct text *out);

/* Checks the invariants of the counters of a launch that ended well. False, and one line per violation in `why`. */
bool report_check(const struct gpu_result *result, const struct machine *machine, struct text *why);

#endif
