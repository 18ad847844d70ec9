/*
 * The report of a launch on a machine: what a user sees of it, as text, JSON members or CSV.
 *
 * Figures come in groups. The lanes that an issue left empty (the warp width less the active threads) are charged, PC
 * by PC, to the innermost divergent branch whose region holds the PC (flow/region.h); divided by the warp width they
 * are issues lost. Lanes that no branch is charged with were empty for another reason: a partial last warp, or threads
 * that have exited. Under a mechanism that packs any threads (DIV_IDEAL_LANES) no lane counts as lost.
 */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include "flow/program.h"
#include "gpu/gpu.h"
#include "report/energy.h"
#include "report/formulas.h"
#include "report/interval.h"

enum report_group {
    REPORT_SUMMARY = 1,    /* one screen */
    REPORT_CYCLES = 2,     /* where the cycles went */
    REPORT_MEMORY = 4,     /* caches, crossbar, DRAM */
    REPORT_BRANCHES = 8,   /* lanes lost, by branch */
    REPORT_LINES = 16,     /* by source line */
    REPORT_MECHANISM = 32, /* counters of the divergence mechanism */
    REPORT_COUNTERS = 64,  /* every counter, and figures derived from them */
    REPORT_NAMES = 128,    /* under the names that other tools use */
    REPORT_INTERVALS = 256 /* the series of --interval */
};

/* "cycles,memory", "all" or "none" -> groups. False and an error text (freed by the caller). */
bool report_parse_groups(const char *words, unsigned *groups, char **error);
void report_describe_groups(struct text *out); /* one line per group, for help texts */

/* What one branch did, and what the branch is charged with. */
struct report_branch {
    int32_t branch;      /* index into the program's branches */
    struct sm_site site; /* counters of the branch instruction itself */
    uint64_t lost_lanes; /* empty lanes in the branch's region that the branch is charged with */
};

/* What the instructions of one source line did, added up. */
struct report_line {
    int32_t pc; /* the first PC of the line */
    uint64_t issues, threads, transactions, lost_lanes;
};

struct report {
    const struct gpu_run *run;       /* the machine and the mechanism; not owned */
    const struct launch *launch;     /* not owned */
    struct program plain;            /* the program with reconvergence at post-dominators alone */
    const struct program *program;   /* `plain` under sm.reconvergence=post-dominators, else the launch's program */
    const struct gpu_result *result; /* counters of the launch; not owned */
    const struct interval_series *intervals;    /* NULL: none were kept; not owned */
    struct gpu_peak peak;                       /* the most that the machine could have done in the launch's cycles */
    struct energy energy;                       /* by part of the machine */
    struct stat_value parts[GPU_MAX_PARTS + 2]; /* the result's owners, the peak and the energy */
    struct stat_result statistics;              /* `parts`, for formulas and printers */
    uint64_t lost_lanes;                        /* empty lanes of all issues */
    uint64_t lost_by_branch;                    /* those of them that a branch is charged with */
    struct report_branch *branches;             /* branches that executed; most lanes lost first; owned */
    int branch_count;
    struct report_line *lines; /* lines that executed; most issues first; owned */
    int line_count;
    bool lists_lines; /* JSON has the lines; set by the caller. They are most of a result, and seldom looked at */
};

/* Derives the figures of a launch that has ended; keeps pointers to all arguments until report_close(). */
void report_open(struct report *r, const struct gpu_run *run, const struct launch *launch,
                 const struct program *program, const struct gpu_result *result,
                 const struct interval_series *intervals);
void report_close(struct report *r);

/* Text of at most 100 columns. `is_utf8`: the terminal can show block characters. */
void report_text(const struct report *r, unsigned groups, bool is_utf8, struct text *out);
/* All figures, as members of a JSON object without the outer braces. */
void report_json(const struct report *r, struct text *out);
/* Tables of comma-separated values, one per file: counters, branches, lines and intervals, as far as the groups ask for
 * them. They are numbered from 0; the name of a table is NULL behind the last. */
const char *report_csv_name(unsigned groups, int index);
/* One table of the launch, with its heading line if asked. Each record names the launch. */
void report_csv(const struct report *r, unsigned groups, int index, bool has_heading, struct text *out);

/* Finds branches and lines and charges empty lanes to branches; report_open() calls it. Nothing if the run kept no
 * counters by PC. */
void report_find_sites(struct report *r);
/* Branches and lines as text (at most `most` rows), JSON and CSV: sites.c. */
void report_branches_text(const struct report *r, int most, struct text *out);
void report_lines_text(const struct report *r, int most, struct text *out);
void report_branches_json(const struct report *r, struct text *out); /* an array */
void report_lines_json(const struct report *r, struct text *out);
void report_branches_csv(const struct report *r, bool has_heading, struct text *out);
void report_lines_csv(const struct report *r, bool has_heading, struct text *out);

/* Checks the invariants of the counters of a launch that ended well. False, and one line per violation in `why`. */
bool report_check(const struct gpu_result *result, const struct machine *machine, struct text *why);

#endif
