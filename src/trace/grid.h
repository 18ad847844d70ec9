/*
 * Lanes by time as cells, for the pictures (svg.c, tikz.c): what each lane of each issue port does in each cycle of the
 * view, and the rectangles of equal cells.
 */
#ifndef HEDDLE_TRACE_GRID_H
#define HEDDLE_TRACE_GRID_H

#include "base/vec.h"
#include "trace/trace.h"

#include <stdbool.h>

enum { GRID_MOST_CYCLES = 20000 }; /* cycles that a picture may have in all */

enum {
    CELL_FREE = -1,      /* no issue holds the lane */
    CELL_IDLE = -2,      /* an issue holds the lane without a thread */
    STRAND_NONE = -1,    /* no strand issues */
    STRAND_SEVERAL = -2, /* several strands issue in one cycle, on slices of the lanes */
};

/* What one lane does in one cycle. */
struct grid_cell {
    int32_t block;  /* number of the thread's basic block in the program; CELL_FREE, CELL_IDLE */
    int32_t strand; /* id of the thread's strand; STRAND_NONE where the lane has no thread */
};

/* A rectangle of equal cells in the strip of one port. */
struct grid_area {
    int32_t block;      /* as in its cells */
    int first, end;     /* its cycles, counted from the first one asked for: the first, and the first one behind it */
    int top, row_count; /* its lanes: the uppermost, and how many */
};
struct grid_areas vec_of(struct grid_area);

struct trace_grid {
    const struct trace_view *view; /* the caller's, which outlives the grid */
    uint64_t first_cycle;          /* first cycle of the picture, which has `cycle_count` */
    int cycle_count;               /* up to the last cycle in which a lane is held */
    int port_count;                /* issue ports */
    bool is_cut;                   /* the window has more cycles than a picture may have */
    struct grid_cell *cells;       /* [port][lane][cycle] */
    int32_t *strands;              /* [port][cycle]: id of the strand that issues; STRAND_NONE, STRAND_SEVERAL */
    int32_t *blocks;               /* by PC: number of the basic block in the program */
    bool *is_used;                 /* by PC: the picture has an issue of this PC */
    int32_t pc_count;              /* PCs that `blocks` and `is_used` have: up to the last one in the picture */
    uint64_t issues;               /* issues that begin in the picture */
};

void trace_grid_make(struct trace_grid *g, const struct trace *t, const struct trace_view *view);
void trace_grid_free(struct trace_grid *g);

/* The areas of a port in `count` cycles from the `from`-th of the picture, sorted by block, then cycle, then lane.
 * Cells of different strands do not join. Free cells have no area. The caller frees the list. */
void trace_grid_find_areas(const struct trace_grid *g, int port, int from, int count, struct grid_areas *areas);
/* The first letter of a basic block's name, by the block's number. */
char trace_grid_letter(const struct trace_grid *g, int32_t block);
/* The first PC, at or behind `pc`, of a basic block that the picture shows; -1: there is none. */
int32_t trace_grid_next_block(const struct trace_grid *g, int32_t pc);
/* Of the cells that issues hold, the share that has a thread; -1: no cell is held. */
double trace_grid_share(const struct trace_grid *g);

#endif
