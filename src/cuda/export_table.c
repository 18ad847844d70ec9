/*
 * cuGetExportTable: how NVIDIA's own libraries reach inside NVIDIA's driver. heddle has no such table, so a
 * library or runtime that needs one cannot run on heddle; the caller's file says which way out there is.
 */
#define _GNU_SOURCE /* dladdr1 */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of heddle's libraries: the one that this function was loaded from. */
static void find_folder(char *folder, size_t size)
{
    Dl_info info;
    bool found = dladdr((void *)(uintptr_t)cuGetExportTable, &info) && info.dli_fname;
    char *path = found ? realpath(info.dli_fname, NULL) : NULL;
    snprintf(folder, size, "%s", path ? path : "");
    free(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

/* NVIDIA's compilers as libraries: they ask for the driver's inside, and work without it, since they need no device. */
static bool is_compiler(const char *file)
{
    return !strncmp(file, "libnvrtc", strlen("libnvrtc")) || !strncmp(file, "libnvJitLink", strlen("libnvJitLink"));
}

/* Names the object file of the caller, and what its user can do. */
static void explain(struct driver *d, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return;
    const char *path = map->l_name, *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (is_compiler(file))
        return;
    if (!*path) {
        char folder[256];
        find_folder(folder, sizeof folder);
        driver_say_once(d,
                        "the program has NVIDIA's CUDA runtime linked in, which works with NVIDIA's driver only; "
                        "compile it with `nvcc -cudart shared`, or, with nvcc 13, link heddle's runtime with "
                        "`nvcc -L%s`",
                        folder);
    } else if (!strncmp(file, "libcudart", strlen("libcudart"))) {
        driver_say_once(d,
                        "%s is NVIDIA's CUDA runtime, which works with NVIDIA's driver only; "
                        "let the program find heddle's: heddle exec -- PROGRAM",
                        path);
    } else {
        driver_say_once(d,
                        "%s is a closed library of NVIDIA's that works with NVIDIA's driver only; "
                        "programs that need it cannot run on heddle",
                        path);
    }
}

CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    const void *caller = __builtin_return_address(0);
    ENTER(e, NEED_LOCK);
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    explain(e.driver, caller);
    return CUDA_ERROR_NOT_FOUND;
}
