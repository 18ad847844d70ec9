/*
 * Pages: results as one HTML file that opens from disk, needs no network and shows itself (docs/report.md).
 *
 * A page is the bundle of web/ (web/dist/report.js and report.css, which are part of the binary) and one JSON object,
 * which web/src/page.js reads:
 *
 *     {"format":1,"version":,"title":,"command":,
 *      "runs":{"count":,"texts":{COLUMN:{"values":[],"at":PACKED}},"figures":{PATH:PACKED}},
 *      "claims":[],                            what papers published and what was measured, as heddle paper --json
 *      "published":[],                         speedups of papers for programs of the page: published.c
 *      "details":[],                           by run and kernel: counters by PC, and the trace (run/detail.h)
 *      "programs":{HASH:{"program":,"places":,"ptx":}},
 *      "sources":{PATH:PACKED}}                texts of the files that line tables name, as far as they are found
 *
 * Names stand once and numbers are columns, packed as base/pack.h says, so that 2,000 runs with every counter take a
 * few megabytes.
 */
#ifndef HEDDLE_PAGE_PAGE_H
#define HEDDLE_PAGE_PAGE_H

#include "base/text.h"
#include "store/result.h"

struct page;
struct paper;
struct store;
struct trial;

/* Texts of a run; NULL: there is none. */
struct page_run {
    const char *name; /* of the program */
    const char *gpu, *mechanism, *size, *settings, *scheduler;
    const char *failure; /* NULL: the run came to its end with the right result */
    const char *command; /* that gives the run's figures */
};

/* `title` says what the page is about, `command` made it. */
struct page *page_create(const char *title, const char *command);
void page_destroy(struct page *p); /* may be NULL */

/* Adds a run with its figures; only `values` of the result is looked at. Returns the number of the run. */
int page_add_run(struct page *p, const struct page_run *texts, const struct result *result);
/* Adds a run of a study: what the trial measured. `texts` needs no command and no failure. */
int page_add_trial(struct page *p, const struct page_run *texts, const struct trial *trial);
/* Adds all runs of a store. False and an error text. */
bool page_add_store(struct page *p, struct store *s, char **error);
/* Adds the details of a run from a file of --report-data. Launches of one kernel are added up. False and an error
 * text. */
bool page_add_details(struct page *p, int run, const char *path, char **error);
/* Adds a file of --report-data as a run of its own, with figures and details. False and an error text. */
bool page_add_data(struct page *p, const struct page_run *texts, const char *path, char **error);
/* Adds a claim of a paper, one JSON object. */
void page_add_claim(struct page *p, const char *json);

/* How the runs of a page call programs and mechanisms: as heddle run does, or, on the page of a paper, as the paper's
 * file calls its programs and runs. */
enum page_names { PAGE_NAMES_OF_WORKLOADS, PAGE_NAMES_OF_PAPER };
/* Adds the speedups that a paper publishes of programs that the page has runs of; all runs were added before. False and
 * an error text. */
bool page_add_published(struct page *p, const struct paper *paper, enum page_names names, char **error);
/* Adds those of all built-in papers. */
bool page_add_all_published(struct page *p, char **error);

/* Prints the whole page. */
void page_print(const struct page *p, struct text *out);

/* Appends words as a command line for a shell. */
void page_print_words(char *const *words, int count, struct text *out);

#endif
