/*
 * Experiments: the runs that claims of a paper need, once as they are, or once per variant of a sweep.
 *
 * Runs with equal options are run once: a variant changes only some runs, and the others are shared by all variants.
 */
#ifndef HEDDLE_STUDY_EXPERIMENT_H
#define HEDDLE_STUDY_EXPERIMENT_H

#include "study/figure.h"
#include "study/verdict.h"

struct experiment {
    const struct paper *paper;       /* not owned */
    const struct paper_sweep *sweep; /* not owned; NULL: the paper's runs as they are */
    int variant_count;               /* 1 without a sweep */
    struct evidence *evidence;       /* one per variant; their trials stand behind each other in `trials` */
    struct trial *trials;            /* [variant][program][run] */
    int *same_as; /* per trial: an earlier trial with the same options; -1: none, and the trial owns its results */
    bool has_run;
};

/* Whether the claim's id is in a list with commas; NULL: all are. */
bool claim_is_listed(const char *claims, const struct claim *c);

/* What of the paper is run, and how. */
struct experiment_scope {
    const char *claims;            /* ids, with commas; NULL: all */
    const char *size;              /* of the programs: test, small or paper */
    const char *ptx;               /* whose code the kernels are: nvcc or plain; NULL: as the paper says */
    const struct figures *figures; /* if not NULL, no claim is meant, but the figures that `listed` asks for */
    const char *listed;            /* names of figures, with commas */
};

/* Plans the runs that the claims or the figures need. */
void experiment_plan(struct experiment *e, const struct paper *paper, const struct paper_sweep *sweep,
                     const struct experiment_scope *scope);
/* Runs all of it, `at_once` runs at a time; the result is that of trials_run(). */
bool experiment_run(struct experiment *e, int at_once, const struct trial_watch *watch, char **error);
void experiment_free(struct experiment *e);

/* How many runs were stopped before their end, or never began. */
int experiment_missing(const struct experiment *e);

#endif
