/* The figures of a paper on the command line: see paper_figure.h. */
#include "cli/paper_figure.h"

#include "base/terminal.h"
#include "base/vec.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_WIDTH = 5 };

/* Hours of runs may come before the picture is written, so that a wrong path must be known now. */
static int try_file(const char *path)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    fclose(file);
    return STATUS_OK;
}

void paper_drop_picture(const struct paper_request *r)
{
    struct stat s;
    if (r->svg && !stat(r->svg, &s) && S_ISREG(s.st_mode) && !s.st_size)
        unlink(r->svg);
}

static bool has_figure(const struct figures *figures, const char *name)
{
    for (int i = 0; i < figures->count; i++)
        if (figure_is_listed(name, &figures->data[i]))
            return true;
    return false;
}

/* Whether each name of the list is that of a figure. */
static int check_names(const struct paper_request *r, const struct paper *p, const struct figures *figures)
{
    int status = STATUS_OK;
    for (const char *at = r->figures; at && !status; at = strchr(at, ','), at += at != NULL) {
        struct text name = {0}, names = {0};
        text_append(&name, at, strcspn(at, ","));
        for (int i = 0; i < figures->count; i++)
            text_printf(&names, "%s %s", i ? "," : "", figures->data[i].id);
        if (!has_figure(figures, name.data))
            status = cli_misuse("paper", "%s has no figure '%s'; there is%s", p->name, name.data,
                                names.data ? names.data : " none");
        text_free(&name);
        text_free(&names);
    }
    return status;
}

int paper_check_figures(const struct paper_request *r, const struct paper *p, const struct figures *figures)
{
    if (!r->figures) {
        if (r->svg || r->format == FORMAT_LATEX)
            return cli_misuse("paper", "%s draws a figure: it needs --figure N; see --list-figures",
                              r->svg ? "--svg" : "--latex");
        return STATUS_OK;
    }
    if (r->claims || r->sweep || r->wants_details)
        return cli_misuse("paper", "--figure draws figures, without verdicts: it takes neither --claim nor --sweep nor "
                                   "--details");
    int status = check_names(r, p, figures);
    return !status && r->svg ? try_file(r->svg) : status;
}

static int write_picture(const char *path, const struct text *picture)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(picture->data, 1, picture->length, file) == picture->length;
    int reason = errno;
    if (file && fclose(file) && ok) {
        ok = false;
        reason = errno;
    }
    return ok ? STATUS_OK : cli_fail("cannot write %s: %s", path, strerror(reason));
}

int paper_print_figures(const struct paper_request *r, const struct experiment *e, const struct figures *figures)
{
    const struct paper *p = e->paper;
    struct vec_of(struct chart *) charts = {0};
    struct text note = {0}, out = {0}, picture = {0};
    int status = STATUS_OK;
    text_printf(&note, "%s; %s, size %s, %s PTX", p->title, p->gpu, r->size, paper_ptx(r, p));
    for (int i = 0; i < figures->count; i++)
        if (figure_is_listed(r->figures, &figures->data[i]))
            vec_push(&charts, figure_chart(&figures->data[i], &e->evidence[0], note.data));
    if (r->svg) {
        chart_print_svg(charts.data, charts.count, &picture);
        status = write_picture(r->svg, &picture);
    }
    if (r->format == FORMAT_CSV)
        chart_print_csv(charts.data, charts.count, &out);
    else if (r->format == FORMAT_JSON)
        chart_print_json(charts.data, charts.count, &out);
    else if (r->format == FORMAT_LATEX)
        chart_print_latex(charts.data, charts.count, &out);
    else if (!r->svg)
        chart_print_text(charts.data, charts.count, terminal_text_columns(), &out);
    fputs(out.data ? out.data : "", stdout);
    for (int i = 0; i < charts.count; i++)
        chart_free(charts.data[i]);
    vec_free(&charts);
    text_free(&picture);
    text_free(&note);
    text_free(&out);
    return status;
}

void paper_list_figures(const struct paper *p, const struct figures *figures)
{
    for (int i = 0; i < figures->count; i++) {
        struct text out = {0};
        text_printf(&out, "%-*s ", ID_WIDTH, figures->data[i].id);
        cli_wrap(&out, ID_WIDTH + 1, ID_WIDTH + 1, figures->data[i].title);
        printf("%s", out.data);
        text_free(&out);
    }
    if (!figures->count)
        printf("%s has no figures.\n", p->name);
}
