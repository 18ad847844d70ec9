/* The page of a command: what --report of several commands has in common. */
#ifndef HEDDLE_CLI_PAGE_OPTION_H
#define HEDDLE_CLI_PAGE_OPTION_H

#include "page/page.h"

/* An empty page that says which command line made it. argv[0] is the command's name. */
struct page *page_option_create(const char *title, int argc, char **argv);
/* Writes the page into the file, and destroys the page. Returns an exit status, having said what is wrong. */
int page_option_write(struct page *p, const char *path);
/* Likewise of one run, from its file of --report-data. `texts` needs no machine, mechanism and command. */
int page_option_write_run(const struct page_run *texts, const char *data, const char *path, int argc, char **argv);
/* Whether the file is to be a page, by its name. */
bool page_option_is_page(const char *path);
/* The values of --set and --size among words; the first is owned by the caller, the second is NULL if there is none. */
char *page_option_settings(char *const *words, int count);
const char *page_option_size(char *const *words, int count);

#endif
