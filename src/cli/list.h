/* Between the files of `heddle list`: what was asked, how entries are printed, and the topics. */
#ifndef HEDDLE_CLI_LIST_H
#define HEDDLE_CLI_LIST_H

enum list_format {
    LIST_TEXT,
    LIST_JSON,     /* one object per line */
    LIST_MARKDOWN, /* a page of docs/ */
    LIST_NAMES     /* bare names, one per line, for scripts */
};
enum { LIST_MOST_SETTINGS = 32 };

struct list_request {
    enum list_format format;
    const char *path;                         /* a file, for topics about a file; NULL: none was given */
    const char *gpu;                          /* a machine's name or path; NULL: none was given */
    const char *mech;                         /* a mechanism's name; NULL: none was given */
    const char *settings[LIST_MOST_SETTINGS]; /* values of --set: "knob=value" */
    int setting_count;
};

/* Prints a name and words about it, the words wrapped to 100 columns from column `width` + 1 on. */
void list_entry(const char *name, int width, const char *words);
/* Prints a line with one JSON object of strings, given as name, value pairs that end with NULL. A pair whose
 * value is NULL is left out; the first has one. */
void list_object(const char *const *pairs);
void list_cell(const char *text); /* prints a cell of a Markdown table */

/* Topics; each returns an exit status. */
int list_workloads(const struct list_request *r);
int list_machines(const struct list_request *r);
int list_mechanisms(const struct list_request *r);
int list_schedulers(const struct list_request *r);
int list_papers(const struct list_request *r);
int list_knobs(const struct list_request *r);
int list_stats(const struct list_request *r);
int list_area(const struct list_request *r);
int list_energy(const struct list_request *r);
int list_instructions(const struct list_request *r);
int list_conformance(const struct list_request *r);
int list_sregs(const struct list_request *r);
int list_classes(const struct list_request *r);
int list_kernels(const struct list_request *r);

#endif
