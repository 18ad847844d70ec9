/*
 * The report of a launch on a machine: what a user sees of it, as text, JSON members or CSV.
 *
 * Figures come in groups. Lanes that an issue left empty (the warp width less its threads) are charged, PC by PC, to
 * the innermost branch that diverged and whose region holds the PC (flow/region.h); divided by the warp width they are
 * cycles lost, counted in issues. What no branch is charged with is the launch's own: a partial last warp, ended
 * threads. Under a mechanism that packs any threads (DIV_IDEAL_LANES) nothing is charged to anyone.
 */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include "flow/program.h"
#include "gpu/gpu.h"
#include "report/formulas.h"
#include "report/interval.h"

enum report_group {
    REPORT_SUMMARY = 1,  /* one screen */
    REPORT_CYCLES = 2,   /* where the cycles went */
    REPORT_MEMORY = 4,   /* caches, crossbar, DRAM */
    REPORT_BRANCHES = 8, /* lanes lost, by branch */
    REPORT_LINES = 16,   /* by source line */
    REPORT_MECHANISM = 32,
    REPORT_COUNTERS = 64, /* every counter, and figures derived from them */
    REPORT_NAMES = 128,   /* as other tools call them */
    REPORT_INTERVALS = 256
};

/* "cycles,memory", "all" or "none" -> groups. False and an error text (freed by the caller). */
bool report_parse_groups(const char *words, unsigned *groups, char **error);
void report_describe_groups(struct text *out); /* a line each, for help */

struct report_branch {
    int32_t branch; /* of the program */
    struct sm_site site;
    uint64_t lost_lanes;
};

struct report_line {
    int32_t pc; /* the first one of the line */
    uint64_t issues, threads, transactions, lost_lanes;
};

struct report {
    const struct gpu_run *run;
    const struct launch *launch;
    struct program plain; /* with post-dominators alone; the program if the machine is one that meets there */
    const struct program *program;
    const struct gpu_result *result;
    const struct interval_series *intervals; /* NULL: none were kept */
    struct gpu_peak peak;
    struct stat_value parts[GPU_MAX_PARTS + 1];
    struct stat_result statistics; /* all counters and the peak */
    uint64_t lost_lanes, lost_by_branch;
    struct report_branch *branches; /* those that ran; most lost first */
    int branch_count;
    struct report_line *lines; /* those that ran; most issues first */
    int line_count;
};

void report_open(struct report *r, const struct gpu_run *run, const struct launch *launch,
                 const struct program *program, const struct gpu_result *result,
                 const struct interval_series *intervals);
void report_close(struct report *r);

/* At most 100 columns wide; is_utf8: it goes to a terminal that knows block characters. */
void report_text(const struct report *r, unsigned groups, bool is_utf8, struct text *out);
/* Everything, as members without outer braces. */
void report_json(const struct report *r, struct text *out);
/* A table each for the counters, branches, lines and intervals that the groups ask for, with an empty line between. A
 * single table has its heading only if asked. Each row names the launch. */
void report_csv(const struct report *r, unsigned groups, bool has_heading, struct text *out);

/* By branch and by line: see report_sites.c. */
void report_find_sites(struct report *r);
void report_branches_text(const struct report *r, int most, struct text *out);
void report_lines_text(const struct report *r, int most, struct text *out);
void report_branches_json(const struct report *r, struct text *out); /* an array */
void report_lines_json(const struct report *r, struct text *out);
void report_branches_csv(const struct report *r, bool has_heading, struct text *out);
void report_lines_csv(const struct report *r, bool has_heading, struct text *out);

/* What must hold of the counters of any launch that ended well: false, and what does not, a line each. */
bool report_check(const struct gpu_result *result, const struct machine *machine, struct text *why);

#endif
