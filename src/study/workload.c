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

const struct workload workload_generated[] = {
#define APP(n)  {.name = "app-" #n, .title = "a generated kernel", .number = #n},
#define APPS(n) APP(n##0) APP(n##1) APP(n##2) APP(n##3) APP(n##4) APP(n##5) APP(n##6) APP(n##7) APP(n##8) APP(n##9)
    APPS() APPS(1) APPS(2) APPS(3) APPS(4) APPS(5) APPS(6) APPS(7) APPS(8) APPS(9) APPS(10) APPS(11) APPS(12) APPS(13)
        APPS(14)
#undef APPS
#undef APP
            {0},
};

static const struct workload *find_in(const struct workload *table, const char *name)
{
    for (; table->name; table++)
        if (!strcasecmp(table->name, name) || (table->label && !strcasecmp(table->label, name)))
            return table;
    return NULL;
}

const struct workload *workload_find(const char *name)
{
    const struct workload *found = find_in(workload_table, name);
    return found ? found : find_in(workload_generated, name);
}

char *workload_program(const struct workload *workload, char **error)
{
    struct text path = {0};
    const char *folder = getenv("HEDDLE_WORKLOADS"), *name = workload->number ? "apps" : workload->name;
    if (folder)
        text_printf(&path, "%s/%s", folder, name);
    char *found = folder ? text_take(&path) : installed_path("workloads", name);
    if (found && !access(found, X_OK))
        return found;
    text_printf(&path, "the program of workload %s is not built: there is no %s%s%s; make builds it", workload->name,
                found ? found : "workloads/", found ? "" : name, found ? "" : " beside heddle or in ../lib/heddle");
    *error = text_take(&path);
    free(found);
    return NULL;
}
