/*
 * The loader's search for a library: see library_search.h and ld.so(8).
 *
 * Of the cache (/etc/ld.so.cache), only the paths in it are looked at, which the file holds as strings. A path of
 * another architecture would be taken for a find; then the loader's own message follows.
 */
#define _GNU_SOURCE
#include "audit/library_search.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEARCH_PATH_BYTES = 4096 };

static bool exists(const char *folder, size_t length, const char *name)
{
    char path[SEARCH_PATH_BYTES];
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, length ? folder : ".", name);
    return written < (int)sizeof path && !access(path, R_OK);
}

/* $ORIGIN, at the start of a folder, stands for the folder of the object that asks. */
static bool exists_from(const char *folder, size_t length, const char *origin, const char *name)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    for (int i = 0; i < 2; i++) {
        size_t word = strlen(words[i]);
        if (length < word || strncmp(folder, words[i], word))
            continue;
        char path[SEARCH_PATH_BYTES];
        const char *slash = strrchr(origin, '/');
        int written = snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash - origin) : 1, slash ? origin : ".",
                               (int)(length - word), folder + word);
        return written < (int)sizeof path && exists(path, (size_t)written, name);
    }
    return exists(folder, length, name);
}

static bool list_has(const char *list, const char *origin, const char *name)
{
    for (const char *at = list; at;) {
        size_t length = strcspn(at, ":;");
        if (exists_from(at, length, origin, name))
            return true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return false;
}

static bool object_has(const struct link_map *object, const char *name)
{
    char program[SEARCH_PATH_BYTES];
    const char *origin = object->l_name, *strings = NULL;
    if (!*origin) { /* the program itself */
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        origin = program;
    }
    for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = object->l_ld; strings && d && d->d_tag != DT_NULL; d++)
        if ((d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH) && list_has(strings + d->d_un.d_val, origin, name))
            return true;
    return false;
}

static bool cache_has(const char *name)
{
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    struct stat about;
    bool found = false;
    if (file < 0)
        return false;
    if (!fstat(file, &about) && about.st_size > 0) {
        size_t bytes = (size_t)about.st_size, length = strlen(name) + 1;
        char *cache = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        for (char *at = cache; cache != MAP_FAILED && !found;) {
            at = memmem(at, bytes - (size_t)(at - cache), name, length);
            if (!at)
                break;
            /* A path in the cache is a string that ends in the name; the name alone is there, too. */
            char *start = at;
            while (start > cache && start[-1])
                start--;
            found = start != at && *start == '/' && !access(start, R_OK);
            at++;
        }
        if (cache != MAP_FAILED)
            munmap(cache, bytes);
    }
    close(file);
    return found;
}

bool library_search_finds(const char *name, const struct link_map *asking)
{
    static const char system_folders[] =
        "/lib:/usr/lib:/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:"
        "/usr/lib/aarch64-linux-gnu";
    const char *listed = getenv("LD_LIBRARY_PATH");
    return (asking && object_has(asking, name)) || (listed && list_has(listed, ".", name)) || cache_has(name) ||
           list_has(system_folders, ".", name);
}
