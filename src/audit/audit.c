/*
 * A watcher of the loader (see rtld-audit(7)), which heddle exec gives to the program and to all its child processes.
 *
 * A program may name NVIDIA's libraries by a path of its own: an RPATH, or dlopen() with a whole path. Both go before
 * LD_LIBRARY_PATH. The loader asks this library before each search, and is led to heddle's libcuda and libcudart
 * instead, by the major version (libcudart.so.12.4.127 is libcudart.so.12). It also asks for NVIDIA's closed libraries,
 * whose kernels are machine code. One that is there is loaded, because many programs are linked with such a library and
 * never call it. One that is not there ends the program with a line that names the library, where the loader would only
 * say that a file is missing; but a program that tries to open it by dlopen() may do without.
 *
 * The loader keeps this library and its C library apart from those of the program. It is small, since each process of
 * a script loads it.
 */
#define _GNU_SOURCE
#include "audit/library_search.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool is_started; /* what the program is linked with is loaded: later searches are for dlopen() */

/* Beginnings of names of libraries whose kernels are machine code of NVIDIA's GPUs. */
static const char *const closed_table[] = {
    "libcublas",   "libcublasLt", "libcufft",   "libcufftw", "libcurand", "libcusolver", "libcusolverMg",
    "libcusparse", "libcudnn",    "libnvjpeg",  "libnccl",   "libnvblas", "libcutensor", "libcusparseLt",
    "libnvinfer",  "libnvgraph",  "libnvshmem", "libcudss",  NULL,
};

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Remembers in the object's cookie where its map is, so that a search knows the object that asks. */
unsigned int la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    (void)lmid;
    *cookie = (uintptr_t)map;
    return 0;
}

void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    is_started = true;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_stem(const char *name, const char *stem)
{
    size_t length = strlen(stem);
    return !strncmp(name, stem, length) && !strncmp(name + length, ".so", 3);
}

static bool is_closed(const char *name)
{
    for (const char *const *stem = closed_table; *stem; stem++)
        if (has_stem(name, *stem))
            return true;
    /* These are families of libraries: libcudnn_ops.so.9, libnppif.so.12. */
    return (!strncmp(name, "libcudnn_", 9) || !strncmp(name, "libnpp", 6)) && strstr(name, ".so");
}

/* heddle's library of this name, in the folder of this one; NULL: heddle has none. */
static char *own_library(const char *name)
{
    static char path[PATH_BYTES]; /* the loader copies what it is given */
    Dl_info self;
    if (!dladdr((void *)own_library, &self) || !self.dli_fname)
        return NULL;
    int folder = (int)(base_of(self.dli_fname) - self.dli_fname);
    int length = snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, name);
    return length < (int)sizeof path && !access(path, R_OK) ? path : NULL;
}

/* heddle's library for a file of NVIDIA's with a longer version: libcudart.so.11.8.89, libcuda.so.570.86; NULL: it has
 * none. The runtime of CUDA 11 is libcudart.so.11.0 for all of CUDA 11. */
static char *own_version(const char *name)
{
    char short_name[32];
    if (has_stem(name, "libcuda"))
        return own_library("libcuda.so.1");
    int major = 0;
    sscanf(name, "libcudart.so.%d", &major);
    snprintf(short_name, sizeof short_name, major == 11 ? "libcudart.so.%d.0" : "libcudart.so.%d", major);
    return own_library(short_name);
}

static void refuse(const char *library, const char *reason)
{
    char program[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    dprintf(STDERR_FILENO, "heddle: %s needs %s, which is not on this machine; %s\n", base_of(program), library,
            reason);
    _exit(1);
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    const char *base = base_of(name);
    if (flag != LA_SER_ORIG)
        return (char *)name;
    bool is_runtime = has_stem(base, "libcudart");
    if (is_runtime || has_stem(base, "libcuda")) {
        char *own = own_library(base);
        own = own ? own : own_version(base);
        if (own)
            return own;
    }
    if (!(is_runtime || is_closed(base)) || base != name || is_started ||
        library_search_finds(name, (const struct link_map *)*cookie))
        return (char *)name;
    refuse(name, is_runtime ? "heddle has the runtimes of CUDA 11, 12 and 13: compile the program with one of these"
                            : "heddle could not run it either: the kernels of this library are machine code");
    return NULL;
}
