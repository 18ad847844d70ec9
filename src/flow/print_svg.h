/*
 * The control flow of programs as a picture in SVG, laid out by heddle itself (layered.h).
 *
 * A box is a basic block: its name, its place in the source, its first instructions and its last one. Blocks with a
 * barrier and blocks where threads reconverge are marked. Edges back are drawn bold at the right side. With the
 * counts of a run, an edge is as wide as the share of threads that took it, and blocks and edges have colours by
 * how many lanes were active. A legend explains all of that.
 */
#ifndef HEDDLE_FLOW_PRINT_SVG_H
#define HEDDLE_FLOW_PRINT_SVG_H

#include "flow/profile_points.h"
#include "flow/program.h"

/* What a run counted. */
struct flow_heat {
    struct branch_use *use; /* by branch */
    double *lanes;          /* by block: threads per issue; negative: not known */
    uint64_t threads;       /* that were launched */
};

/* A picture under construction: programs below each other. */
struct flow_picture {
    struct text body;
    int width, height;
    bool has_heat;
};

/* Adds all functions of a program. `heat` may be NULL. */
void flow_picture_add(struct flow_picture *picture, const struct program *program, const struct flow_heat *heat);
/* Appends the whole document, with its legend, and frees the picture. */
void flow_picture_end(struct flow_picture *picture, struct text *out);

#endif
