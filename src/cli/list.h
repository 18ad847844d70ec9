/* Between the files of `heddle list`: what was asked, and how entries are printed. */
#ifndef HEDDLE_CLI_LIST_H
#define HEDDLE_CLI_LIST_H

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
enum { LIST_MOST_SETTINGS = 32 };

struct list_request {
    enum format format;
    const char *path;                         /* of a file, or NULL */
    const char *gpu;                          /* a machine's name or path, or NULL */
    const char *settings[LIST_MOST_SETTINGS]; /* "knob=value" */
    int setting_count;
};

/* A name and words about it, wrapped to 100 columns from column `width` + 1 on. */
void list_entry(const char *name, int width, const char *words);
/* A line: one object of string members, given as name, value pairs that end with NULL. */
void list_object(const char *const *pairs);
void list_cell(const char *text); /* of a Markdown table */

/* Topics; each returns an exit status. */
int list_machines(const struct list_request *r);
int list_mechanisms(const struct list_request *r);
int list_schedulers(const struct list_request *r);
int list_knobs(const struct list_request *r);
int list_stats(const struct list_request *r);
int list_area(const struct list_request *r);
int list_workloads(const struct list_request *r);

#endif
