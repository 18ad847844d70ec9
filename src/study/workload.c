/* The table of workloads, and where their programs are: see workload.h. */
#include "study/workload.h"

#include "base/text.h"
#include "study/installed.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

const struct workload workload_table[] = {
    {"bfs2", "BFS2", "breadth-first search, level by level", NULL},
    {"hotsp", "HOTSP", "heat on a chip: a stencil on tiles that shrink from step to step", NULL},
    {"lps", "LPS", "Laplace's equation in three dimensions", NULL},
    {"mum", "MUM", "DNA reads matched against a suffix tree", NULL},
    {"mumpp", "MUMpp", "DNA reads matched against a suffix array", NULL},
    {"nvrt", "NVRT", "ray casting by persistent threads, which rely on warps that run in lock-step", "nvrt-sync"},
    {"nvrt-sync", NULL, "nvrt with two __syncwarp(), right under every mechanism", NULL},
    {"aes", "AES", "AES encryption by table look-up", NULL},
    {"ray", "RAY", "a ray tracer of spheres with reflections", NULL},
    {NULL, NULL, NULL, NULL},
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
