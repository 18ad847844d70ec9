/* What the files of a page share; nobody else includes it. */
#ifndef HEDDLE_PAGE_INTERNAL_H
#define HEDDLE_PAGE_INTERNAL_H

#include "base/json.h"
#include "base/vec.h"
#include "page/page.h"

struct page_figure; /* a column of numbers, by path: runs.c */

enum { PAGE_TEXT_NAME, PAGE_TEXTS = 8 }; /* members of struct page_run, of which the first is the name */

struct page_runs {
    int count;
    struct vec_of(char *) texts[PAGE_TEXTS]; /* owned; NULL: there is none */
    struct page_figure *figures;             /* a hash table */
};

/* Kernels of runs: what launches of one program, by its hash, did in one run. */
struct page_detail {
    int run;
    cJSON *json; /* the first launch's line, with the counters of all launches */
    int launches;
};

struct page {
    char *title, *command;
    struct page_runs runs;
    struct text claims, published; /* JSON objects with commas between */
    struct vec_of(struct page_detail) details;
    cJSON *programs; /* an object, by hash */
};

void runs_add_figure(struct page_runs *runs, int run, const char *path, double value);
int runs_add(struct page_runs *runs, const struct page_run *texts);
void runs_print(const struct page_runs *runs, struct text *out);
void runs_free(struct page_runs *runs);

void details_add(struct page *p, int run, cJSON *line); /* takes the line over */
void details_print(const struct page *p, struct text *out);
void details_free(struct page *p);

/* Appends the sources that the programs name as a JSON object, by path. */
void page_sources_print(const cJSON *programs, struct text *out);

#endif
