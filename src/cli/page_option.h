/* The page of a command: what --report of several commands has in common. */
#ifndef HEDDLE_CLI_PAGE_OPTION_H
#define HEDDLE_CLI_PAGE_OPTION_H

#include "page/page.h"
#include "run/options.h"

/* An empty page that says which command line made it. argv[0] is the command's name. */
struct page *page_option_create(const char *title, int argc, char **argv);
/* Adds what papers published of the page's programs, once all runs are added. A paper's file that cannot be read is
 * complained of; the page goes without its values. */
void page_option_add_published(struct page *p);
/* Writes the page into the file, and destroys the page. Returns an exit status, having said what is wrong. */
int page_option_write(struct page *p, const char *path);

/* The page of one run. page_option_begin() makes the run leave its details in a temporary file (--report-data) and
 * returns an exit status; page_option_end() makes the page of that file, once the run has ended, and removes the file.
 * `path` may be NULL: no page is asked for, and nothing happens. */
int page_option_begin(const char *command, const char *path, struct run_options *options);
int page_option_end(const char *path, struct run_options *options, const char *name, const char *size, int argc,
                    char **argv);

/* Whether the file is to be a page, by its name. */
bool page_option_is_page(const char *path);
/* The values of --set and --size among words; the first is owned by the caller, the second is NULL if there is none. */
char *page_option_settings(char *const *words, int count);
const char *page_option_size(char *const *words, int count);

#endif
