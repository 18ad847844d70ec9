/* Built-in workloads: see workload.h. */
#define _GNU_SOURCE
#include "study/workload.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const struct workload workload_table[] = {
    {"bfs2", "BFS2", "breadth-first search, level by level"},
    {"hotsp", "HOTSP", "heat on a chip: a stencil in tiles that shrink"},
    {"lps", "LPS", "Laplace's equation in three dimensions"},
    {"mum", "MUM", "DNA reads matched against a suffix tree"},
    {"mumpp", "MUMpp", "the same matches, from a suffix array"},
    {"nvrt", "NVRT", "ray casting by persistent threads, which rely on warps in step"},
    {"aes", "AES", "AES encryption by table look-up"},
    {"ray", "RAY", "a ray tracer of spheres with reflections"},
    {NULL, NULL, NULL},
};

const struct workload *workload_find(const char *name)
{
    for (const struct workload *w = workload_table; w->name; w++)
        if (!strcasecmp(w->name, name) || !strcasecmp(w->label, name))
            return w;
    return NULL;
}

/* The folder that heddle itself lies in, with its slash; false if that cannot be known. */
static bool append_own_folder(struct text *path)
{
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return false;
    own[length] = '\0';
    text_append(path, own, (size_t)(strrchr(own, '/') + 1 - own));
    return true;
}

char *workload_program(const struct workload *workload, char **error)
{
    struct text path = {0};
    const char *folder = getenv("HEDDLE_WORKLOADS");
    if (folder)
        text_printf(&path, "%s/%s", folder, workload->name);
    else if (append_own_folder(&path))
        text_printf(&path, "workloads/%s", workload->name);
    if (path.data && !access(path.data, X_OK))
        return text_take(&path);
    struct text why = {0};
    text_printf(&why, "the program of workload %s is not built: there is no %s; make builds it", workload->name,
                path.data ? path.data : "/proc");
    *error = text_take(&why);
    text_free(&path);
    return NULL;
}
