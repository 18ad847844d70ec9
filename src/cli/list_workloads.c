/* heddle list workloads. */
#include "cli/cli.h"
#include "cli/list.h"

#include "base/text.h"
#include "study/workload.h"

int list_workloads(const struct list_request *r)
{
    for (const struct workload *w = workload_table; w->name; w++) {
        if (r->format == FORMAT_JSON) {
            list_object((const char *const[]){"name", w->name, "label", w->label, "title", w->title, NULL});
            continue;
        }
        struct text words = {0};
        text_printf(&words, "%s [%s in papers]", w->title, w->label);
        list_entry(w->name, 8, words.data);
        text_free(&words);
    }
    return STATUS_OK;
}
