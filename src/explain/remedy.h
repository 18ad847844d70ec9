/*
 * Remedies: what can be done about a kind of divergence in CUDA, on the GPUs of today; and which mechanism of the
 * literature would help without a change of the program.
 *
 * heddle can carry most of them out by itself, on the PTX: by passes (rewrite/table.h), or by running threads in
 * another order (run/ordering.h). So their gains are simulated, each as a variant of the run.
 */
#ifndef HEDDLE_EXPLAIN_REMEDY_H
#define HEDDLE_EXPLAIN_REMEDY_H

#include "base/text.h"
#include "explain/kind.h"

enum { REMEDY_VARIANTS = 4, REMEDY_COUNT = 5 };

struct remedy {
    const char *name;                          /* one word, for JSON: "sort" */
    const char *what;                          /* what to do: a sentence without its full stop */
    unsigned kinds;                            /* bits 1 << enum explain_kind: what it is for */
    bool is_sorting;                           /* threads are sorted by what they do at the branch */
    const char *variants[REMEDY_VARIANTS + 1]; /* values of --rewrite, ended by NULL */
    const char *pattern; /* CUDA, several lines; a line may end with %s, the text of the branch's line */
};

/* All remedies, ended by a NULL name. */
extern const struct remedy remedy_table[REMEDY_COUNT + 1];

/* Whether the remedy is for a branch of this kind and shape: loops can only be merged if there are two. */
bool remedy_fits(const struct remedy *remedy, enum explain_kind kind, const struct shape *shape);

/* Appends the pattern, each line behind `indent` spaces. `line`: the branch's line of the source, cut where it would
 * pass `columns`; NULL: not known. */
void remedy_print_pattern(const struct remedy *r, const char *line, int columns, int indent, struct text *out);

/* What happens at a branch of this kind, in a sentence or two; and the class of mechanisms that would help, and why. */
const char *kind_meaning(enum explain_kind kind);
const char *kind_mechanism(enum explain_kind kind);

#endif
