/* heddle report: a page of the runs that stores and files of --report-data hold. */
#include "cli/cli.h"

#include "base/vec.h"
#include "cli/page_option.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--out", "FILE.html", "File of the page.", "the name of the first input, with .html, in the current folder"},
    {"--title", "TEXT", "Title of the page.", "the names of the inputs"},
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Inputs",
     "A store is what heddle sweep, and compare and paper with --store, leave: all its runs with all\n"
     "their counters. A file of --report-data is what heddle run and heddle exec leave with that option:\n"
     "one run, with what each instruction did, the program, and the trace of the first launch of each\n"
     "kernel. Several inputs become one page, in which runs stand side by side.\n",
     NULL},
    {"Page",
     "One file of HTML that opens from disk, with no need of a network or a server: tables that sort and\n"
     "filter, speedups, where cycles went, efficiency by program and mechanism, sweeps; source lines,\n"
     "flow graph and lanes of runs with details. Every figure saves as SVG, PNG and CSV, and every run\n"
     "names the command that gives its numbers. docs/report.md describes the views.\n",
     NULL},
    {NULL, NULL, NULL},
};

struct report_request {
    struct vec_of(const char *) inputs;
    const char *out, *title; /* NULL: not given */
};

static int read_command_line(struct report_request *r, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *value = NULL, *word = argv[i];
        if (word[0] != '-') {
            vec_push(&r->inputs, argv[i++]);
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            return cli_misuse("report", "unknown option '%s'; did you mean %s?", word, cli_nearest(option_table, word));
        if (!value)
            return cli_misuse("report", "%s needs a value: %s %s", o->name, o->name, o->value);
        if (!strcmp(o->name, "--out"))
            r->out = value;
        else
            r->title = value;
    }
    return r->inputs.count ? STATUS_OK : cli_misuse("report", "no store and no file of --report-data was given");
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *default_out(const char *input)
{
    struct text path = {0};
    const char *name = name_of(input), *dot = strrchr(name, '.');
    text_printf(&path, "%.*s.html", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    return text_take(&path);
}

static char *default_title(const struct report_request *r)
{
    struct text title = {0};
    for (int i = 0; i < r->inputs.count; i++)
        text_printf(&title, "%s%s", i ? ", " : "", name_of(r->inputs.data[i]));
    return text_take(&title);
}

static bool is_store(const char *path)
{
    char head[15] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return n == sizeof head && !memcmp(head, "SQLite format 3", sizeof head);
}

static bool add_input(struct page *p, const char *path, char **error)
{
    if (!is_store(path))
        return page_add_data(p, &(struct page_run){.name = name_of(path)}, path, error);
    struct store *s = store_open(path, STORE_READ, error);
    bool ok = s && page_add_store(p, s, error);
    store_close(s);
    return ok;
}

static int run(int argc, char **argv)
{
    struct report_request r = {0};
    char *error = NULL;
    int status = read_command_line(&r, argc, argv);
    char *out = status ? NULL : r.out ? strdup(r.out) : default_out(r.inputs.data[0]);
    char *title = status ? NULL : r.title ? strdup(r.title) : default_title(&r);
    struct page *p = status ? NULL : page_option_create(title, argc, argv);
    for (int i = 0; !status && i < r.inputs.count; i++)
        if (!add_input(p, r.inputs.data[i], &error))
            status = cli_fail("%s", error);
    if (status) {
        page_destroy(p);
    } else {
        page_option_add_published(p);
        status = page_option_write(p, out);
        if (!status)
            printf("%s\n", out);
    }
    free(error);
    free(title);
    free(out);
    vec_free(&r.inputs);
    return status;
}

const struct command report_command = {
    .name = "report",
    .summary = "make a page of HTML from a store of results",
    .usage = "heddle report STORE.db|DATA ... [--out FILE.html] [--title TEXT]",
    .description = "Writes one page of HTML that shows the runs of stores, and of files that heddle run or heddle exec "
                   "wrote with --report-data, and prints the name of the page. The options --report of run, exec, "
                   "compare, sweep and paper make such a page at once.",
    .options = option_table,
    .sections = section_table,
    .examples = "heddle report study.db\n"
                "heddle report study.db --out page.html --title 'Schedulers on fermi'\n",
    .run = run,
};
