/*
 * What divergence mechanisms cost in hardware on a machine, as numbers: `heddle list area` prints them, and claims of
 * papers on storage are judged by them. The formulas stand beside the mechanisms (div/contract/cost.h).
 *
 * A figure of the costs has a name, MECHANISM.FIGURE, so that a claim can say which one it means:
 *     dpe.bits               all storage of dpe, in bits per multiprocessor
 *     dpe.added              that storage less pdom's, in bits
 *     dpe.dual-path-entry    one term of `heddle list area --mech dpe`: bits of storage, units of logic, or a figure of
 *                            the paper; commas of the term's name are left out, and blanks are hyphens
 *     vws.sm_percent.4       of Table 2 of the paper on variable warp sizing, the row, and the lanes of a slice
 *     dpe.bits/pdom.bits     one figure divided by another
 * The machine is that of `heddle list area` without --gpu, and knobs have their defaults.
 */
#ifndef HEDDLE_STUDY_AREA_H
#define HEDDLE_STUDY_AREA_H

#include "base/text.h"
#include "div/cost.h"
#include "gpu/machine.h"

#include <stddef.h>

struct area_request {
    const char *gpu;             /* a machine's name or path; NULL: fermi, or that of its paper for ws and vws */
    const char *mech;            /* the one mechanism that is asked for; NULL: all are */
    const char *const *settings; /* "knob=value", of the machine or of a mechanism */
    int setting_count;
};

struct area_design {
    struct machine *machine;
    struct cost_machine facts;
    void **knobs; /* by mechanism of div_all(): values of its knobs; NULL: it has none */
};

/* False and an error text. The design is to be closed in either case. */
bool area_open(struct area_design *d, const struct area_request *r, char **error);
void area_close(struct area_design *d);

/* The cost of a mechanism of div_all(). A mechanism that does not say what it costs has a reason in `cost.none`. */
void area_sum(const struct area_design *d, const struct div_ops *mechanism, struct cost_sum *sum);

/* ---- Table 2 of the paper on variable warp sizing, by the lanes of a slice ---- */

enum { AREA_WIDTHS = 5 };
extern const uint32_t area_widths[AREA_WIDTHS];

struct area_row {
    const char *name;
    size_t offset; /* in struct vws_area */
};
extern const struct area_row area_rows[]; /* the last one has no name */

/* Whether a warp of the design has slices of this width, an index into area_widths. */
bool area_has_width(const struct area_design *d, int width);
double area_by_width(const struct area_design *d, const struct area_row *row, int width);

/* ---- figures by name ---- */

/* The figure of this name; NAN if there is none, and `why` says what there is. */
double area_figure(const char *name, struct text *why);

#endif
