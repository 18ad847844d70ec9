/* Where the files are that come with heddle: see installed.h. */
#define _GNU_SOURCE
#include "study/installed.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct installed_folder installed_folders[] = {
    {"workloads", "workloads", "../lib/heddle/workloads", "bfs2", "programs of the built-in workloads"},
    {"libcuda", "lib", "../lib/heddle", "libcuda.so.1", "heddle's libcuda and libcudart, for LD_LIBRARY_PATH"},
    {"include", "../include", "../include/heddle", "heddle_hints.h", "headers for CUDA and driver-API programs"},
    {"examples", "../examples", "../share/heddle/examples", "trips.ptx", "kernels to try"},
    {"machines", "../gpus", "../share/heddle/gpus", "fermi.ini", "descriptions of the built-in machines"},
    {"sources", "..", "../share/heddle", "workloads/bfs2/kernels.cu", "CUDA sources of the built-in workloads"},
    {"papers", "../papers", "../share/heddle/papers", "tbc.ini", "claims of the built-in papers"},
    {NULL, NULL, NULL, NULL, NULL},
};

/* The folder of the running command, with its slash; NULL if the system does not say. Owned by the caller. */
static char *own_folder(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    if (path)
        strrchr(path, '/')[1] = '\0';
    return path;
}

/* OWN/FOLDER/FILE without links and dots; NULL if there is no such file, or the folder lacks its mark. */
static char *find_in(const char *own, const char *folder, const char *mark, const char *file)
{
    struct text path = {0};
    text_printf(&path, "%s%s/%s", own, folder, file ? file : mark);
    char *found = access(path.data, F_OK) ? NULL : realpath(path.data, NULL);
    if (found && !file) {
        free(found);
        path.data[path.length - strlen(mark) - 1] = '\0';
        found = realpath(path.data, NULL);
    }
    text_free(&path);
    return found;
}

char *installed_path(const char *folder, const char *file)
{
    const struct installed_folder *f = installed_folders;
    while (f->name && strcmp(f->name, folder))
        f++;
    char *own = f->name ? own_folder() : NULL;
    char *found = own ? find_in(own, f->in_build, f->mark, file) : NULL;
    if (own && !found)
        found = find_in(own, f->in_prefix, f->mark, file);
    free(own);
    return found;
}
