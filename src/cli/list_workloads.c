/* heddle list workloads, papers: what heddle can run by name. */
#include "cli/cli.h"
#include "cli/list.h"

#include "base/text.h"
#include "study/paper.h"
#include "study/workload.h"

#include <stdlib.h>

/* What papers call the program, the set that each paper puts it in, and where it is from, in brackets. */
static void append_papers(const struct workload *w, struct text *words)
{
    const char *const papers[][2] = {
        {"TBC ", w->tbc}, {"DPE ", w->dpe}, {"TSTBC ", w->tstbc}, {"SR ", w->sr}, {"VWS ", w->vws}};
    struct text about = {0};
    text_printf(&about, "%s", w->label ? w->label : "");
    const char *between = w->label ? ": " : "";
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (papers[i][1]) {
            text_printf(&about, "%s%s%s", between, papers[i][0], papers[i][1]);
            between = ", ";
        }
    if (w->suite)
        text_printf(&about, "%s%s", *about.data ? "; " : "", w->suite);
    if (*about.data)
        text_printf(words, " [%s]", about.data);
    text_free(&about);
}

int list_workloads(const struct list_request *r)
{
    for (const struct workload *w = workload_table; w->name; w++) {
        struct text words = {0};
        text_printf(&words, "%s", w->title);
        append_papers(w, &words);
        if (r->format == LIST_NAMES)
            puts(w->name);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", w->name, "title", w->title, "label", w->label, "suite", w->suite,
                                              "tbc", w->tbc, "dpe", w->dpe, "tstbc", w->tstbc, "sr", w->sr, "vws",
                                              w->vws, NULL});
        else
            list_entry(w->name, 13, words.data);
        text_free(&words);
    }
    if (r->format == LIST_TEXT)
        list_entry("app-0", 13, "and so on up to app-149: 150 generated kernels [VWS: a stand-in for its survey]");
    return STATUS_OK;
}

int list_papers(const struct list_request *r)
{
    struct paper_text text;
    for (int i = 0; paper_built_in(i, &text); i++) {
        char *error = NULL;
        struct paper *p = paper_read(&text, &error);
        int status = p ? STATUS_OK : cli_fail("%s", error);
        if (p && r->format == LIST_NAMES)
            puts(text.name);
        else if (p && r->format == LIST_JSON)
            list_object((const char *const[]){"name", text.name, "title", p->title, "gpu", p->gpu, NULL});
        else if (p)
            list_entry(text.name, 8, p->title);
        free(error);
        paper_free(p);
        if (status)
            return status;
    }
    return STATUS_OK;
}
