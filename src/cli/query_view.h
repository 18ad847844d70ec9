/* The views of heddle query: SELECT statements over a store, with filters. */
#ifndef HEDDLE_CLI_QUERY_VIEW_H
#define HEDDLE_CLI_QUERY_VIEW_H

#include "base/vec.h"
#include "store/store.h"

/* What is asked of a store. */
struct query_request {
    const char *view;                     /* "runs", ... */
    struct vec_of(const char *) paths;    /* of the view values */
    const char *program, *mech, *gpu;     /* filters: lists with commas; NULL: all */
    const char *size, *ptx;               /* likewise */
    const char *build;                    /* beginning of a build's hash, or "this"; NULL: all */
    struct vec_of(const char *) settings; /* filters: "sm.scheduler=gto" */
    const char *baseline;                 /* mechanism that speedups are over */
    const char *top;                      /* rows of the view branches, for each run */
};

struct query_about {
    const char *name, *meaning;
};

/* Ended by a NULL name. */
extern const struct query_about query_views[];

/* Writes the SELECT of the view, and its parameters (owned by the caller). False and an error text. */
struct query_parameters vec_of(char *);
bool query_view(const struct query_request *r, const struct store *s, struct text *sql,
                struct query_parameters *parameters, char **error);

#endif
