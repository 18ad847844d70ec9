/* Loading of modules; see load.h. */
#include "ptx/load.h"

#include "binary/archive.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "binary/kind.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The longest file: above that, a device or pipe without end is likelier than a program. */
#define FILE_LIMIT (UINT64_C(4) << 30)

/* One attempt to load. */
struct loader {
    const char *path;
    unsigned capability;
    struct ptx_failure *failure;
    struct ptx_units *units;
    bool adds_parts;     /* what is added now are parts of a relocatable program */
    int count_before;    /* units that were there already */
    int container_count; /* containers of the program, whether they hold PTX or not */
    struct text without; /* what the containers without PTX hold */
};

__attribute__((format(printf, 3, 4))) static bool fail(struct ptx_failure *f, enum ptx_failure_kind kind,
                                                       const char *format, ...)
{
    va_list args;
    f->kind = kind;
    va_start(args, format);
    text_vprintf(&f->text, format, args);
    va_end(args);
    return false;
}

/* Fails with an error text, which is freed. */
static bool fail_with(struct loader *l, enum ptx_failure_kind kind, char *error)
{
    fail(l->failure, kind, "%s: error: %s\n", l->path, error);
    free(error);
    return false;
}

/* ---- texts ---- */

static bool add_text(struct loader *l, const char *name, const char *text, size_t length)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse(name, text, length, &diag);
    if (module && l->adds_parts) {
        vec_push(&l->units->parts, module);
    } else if (module) {
        vec_push(&l->units->modules, module);
    } else {
        char *errors = diag_text(&diag);
        fail(l->failure, FAILURE_TEXT, "%s", errors);
        free(errors);
    }
    diag_free(&diag);
    return module != NULL;
}

/* ---- fat binaries ---- */

static bool add_entry(struct loader *l, const struct fatbin_entry *entry)
{
    char *error = NULL;
    size_t length;
    char *text = fatbin_unpack(entry, &length, &error);
    if (!text)
        return fail_with(l, FAILURE_DATA, error);
    struct text name = {0};
    text_printf(&name, "%s", l->path);
    if (l->container_count > 1)
        text_printf(&name, " (module %d)", l->container_count);
    bool ok = add_text(l, name.data, text, length);
    text_free(&name);
    free(text);
    return ok;
}

/* Adds the best PTX of the container at the start of `data`; notes what the container holds if that is no PTX. */
static bool add_container(struct loader *l, const void *data, size_t length, size_t *taken)
{
    struct fatbin fatbin;
    char *error = NULL;
    bool ok = true;
    if (!fatbin_read(data, length, &fatbin, taken, &error))
        return fail_with(l, FAILURE_DATA, error);
    l->container_count++;
    const struct fatbin_entry *best = fatbin_best_ptx(&fatbin, l->capability);
    if (best) {
        ok = add_entry(l, best);
    } else if (fatbin.count && !l->without.length) {
        fatbin_describe(&fatbin, &l->without);
    }
    fatbin_free(&fatbin);
    return ok;
}

/* Containers in a row, as linkers join the sections of object files; zeros may stand between them. */
static bool add_containers(struct loader *l, const uint8_t *data, size_t length)
{
    for (size_t at = 0, taken = 0; at < length; at += taken) {
        if (!data[at])
            taken = 1;
        else if (!add_container(l, data + at, length - at, &taken))
            return false;
    }
    return true;
}

static bool say_without(struct loader *l)
{
    return fail(l->failure, FAILURE_CODE, "%s: error: no PTX in it, only %s; %s\n", l->path,
                l->without.length ? l->without.data : "an empty fat binary", FATBIN_ADVICE);
}

static bool add_memory_container(struct loader *l, const void *data)
{
    size_t taken;
    return add_container(l, data, fatbin_length(data), &taken);
}

/* The list of a wrapper: every one of its modules is needed, because the linked code is not PTX. */
static bool add_list(struct loader *l, const void *const *list)
{
    for (; *list; list++) {
        const void *data = *list;
        struct fatbin_wrapper inner = {.container = data};
        char *error = NULL;
        if (fatbin_is_wrapper(data) && !fatbin_read_wrapper(data, &inner, &error))
            return fail_with(l, FAILURE_DATA, error);
        if (inner.container && !add_memory_container(l, inner.container))
            return false;
        if (l->without.length)
            return say_without(l);
    }
    return true;
}

static bool add_wrapper(struct loader *l, const void *data)
{
    struct fatbin_wrapper wrapper;
    char *error = NULL;
    if (!fatbin_read_wrapper(data, &wrapper, &error))
        return fail_with(l, FAILURE_DATA, error);
    return wrapper.list ? add_list(l, wrapper.list) : add_memory_container(l, wrapper.container);
}

/* ---- ELF files and archives ---- */

static bool add_section(struct loader *l, const struct elf *elf, const char *name, bool adds_parts)
{
    struct elf_section section;
    l->adds_parts = adds_parts;
    return !elf_find_section(elf, name, &section) || add_containers(l, section.data, section.bytes);
}

static bool add_elf(struct loader *l, const void *data, size_t length)
{
    struct elf elf;
    char *error = NULL;
    if (!elf_open(&elf, data, length, &error))
        return fail_with(l, FAILURE_DATA, error);
    return add_section(l, &elf, ".nv_fatbin", false) && add_section(l, &elf, "__nv_relfatbin", true);
}

static bool add_archive(struct loader *l, const void *data, size_t length)
{
    struct archive_member member;
    for (size_t offset = 0; archive_next(data, length, &offset, &member);)
        if (elf_is(member.data, member.bytes) && !add_elf(l, member.data, member.bytes))
            return false;
    return true;
}

/* ---- the interface ---- */

static int unit_count(const struct ptx_units *units)
{
    return units->modules.count + units->parts.count;
}

/* Takes the containers' notes into account: a program without any PTX has failed. */
static bool finish(struct loader *l, bool ok)
{
    if (ok && l->count_before == unit_count(l->units))
        ok = say_without(l);
    text_free(&l->without);
    return ok;
}

bool ptx_gather_image(struct ptx_units *units, const char *path, const void *image, unsigned capability,
                      struct ptx_failure *failure)
{
    struct loader l = {.path = path, .capability = capability, .failure = failure, .units = units};
    l.count_before = unit_count(units);
    const char *text = image;
    bool has_magic = text[0] && text[1] && text[2]; /* a text of fewer characters must not be read beyond its end */
    if (has_magic && elf_is(image, 4))
        return fail(failure, FAILURE_CODE, "%s: error: this is GPU machine code (a cubin), not PTX; %s\n", path,
                    FATBIN_ADVICE);
    if (has_magic && fatbin_is_container(image))
        return finish(&l, add_memory_container(&l, image));
    if (has_magic && fatbin_is_wrapper(image))
        return finish(&l, add_wrapper(&l, image));
    return add_text(&l, path, text, strlen(text));
}

bool ptx_gather_bytes(struct ptx_units *units, const char *path, const void *data, size_t length, unsigned capability,
                      struct ptx_failure *failure)
{
    struct loader l = {.path = path, .capability = capability, .failure = failure, .units = units};
    l.count_before = unit_count(units);
    struct binary_file file = binary_file_kind(path, data, length);
    switch (file.kind) {
    case BINARY_PTX:
        while (length && !((const char *)data)[length - 1]) /* some tools end the text with a NUL */
            length--;
        return add_text(&l, path, data, length);
    case BINARY_FATBIN:
        return finish(&l, add_containers(&l, data, length));
    case BINARY_WITH_FATBIN:
        return finish(&l, add_elf(&l, data, length));
    case BINARY_ARCHIVE:
        return finish(&l, add_archive(&l, data, length));
    case BINARY_OTHER:
        break;
    }
    return fail(failure, file.advice == NULL ? FAILURE_DATA : FAILURE_CODE, "%s: error: this is %s, not PTX%s%s\n",
                path, file.what, file.advice ? "; " : "", file.advice ? file.advice : "");
}

void ptx_units_free(struct ptx_units *units)
{
    for (int i = 0; i < units->modules.count; i++)
        ptx_destroy(units->modules.data[i]);
    for (int i = 0; i < units->parts.count; i++)
        ptx_destroy(units->parts.data[i]);
    vec_free(&units->modules);
    vec_free(&units->parts);
}

/* Links the parts with each other; the module that they make is one of the units from then on. */
static bool link_parts(struct ptx_units *units, struct ptx_failure *failure)
{
    if (!units->parts.count)
        return true;
    struct ptx_module *linked = ptx_link(units->parts.data, units->parts.count, LINK_TOGETHER, &failure->text);
    vec_free(&units->parts);
    if (linked)
        vec_push(&units->modules, linked);
    return linked != NULL;
}

bool ptx_units_fit(const struct ptx_units *units, struct ptx_failure *failure)
{
    struct vec_of(struct ptx_module *) all = {0};
    for (int i = 0; i < units->modules.count; i++)
        vec_push(&all, units->modules.data[i]);
    for (int i = 0; i < units->parts.count; i++)
        vec_push(&all, units->parts.data[i]);
    bool fits = !all.count || ptx_link_fits(all.data, all.count, &failure->text);
    if (!fits)
        failure->kind = FAILURE_LINK;
    vec_free(&all);
    return fits;
}

struct ptx_module *ptx_link_units(struct ptx_units *units, const char *path, enum ptx_link_rule rule,
                                  struct ptx_failure *failure)
{
    struct ptx_module *module = NULL;
    if (!unit_count(units)) {
        fail(failure, FAILURE_CODE, "%s: error: there is nothing to link\n", path);
        return NULL;
    }
    if (rule == LINK_TOGETHER) { /* parts are modules like the others then */
        for (int i = 0; i < units->parts.count; i++)
            vec_push(&units->modules, units->parts.data[i]);
        vec_free(&units->parts);
    }
    if (link_parts(units, failure)) {
        module = ptx_link(units->modules.data, units->modules.count, rule, &failure->text);
        vec_free(&units->modules);
    }
    if (!module)
        failure->kind = FAILURE_LINK;
    ptx_units_free(units);
    return module;
}

struct ptx_module *ptx_load_image(const char *path, const void *image, unsigned capability, struct ptx_failure *failure)
{
    struct ptx_units units = {0};
    struct ptx_module *module = NULL;
    if (ptx_gather_image(&units, path, image, capability, failure))
        module = ptx_link_units(&units, path, units.modules.count > 1 ? LINK_TOGETHER : LINK_APART, failure);
    ptx_units_free(&units);
    return module;
}

struct ptx_module *ptx_load_bytes(const char *path, const void *data, size_t length, unsigned capability,
                                  struct ptx_failure *failure)
{
    struct ptx_units units = {0};
    struct ptx_module *module = NULL;
    if (ptx_gather_bytes(&units, path, data, length, capability, failure))
        module = ptx_link_units(&units, path, LINK_APART, failure);
    ptx_units_free(&units);
    return module;
}

char *ptx_read_file(const char *path, size_t *length, struct ptx_failure *failure)
{
    FILE *file = fopen(path, "rb");
    struct text all = {0};
    char buffer[65536];
    bool ok = file != NULL;
    for (size_t n; ok && all.length <= FILE_LIMIT && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&all, buffer, n);
    ok = ok && !ferror(file);
    if (!ok)
        fail(failure, FAILURE_FILE, "%s: error: cannot read the file: %s\n", path, strerror(errno));
    else if (all.length > FILE_LIMIT)
        ok = fail(failure, FAILURE_FILE, "%s: error: the file is longer than %llu bytes\n", path,
                  (unsigned long long)FILE_LIMIT);
    if (file)
        fclose(file);
    *length = all.length;
    if (ok)
        return text_take(&all);
    text_free(&all);
    return NULL;
}

struct ptx_module *ptx_load_file(const char *path, unsigned capability, struct ptx_failure *failure)
{
    size_t length;
    char *data = ptx_read_file(path, &length, failure);
    struct ptx_module *module = data ? ptx_load_bytes(path, data, length, capability, failure) : NULL;
    free(data);
    return module;
}
