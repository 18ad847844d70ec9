/* Places of instructions: see place.h. */
#include "ptx/place.h"

#include <stdio.h>
#include <string.h>

static const char *file_path(const struct ptx_module *m, int number)
{
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].number == number)
            return m->files[i].path;
    return NULL;
}

/* Whether a file is a header of the CUDA toolkit (/usr/local/cuda-13.0/targets/x86_64-linux/include/...) or of clang
 * (/usr/lib/llvm-14/lib/clang/14.0.6/include/...), and not the user's. */
static bool is_compilers(const char *path)
{
    return strstr(path, "/include/") && (strstr(path, "/cuda") || strstr(path, "/clang/"));
}

struct ptx_place ptx_place(const struct ptx_module *module, int32_t location, int32_t ptx_line)
{
    struct ptx_place place = {.line = ptx_line, .ptx_line = ptx_line};
    for (int32_t at = location; at >= 0 && at < module->location_count; at = module->locations[at].inlined_at) {
        const struct ptx_location *l = &module->locations[at];
        const char *path = file_path(module, l->file);
        bool is_users = path && !is_compilers(path);
        if (path && l->line && (is_users || !place.path))
            place = (struct ptx_place){path, l->line, l->column, ptx_line};
        if (is_users && l->line)
            break;
    }
    return place;
}

const char *ptx_place_print(const struct ptx_place *place, char *buffer, size_t size)
{
    const char *slash = place->path ? strrchr(place->path, '/') : NULL;
    if (place->path)
        snprintf(buffer, size, "%s:%d", slash ? slash + 1 : place->path, place->line);
    else
        snprintf(buffer, size, "PTX line %d", place->line);
    return buffer;
}

const char *ptx_place_print_both(const struct ptx_place *place, char *buffer, size_t size)
{
    ptx_place_print(place, buffer, size);
    size_t length = strlen(buffer);
    if (place->path)
        snprintf(buffer + length, size - length, " (PTX line %d)", place->ptx_line);
    return buffer;
}
