/*
 * Tables of a launch by branch and by source line.
 *
 * The lanes that an issue left empty (the warp width less the active threads) are charged, PC by PC, to the innermost
 * divergent branch whose region holds the PC (flow/region.h); divided by the warp width they are issues lost. Lanes
 * that no branch is charged with were empty for another reason: a partial last warp, or threads that have exited.
 *
 * A compiler that unrolls a loop or inlines a function makes several copies of a branch. In text and CSV the copies
 * that stand at one place of the source are one row; in JSON, which other commands read, each branch is by itself.
 */
#ifndef HEDDLE_REPORT_SITE_TABLE_H
#define HEDDLE_REPORT_SITE_TABLE_H

#include "exec/site.h"
#include "flow/program.h"

struct sources;

/* What one branch did, and what the branch is charged with. */
struct site_branch {
    int32_t branch;      /* index into the program's branches; of copies, the one charged with most */
    int copies;          /* branches that the row stands for */
    struct site site;    /* counters of the branch instruction itself */
    uint64_t lost_lanes; /* empty lanes in the branch's region that the branch is charged with */
};

/* What the instructions of one source line did, added up. */
struct site_line {
    int32_t pc; /* the first PC of the line */
    uint64_t issues, threads, transactions, lost_lanes;
};

/* What the tables are made of. */
struct site_input {
    const struct program *program;
    const struct site *sites; /* [PC]; NULL: nothing was counted */
    uint32_t width;           /* threads of a warp */
    bool is_ideal;            /* the mechanism packs any threads: no lane counts as lost */
    bool is_timed;            /* a machine counted: there are transactions */
    struct sources *sources;  /* texts of source lines (report/source.h); NULL: they are not shown */
};

struct site_table {
    struct site_input in;
    uint64_t issues;              /* of all PCs */
    uint64_t lost_lanes;          /* empty lanes of all issues */
    uint64_t lost_by_branch;      /* those of them that a branch is charged with */
    struct site_branch *branches; /* branches that executed; most lanes lost first */
    int branch_count;
    struct site_branch *joined; /* the same with the copies of a place in one row */
    int joined_count;
    struct site_line *lines; /* lines that executed; most issues first */
    int line_count;
};

/* Keeps the pointers of the input until site_table_close(). */
void site_table_open(struct site_table *t, const struct site_input *input);
void site_table_close(struct site_table *t);

/* Text of at most 100 columns and `most` rows. */
void site_table_branches_text(const struct site_table *t, int most, struct text *out);
void site_table_lines_text(const struct site_table *t, int most, struct text *out);
void site_table_branches_json(const struct site_table *t, struct text *out); /* an array */
void site_table_lines_json(const struct site_table *t, struct text *out);
void site_table_branches_csv(const struct site_table *t, bool has_heading, struct text *out);
void site_table_lines_csv(const struct site_table *t, bool has_heading, struct text *out);

#endif
