/* heddle list workloads, papers: what heddle can run by name. */
#include "cli/cli.h"
#include "cli/list.h"

#include "base/text.h"
#include "study/paper.h"
#include "study/workload.h"

#include <stdlib.h>

int list_workloads(const struct list_request *r)
{
    for (const struct workload *w = workload_table; w->name; w++) {
        struct text words = {0};
        text_printf(&words, "%s", w->title);
        if (w->label)
            text_printf(&words, " [%s in papers]", w->label);
        if (r->format == LIST_NAMES)
            puts(w->name);
        else if (r->format == LIST_JSON)
            list_object(
                (const char *const[]){"name", w->name, "title", w->title, w->label ? "label" : NULL, w->label, NULL});
        else
            list_entry(w->name, 10, words.data);
        text_free(&words);
    }
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
