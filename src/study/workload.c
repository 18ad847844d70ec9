/* The table of workloads, and where their programs are: see workload.h. */
#include "study/workload.h"

#include "base/text.h"
#include "study/installed.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

const struct workload workload_table[] = {
#define WORKLOAD(...) {__VA_ARGS__},
#include "study/workloads.def"
#undef WORKLOAD
    {0},
};

const struct workload *workload_find(const char *name)
{
    for (const struct workload *w = workload_table; w->name; w++)
        if (!strcasecmp(w->name, name) || (w->label && !strcasecmp(w->label, name)))
            return w;
    return NULL;
}

char *workload_program(const struct workload *workload, char **error)
{
    struct text path = {0};
    const char *folder = getenv("HEDDLE_WORKLOADS");
    if (folder)
        text_printf(&path, "%s/%s", folder, workload->name);
    char *found = folder ? text_take(&path) : installed_path("workloads", workload->name);
    if (found && !access(found, X_OK))
        return found;
    text_printf(&path, "the program of workload %s is not built: there is no %s%s%s; make builds it", workload->name,
                found ? found : "workloads/", found ? "" : workload->name,
                found ? "" : " beside heddle or in ../lib/heddle");
    *error = text_take(&path);
    free(found);
    return NULL;
}
