/* The page of heddle compare --report: see compare_page.h. */
#include "cli/compare_page.h"

#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/page_option.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *file_of(const char *folder, int row)
{
    struct text path = {0};
    text_printf(&path, "%s/%d", folder, row);
    return text_take(&path);
}

static bool has_option(const struct trial *t, const char *name)
{
    for (int i = 0; i < t->words.count; i++)
        if (!strncmp(t->words.data[i], name, strlen(name)))
            return true;
    return false;
}

/* Traces of all multiprocessors under all mechanisms would be most of a page, and one is enough to see how they
 * differ. */
char *compare_page_begin(struct comparison *c, char **error)
{
    char *folder = temporary_folder(error);
    for (int i = 0; folder && i < c->count; i++) {
        struct trial *t = &c->rows[i].trial;
        if (!c->rows[i].is_shown)
            continue;
        char *file = file_of(folder, i);
        trial_add_word(t, "--report-data");
        trial_add_word(t, file);
        if (!has_option(t, "--trace-sm")) {
            trial_add_word(t, "--trace-sm");
            trial_add_word(t, "0");
        }
        free(file);
    }
    return folder;
}

static void add_row(struct page *p, const struct comparison *c, int row, const char *folder)
{
    const struct comparison_row *r = &c->rows[row];
    char *settings = page_option_settings(r->trial.words.data, r->trial.words.count);
    int run = page_add_trial(p,
                             &(struct page_run){.name = r->target,
                                                .gpu = r->gpu,
                                                .mechanism = r->mechanism,
                                                .size = page_option_size(r->trial.words.data, r->trial.words.count),
                                                .settings = settings},
                             &r->trial);
    char *file = file_of(folder, r->same_as >= 0 ? r->same_as : row), *error = NULL;
    if (!access(file, R_OK) && !page_add_details(p, run, file, &error))
        cli_fail("%s", error); /* the page has the row's figures all the same */
    free(file);
    free(error);
    free(settings);
}

int compare_page_end(const struct comparison *c, char *folder, const char *path, int argc, char **argv)
{
    struct text title = {0};
    for (int i = 0; i < c->count; i++)
        if (!i || strcmp(c->rows[i].target, c->rows[i - 1].target))
            text_printf(&title, "%s%s", i ? ", " : "", c->rows[i].target);
    struct page *p = page_option_create(title.data ? title.data : "", argc, argv);
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].is_shown && c->rows[i].trial.status != TRIAL_NOT_RUN)
            add_row(p, c, i, folder);
    page_option_add_published(p);
    text_free(&title);
    temporary_remove_folder(folder);
    return page_option_write(p, path);
}
