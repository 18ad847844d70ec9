/* What heddle paper prints: claims beside what was measured, once or once per variant of a sweep. */
#ifndef HEDDLE_CLI_PAPER_PRINT_H
#define HEDDLE_CLI_PAPER_PRINT_H

#include "study/experiment.h"

enum paper_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_LATEX };

struct paper_request {
    const char *paper;   /* name, or path of an .ini */
    const char *size;    /* of the programs */
    const char *ptx;     /* whose code their kernels are: nvcc or plain; NULL: as the paper says */
    const char *claims;  /* ids, separated by commas; NULL: all */
    const char *sweep;   /* name of a sweep; NULL: the paper's runs as they are */
    const char *store;   /* --store; NULL: that of the environment */
    int jobs;            /* runs at a time; 0: one per core */
    const char *figures; /* numbers of figures, separated by commas; NULL: verdicts are asked for */
    const char *page;    /* --report: the file for a page; NULL: none */
    const char *svg;     /* the file for a picture of the figures; NULL: none */
    bool lists_sweeps, lists_figures;
    bool wants_details;
    enum paper_format format;
    int argc; /* the command line, for the page */
    char **argv;
};

/* Prints each claim with its verdict, and how many hold. */
void paper_print_verdicts(const struct paper_request *r, const struct experiment *e);
/* Prints each claim with its measured value and verdict in every variant, and which claims change their verdict. */
void paper_print_sweep(const struct paper_request *r, const struct experiment *e);
/* Prints one record of JSON or CSV; `variant` is NULL without a sweep. */
void paper_print_record(enum paper_format format, const struct claim *c, const struct judgement *j,
                        const struct paper_sweep *sweep, const struct paper_variant *variant);
/* Appends one record of JSON, without the end of the line. */
void paper_record_json(const struct claim *c, const struct judgement *j, const struct paper_sweep *sweep,
                       const struct paper_variant *variant, struct text *out);
/* Whose code the programs are: nvcc or plain. */
const char *paper_ptx(const struct paper_request *r, const struct paper *p);
/* Prints the heading of a CSV table. */
void paper_print_fields(bool is_sweep);
/* Prints what sweeps a paper has, and the options of their variants. */
void paper_print_sweeps(const struct paper *p);

#endif
